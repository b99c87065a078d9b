"""What mechanisms have in common that name several candidates in order."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import perm
from typing import Any, ClassVar

import numpy as np

from dampen._validate import whole
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.selection.base import SelectionMechanism
from dampen.problem import Frame, SelectionProblem, count_candidates
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, init=False, repr=False)
class OrderedMechanism(SelectionMechanism):
    """Names k candidates, best first. Takes problems with one utility per candidate."""

    k: int

    largest_law: ClassVar[int] = 10**5
    """Up to so many ordered outcomes the law is written out."""

    @abstractmethod
    def draw(self, problem: SelectionProblem, source: Entropy) -> tuple[int, ...]:
        """An exact draw: the indices of the k best, in order. Nobody has paid for it here."""

    def outcomes(self, frame: Frame) -> Sequence[Any]:
        """All ordered k-tuples of candidates."""
        self._require_writable(count_candidates(frame.candidates))
        return list(permutations(frame.candidates, self.k))

    def answer(self, frame: Frame, drawn: tuple[int, ...]) -> tuple[Any, ...]:
        """The candidates at these indices."""
        return tuple(frame.candidates[place] for place in drawn)

    def require(self, problem: SelectionProblem) -> None:
        """Refuse runs too."""
        super().require(problem)
        self._require_plain(problem)

    def _rows(self, draw: Callable[[], Floats], size: int) -> Integers:
        """The places of the k least of each of ``size`` vectors, in order: O(n) each, and one at a time in memory."""
        out = np.empty((whole(size=size, least=0), self.k), dtype=np.int64)
        for row in out:
            behind = draw()
            ahead = np.argpartition(behind, self.k - 1)[: self.k]
            row[:] = ahead[np.argsort(behind[ahead])]
        return out

    def _require_fitting(self, frame: Frame) -> None:
        size = count_candidates(frame.candidates)
        if self.k > size:
            raise ParameterError(f"k must not exceed the number of candidates, {size}; got {self.k}")

    def _require_plain(self, problem: SelectionProblem) -> None:
        if problem.sizes is not None:
            raise ParameterError(f"{type(self).__name__} needs a problem without runs: one utility per candidate")

    def _require_writable(self, size: int) -> None:
        if perm(size, self.k) > self.largest_law:
            law = f"the law of {type(self).__name__}"
            raise ParameterError(f"{law} is not written out beyond {self.largest_law} ordered outcomes")
