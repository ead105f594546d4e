"""Realistic incidents: small agents, what they did in production, and the exports that the real SDK wrote of it.

Importable in a checkout only; nothing of this folder is installed.
"""
