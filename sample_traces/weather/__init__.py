"""A weather agent whose only way out is the seam: live and replayed by the same code."""
