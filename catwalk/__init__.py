"""The command: parses arguments, wires the parts, prints."""

__version__ = "0.1.0"
