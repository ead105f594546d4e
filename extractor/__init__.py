"""Turn the trace of an agent incident into a small, safe, replayable regression case."""

__version__ = "0.1.0"
