"""Checks over frozen runs, and fixtures that test the checks. Needs the standard library and, for YAML, yaml alone."""
