"""One function per question of a user's. Each returns the plain answer and spends from the budget it is given."""

from dampen.applications.selection import select, top_k

__all__ = ["select", "top_k"]
