"""Mechanisms that add noise to one number."""
