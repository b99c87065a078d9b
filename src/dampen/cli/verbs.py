"""What may be typed: every verb says by itself which question it asks and where it stands in the help."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, TypeVar

from typer.core import TyperCommand

from dampen._validate import render
from dampen.describe.columns import PRIVATE
from dampen.errors import ParameterError

Run = TypeVar("Run", bound=Callable[..., None])


@dataclass(frozen=True)
class Verb:
    """A verb of the command. ``asks``: the questions that it asks, by their names in the library."""

    place: int
    name: str
    run: Callable[..., None]
    asks: tuple[str, ...]


VERBS: list[Verb] = []
BOUNDS = "--bounds"


class VerbCommand(TyperCommand):
    """A verb, whose ``--bounds`` are two words, or the one word ``private``, which stands for both."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The word is told twice."""
        told: list[str] = []
        for word, following in pairwise([*args, ""]):
            if told[-1:] == [BOUNDS] and word != PRIVATE and following.startswith("--"):
                rule = f"{BOUNDS} must be two numbers or days, or the one word {PRIVATE}"
                raise ParameterError(f"{rule}; got {render(word)}")
            told += [BOUNDS, PRIVATE] if word == f"{BOUNDS}={PRIVATE}" else [word]
            if told[-2:] == [BOUNDS, PRIVATE]:
                told.append(PRIVATE)
        return super().parse_args(ctx, told)


class Options:
    """Options that several verbs share: a frozen dataclass, whose fields are the options or further such classes.

    A verb takes all of them as one parameter.
    """

    def given(self) -> Iterator[str]:
        """The options that were typed, as they are spelt."""
        for each in fields(self):  # type: ignore[arg-type]  # of the dataclasses below this class
            value = getattr(self, each.name)
            if isinstance(value, Options):
                yield from value.given()
            elif value != each.default:
                yield f"--{each.name.replace('_', '-')}"


def verb(place: int, *asks: str, name: str | None = None) -> Callable[[Run], Run]:
    """Make a function a verb. Verbs stand in the help by their places."""

    def enter(run: Run) -> Run:
        VERBS.append(Verb(place, name or run.__name__.replace("_", "-"), _spread(run), asks))
        return run

    return enter


def refuse_given(why: str, *options: Options | None, but: Iterable[str] = ()) -> None:
    """Refuse shared options that were typed though they have no meaning here. ``but``: those that have one."""
    for given in options:
        for option in () if given is None else given.given():
            if option not in but:
                raise ParameterError(f"{option} must be left out: {why}")


def _spread(run: Callable[..., None]) -> Callable[..., None]:
    """The same function with a parameter for each option, those that must be given first."""

    def command(**typed: Any) -> None:
        _gather(run, typed)

    parameters = sorted(_flat(run), key=lambda each: each.default is not inspect.Parameter.empty)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__doc__, command.__name__, command.__module__ = run.__doc__, run.__name__, run.__module__
    return command


def _flat(made: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    for each in inspect.signature(made).parameters.values():
        if _is_shared(each):
            yield from _flat(each.annotation)
        else:
            yield each.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _gather(made: Callable[..., Any], typed: Mapping[str, Any]) -> Any:
    return made(
        **{
            each.name: _gather(each.annotation, typed) if _is_shared(each) else typed[each.name]
            for each in inspect.signature(made).parameters.values()
        }
    )


def _is_shared(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and issubclass(parameter.annotation, Options)


def add_members(members: dict[str, Any], names: Iterable[str]) -> None:
    """One member of an ``Enum`` for each name that the library knows, spelt as the command spells it.

    Called in the body of the class, with ``vars()``.
    """
    for name in names:
        members[name.replace("-", "_").upper()] = name.replace("_", "-")
