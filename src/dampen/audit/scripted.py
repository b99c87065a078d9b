"""Drive a draw through every path of its random bits, to compare what it draws with what it claims to draw."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dampen._validate import render, whole
from dampen.audit.arguments import require_function
from dampen.errors import ParameterError

Outcome = TypeVar("Outcome", bound=Hashable)


class OutOfBits(BaseException):
    """The script ended before the draw did. No ordinary ``except`` clause catches it."""

    def __init__(self, missing: int) -> None:
        super().__init__(f"{missing} more bits are asked for")
        self.missing = missing


class ScriptedEntropy:
    """Plays back given bits, most significant first, where a release would ask the operating system."""

    def __init__(self, script: Sequence[int]) -> None:
        if not isinstance(script, Sequence) or not {*script} <= {0, 1}:
            raise ParameterError(f"script must be a sequence of bits, 0 and 1; got {render(script)}")
        self._script = script
        self.used = 0

    def bits(self, count: int) -> int:
        """The next ``count`` bits as a whole number."""
        missing = self.used + count - len(self._script)
        if missing > 0:
            raise OutOfBits(missing)
        taken = self._script[self.used : self.used + count]
        self.used += count
        return int("".join(map(str, taken)) or "0", 2)

    def words(self, count: int, width: int) -> NDArray[np.uint16]:
        """The next ``count`` whole numbers of ``width`` bits each."""
        return np.array([self.bits(width) for _ in range(count)], dtype=np.uint16)


def law_by_enumeration(
    draw: Callable[[ScriptedEntropy], Outcome], *, depth: int
) -> tuple[dict[Outcome, Fraction], Fraction]:
    """The exact probability of each outcome over all paths of at most ``depth`` bits, and what is still undecided.

    Branches wherever the draw asks for bits that are not there yet.
    """
    require_function("a source of entropy to an outcome", draw=draw)
    whole(depth=depth, least=0)
    law: dict[Outcome, Fraction] = {}
    undecided = Fraction(0)
    open_paths: list[tuple[int, ...]] = [()]
    while open_paths:
        path = open_paths.pop()
        try:
            outcome = draw(ScriptedEntropy(path))
        except OutOfBits as more:
            if len(path) + more.missing > depth:
                undecided += Fraction(1, 2 ** len(path))
            else:
                ends = np.ndindex(*([2] * more.missing))
                open_paths += [(*path, *map(int, end)) for end in ends]
        else:
            law[outcome] = law.get(outcome, Fraction(0)) + Fraction(1, 2 ** len(path))
    return law, undecided
