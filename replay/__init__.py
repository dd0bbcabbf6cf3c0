"""Facts to whole rounds to derivation, the same code for one round and for a hundred million."""
