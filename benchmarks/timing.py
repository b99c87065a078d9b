"""Interleaved medians: every contestant runs in every round, so that the machine's noise hits all alike."""

import random
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TypeVar

Run = Callable[[], float]
"""One run of a contestant; answers how many seconds it took."""
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Measured:
    """The median seconds of a contestant and how many runs it is the median of."""

    seconds: float
    runs: int


def stopwatch(action: Callable[[], object], clock: Callable[[], float] = perf_counter) -> Run:
    """A run that times one call of ``action`` in this process."""

    def run() -> float:
        start = clock()
        action()
        return clock() - start

    return run


def interleaved_medians(runs: Mapping[Key, Run], *, rounds: int, allowance: float) -> dict[Key, Measured]:
    """Median seconds over many rounds, each in a new random order, so that nobody always follows the same neighbour.

    Whoever has used up ``allowance`` seconds sits out the remaining rounds; everybody runs at least once.
    """
    seconds: dict[Key, list[float]] = {key: [] for key in runs}
    for _ in range(rounds):
        for key in random.sample(list(runs), k=len(runs)):
            if sum(seconds[key]) < allowance:
                seconds[key].append(runs[key]())
    return {key: Measured(median(taken), len(taken)) for key, taken in seconds.items()}
