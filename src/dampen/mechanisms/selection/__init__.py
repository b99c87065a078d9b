"""Mechanisms that choose candidates."""
