"""How far totals per person are off, from exact laws: the cap race, the cap scan, fixed caps and R2T.

A *case* is one data set, in which everybody has a total, and one epsilon. The error is the distance of the answer from
the sum of all totals, what was cut off included; its median and its 95 % point are told, over the sum.

- Fixed caps: the sum of min(total, cap) plus discrete Laplace noise of scale cap / epsilon, as OpenDP releases a count
  of rows after ``truncate_per_group(cap)``. *Hindsight* is the best of all of them, in steps of a quarter octave and
  with the largest total; nobody may know it.
- R2T (Dong and others, SIGMOD 2022), for totals up to the public G: for every cap t = 2, 4, ..., G the answer under it,
  with Laplace noise of scale t log2(G) / epsilon, is lowered by ln(log2(G) / beta) times that scale; the largest of
  them, or 0 if all are below, is released.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, log
from typing import Protocol

import numpy as np

from dampen import Adjacency, CapFrame, CapProblem, Graph, datasets
from dampen.mechanisms import CapRace, CapScan
from dampen.mechanisms.caps.base import CapMechanism
from dampen.mechanisms.numeric.noises import Geometric, Noise
from dampen.vectors import Floats, Integers

LARGEST = 2**20
"""The last cap, public."""
BETA = 0.1
"""The chance that R2T may exceed the truth."""
CHANCES = {"median": 0.5, "95 %": 0.95}

GRAPHS: Mapping[str, Callable[[], Graph]] = {
    "enron": datasets.load_enron,
    "dblp": datasets.load_dblp,
    "github": datasets.load_github,
    "gowalla": datasets.load_gowalla,
    "facebook": datasets.load_facebook,
    "ca_grqc": datasets.load_ca_grqc,
    "ca_hepth": datasets.load_ca_hepth,
    "amazon": datasets.load_amazon,
    "stanford": datasets.load_stanford,
}
NAMES = (*GRAPHS, *datasets.HISTOGRAMS)


class Law(Protocol):
    """The law of an answer."""

    def within(self, off: int) -> float:
        """The chance to be at most so far off."""


@dataclass(frozen=True)
class CappedLaw:
    """A cap is drawn, what lies beyond it is ``lost``, and whole noise of its own is added."""

    chances: Sequence[float]
    lost: Sequence[int]
    noises: Sequence[Noise]

    def within(self, off: int) -> float:
        """The noise lies within ``off`` of what was lost."""
        parts = zip(self.chances, self.lost, self.noises, strict=True)
        return sum(
            chance * (at_least(noise, lost - off) - at_least(noise, lost + off + 1)) for chance, lost, noise in parts
        )


def at_least(noise: Noise, k: int) -> float:
    """P(K >= k) of a noise of two equal sides."""
    return exp(float(noise.log_tail(k))) / 2 if k > 0 else 1 - exp(float(noise.log_tail(1 - k))) / 2


@dataclass(frozen=True, eq=False)
class RacedLaw:
    """R2T: the largest of 0 and of independent Laplace variables with these centres and scales."""

    total: int
    centres: Floats
    scales: Floats

    def within(self, off: int) -> float:
        """No answer is below 0."""
        return self._at_most(self.total + off) - (self._at_most(self.total - off) if off < self.total else 0)

    def _at_most(self, answer: int) -> float:
        z = (answer - self.centres) / self.scales
        return float(np.prod(np.where(z < 0, np.exp(np.minimum(z, 0)) / 2, 1 - np.exp(-np.maximum(z, 0)) / 2)))


def error_point(law: Law, chance: float) -> int:
    """The smallest whole distance that is kept with at least this chance."""
    low, high = -1, 1
    while law.within(high) < chance:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if law.within(middle) >= chance else (middle, high)
    return high


@dataclass(frozen=True, eq=False)
class People:
    """Everybody's total, increasing."""

    name: str
    totals: Integers

    @classmethod
    def load(cls, name: str) -> "People":
        """Degrees of a graph, or the counts of a histogram."""
        return cls(name, np.sort(GRAPHS[name]().degrees() if name in GRAPHS else datasets.load_dpbench(name)))

    @cached_property
    def sum(self) -> int:
        """The right answer."""
        return int(self.totals.sum())

    @cached_property
    def _sums(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.totals)])

    def above(self, cap: int) -> int:
        """How many have more."""
        return len(self.totals) - int(np.searchsorted(self.totals, cap, side="right"))

    def cut(self, cap: int) -> int:
        """The sum of min(total, cap)."""
        above = self.above(cap)
        return int(self._sums[len(self.totals) - above]) + cap * above

    @cached_property
    def problem(self) -> CapProblem:
        """As the mechanisms want it, with the caps 1, 2, 4, ... that are used where nobody says others."""
        frame = CapFrame(Adjacency.ADD_REMOVE, caps=LARGEST)
        return CapProblem(frame, map(self.above, frame.caps), map(self.cut, frame.caps))

    def known_caps(self) -> list[int]:
        """Caps in steps of a quarter octave below the largest total, and that total itself: private."""
        most = int(self.totals[-1])
        octaves = {round(2 ** (step / 4)) for step in range(4 * most.bit_length())}
        return [*sorted(cap for cap in octaves if cap < most), most]


def mechanism_law(people: People, mechanism: CapMechanism) -> CappedLaw:
    """The cap by the law of the mechanism, the noise that belongs to it."""
    frame, chances = people.problem.frame, np.exp(mechanism.log_cap_probabilities(people.problem))
    lost = [people.sum - people.cut(cap) for cap in frame.caps]
    return CappedLaw(chances.tolist(), lost, [mechanism.noise(frame, cap) for cap in frame.caps])


def fixed_law(people: People, cap: int, epsilon: Fraction) -> CappedLaw:
    """All of epsilon for the noise under a public cap."""
    return CappedLaw([1.0], [people.sum - people.cut(cap)], [Geometric(epsilon / cap)])


def r2t_law(people: People, epsilon: Fraction) -> RacedLaw:
    """All caps, each with its part of epsilon."""
    rungs = LARGEST.bit_length() - 1
    caps = [2**j for j in range(1, rungs + 1)]
    scales = np.array(caps) * rungs / float(epsilon)
    return RacedLaw(people.sum, np.array([people.cut(cap) for cap in caps]) - scales * log(rungs / BETA), scales)


RACE, SCAN, R2T, CAP_100, CAP_1000 = "cap race", "cap scan", "R2T", "cap 100", "cap 1000"
HINDSIGHT = "hindsight"
LAWS: Mapping[str, Callable[[People, Fraction], Law]] = {
    RACE: lambda people, epsilon: mechanism_law(people, CapRace(epsilon)),
    SCAN: lambda people, epsilon: mechanism_law(people, CapScan(epsilon)),
    R2T: r2t_law,
    CAP_100: lambda people, epsilon: fixed_law(people, 100, epsilon),
    CAP_1000: lambda people, epsilon: fixed_law(people, 1000, epsilon),
}


def errors_of(people: People, epsilon: Fraction, chance: float) -> dict[str, float]:
    """The error of everybody that is kept with this chance, over the right answer; hindsight first."""
    best = min(error_point(fixed_law(people, cap, epsilon), chance) for cap in people.known_caps())
    found = {who: error_point(law(people, epsilon), chance) for who, law in LAWS.items()}
    return {who: error / people.sum for who, error in {HINDSIGHT: best, **found}.items()}
