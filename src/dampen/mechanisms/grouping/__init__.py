"""Mechanisms that tell who belongs to which group."""
