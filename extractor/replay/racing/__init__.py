"""Concurrent calls: which overlapped, and every order in which they may come."""
