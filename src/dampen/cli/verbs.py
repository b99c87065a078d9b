"""What may be typed: every verb says by itself which question it asks and where it stands in the help."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

Run = TypeVar("Run", bound=Callable[..., None])


@dataclass(frozen=True)
class Verb:
    """A verb of the command. ``asks``: the questions that it asks, by their names in the library."""

    place: int
    name: str
    run: Callable[..., None]
    asks: tuple[str, ...]


VERBS: list[Verb] = []


def verb(place: int, *asks: str, name: str | None = None) -> Callable[[Run], Run]:
    """Make a function a verb. Verbs stand in the help by their places."""

    def enter(run: Run) -> Run:
        VERBS.append(Verb(place, name or run.__name__.replace("_", "-"), run, asks))
        return run

    return enter


def add_members(members: dict[str, Any], names: Iterable[str]) -> None:
    """One member of an ``Enum`` for each name that the library knows, spelt as the command spells it.

    Called in the body of the class, with ``vars()``.
    """
    for name in names:
        members[name.replace("-", "_").upper()] = name.replace("_", "-")
