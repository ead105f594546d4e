"""The command line: one module per command, loaded when it is called; the only place that knows click."""
