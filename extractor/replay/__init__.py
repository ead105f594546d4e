"""What a test imports to replay a case. No heavy import, ever: the standard library alone."""
