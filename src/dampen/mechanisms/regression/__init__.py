"""Mechanisms that fit coefficients to records."""
