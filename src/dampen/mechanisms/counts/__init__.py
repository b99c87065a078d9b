"""Mechanisms that tell many counts at once."""
