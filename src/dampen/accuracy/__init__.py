"""How good an answer is: from laws on public problems, and before anything is drawn."""

from dampen.accuracy.selection import error_bound, expected_error, tail_bound

__all__ = ["error_bound", "expected_error", "tail_bound"]
