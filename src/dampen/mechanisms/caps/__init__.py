"""Mechanisms that choose a cap for totals per person, and tell it with the capped total."""
