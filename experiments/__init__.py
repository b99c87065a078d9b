"""Reproductions and refuted mechanisms: not in the wheel."""
