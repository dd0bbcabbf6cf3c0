"""Facts coming in: the event types, the wire, the embedded log, files and the simulated floor."""
