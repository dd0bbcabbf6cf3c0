"""STAT: what shows only over many rounds. A period is counted up piece by piece; each test says what chance alone would
give."""
