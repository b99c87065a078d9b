"""The named steps of a reservation in a durable ledger: where a machine may die, and where the crash tests kill it."""

STEPS = (
    "before BEGIN",
    "after the check",
    "after INSERT",
    "before COMMIT",
    "after COMMIT",
    "after the draw",
    "before the outcome",
    "inside the outcome",
    "after the outcome",
)
"""In the order in which one release passes them. docs/ledger.md says what holds after a crash at each."""

CREATION = ("before the file", "before its name", "after its name")
"""The steps of making a new ledger."""


def reached(step: str) -> None:
    """Nothing happens here; the crash tests put a kill in its place."""
