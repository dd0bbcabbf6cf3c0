"""The law: cards, hand ranking, decision tables, pay tables and remedies, each answer with its clause."""
