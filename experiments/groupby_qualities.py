"""How good released groups are: the group-by paper's algorithms, chance, and what can be had.

Table 1 (20 people, 15 of them in the group) comes from exact laws: expectations, no sample. Table 2 (Adult, the group
Male) is simulated with a seed.

NOT PRIVATE. The printed algorithms lose more than they claim; see experiments/refuted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb, log, sqrt
from typing import Any

import numpy as np

from dampen.mechanisms import Exponential, LocalDampening
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.mechanisms.grouping.triode_h import FRAGMENT, TriodeH
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.queries.groups import dice_problem, fragment_problem
from dampen.vectors import Floats, Integers

EPSILONS: Mapping[str, float] = {"0.01": 0.01, "0.1": 0.1, "ln 2": log(2), "1": 1.0, "ln 3": log(3), "10": 10.0}
PEOPLE, MEMBERS = 20, 15
TABLE_1 = (
    (0.7625, 0.8133, 0.7871),
    (0.7438, 0.7933, 0.7677),
    (0.7500, 0.8000, 0.7742),
    (0.7812, 0.8333, 0.8065),
    (0.7750, 0.8267, 0.8000),
    (0.9375, 1.0000, 0.9677),
)
TABLE_2 = (
    (0.6683, 0.6682, 0.6682),
    (0.6686, 0.6685, 0.6685),
    (0.6728, 0.6727, 0.6728),
    (0.6738, 0.6737, 0.6738),
    (0.6744, 0.6743, 0.6744),
    (0.7131, 0.7129, 0.7130),
)
"""Precision, recall and F1 as printed, at the six epsilons."""


@dataclass(frozen=True)
class Quality:
    """How good a set is: mean precision, recall and F1."""

    precision: float
    recall: float
    f1: float
    error: float = 0.0
    """Half the width of a 95 % interval of the F1, where it is a mean of runs."""

    @classmethod
    def expected(cls, weights: Floats, overlap: Floats, chosen: Floats, members: int) -> "Quality":
        """Over sets with these probabilities; the precision of the empty set is 0."""
        precision = overlap / np.maximum(chosen, 1)
        f1 = 2 * overlap / (chosen + members)
        return cls(*(float(weights @ part) for part in (precision, overlap / members, f1)))


def picked_in_table_1() -> list[float]:
    """How many people were picked in each row: recall over precision is the number picked over the 15 members."""
    return [recall / precision * MEMBERS for precision, recall, _ in TABLE_1]


def by_sets(mechanism: SingleMechanism, people: int, members: int) -> Quality:
    """The exact law of a mechanism on all sets, cell by cell of overlap and others."""
    problem = dice_problem(np.arange(people) < members)
    overlap, others = (part.ravel().astype(float) for part in np.indices((members + 1, people - members + 1)))
    assert problem.sizes is not None
    weights = np.exp(mechanism._group_law(problem)) * problem.sizes.astype(float)
    return Quality.expected(weights, overlap, overlap + others, members)


def described_triode(epsilon: float, people: int, members: int) -> Quality:
    """The exponential mechanism with the printed sensitivity 2 / (2 n - 1), which is that of epsilon (2 n - 1) / 2."""
    return by_sets(Exponential(epsilon * (2 * people - 1) / 2), people, members)


def random_of_size(chosen: int, people: int, members: int) -> Quality:
    """A uniform set of so many people."""
    overlap = np.arange(max(0, chosen - people + members), min(members, chosen) + 1).astype(float)
    ways = np.array([comb(members, int(k)) * comb(people - members, chosen - int(k)) for k in overlap], dtype=float)
    return Quality.expected(ways / comb(people, chosen), overlap, np.full(len(overlap), float(chosen)), members)


def everybody(people: int, members: int) -> Quality:
    """All people, whatever the data."""
    return random_of_size(people, people, members)


def by_response(epsilon: float, people: int, members: int) -> Quality:
    """Randomised response with two categories, exactly: the overlap and the others are binomial."""
    keep = RandomisedResponse(epsilon).keep_probability(2)
    overlap, others = (part.ravel().astype(float) for part in np.indices((members + 1, people - members + 1)))
    weights = np.outer(_binomial(members, keep), _binomial(people - members, 1 - keep)).ravel()
    return Quality.expected(weights, overlap, overlap + others, members)


def _binomial(count: int, p: float) -> Floats:
    k = np.arange(count + 1)
    ways = np.array([comb(count, int(i)) for i in k], dtype=float)
    return np.asarray(ways * p**k * (1 - p) ** (count - k))


def table_1() -> dict[str, list[Quality]]:
    """What each contestant gives at each epsilon, for the group of 15 among 20 people."""
    whole: dict[str, Callable[[float], Quality]] = {
        "TRIODE as described": lambda e: described_triode(e, PEOPLE, MEMBERS),
        "TRIODE, sensitivity 1, epsilon for the group": lambda e: by_sets(Exponential(e), PEOPLE, MEMBERS),
        "TRIODE, epsilon for the release": lambda e: by_sets(Exponential(e), PEOPLE, MEMBERS),
        "dampened around 0, epsilon for the group": lambda e: by_sets(_dampened(e, 0), PEOPLE, MEMBERS),
        "dampened TRIODE, epsilon for the release": lambda e: by_sets(_dampened(e, 1), PEOPLE, MEMBERS),
        "randomised response, epsilon for the release": lambda e: by_response(e, PEOPLE, MEMBERS),
        "16 at random": lambda e: random_of_size(16, PEOPLE, MEMBERS),
        "everybody": lambda e: everybody(PEOPLE, MEMBERS),
    }
    return {name: [ask(epsilon) for epsilon in EPSILONS.values()] for name, ask in whole.items()}


def _dampened(epsilon: float, level: int) -> LocalDampening:
    return LocalDampening(epsilon, law=Exponential, shift=level)


def measured(chosen: Integers, members: Any) -> Quality:
    """One set of people."""
    overlap, size = int(np.count_nonzero(members[chosen])), int(np.count_nonzero(members))
    return Quality(overlap / max(len(chosen), 1), overlap / size, 2 * overlap / (len(chosen) + size))


def printed_triode_h(members: Any, epsilon: float, rng: np.random.Generator) -> Quality:
    """The printed algorithm: a size at epsilon, l + 1 picks at epsilon / l with the printed sensitivity."""
    size = _noisy_size(int(np.count_nonzero(members)), len(members), epsilon, rng)
    return _picked(members, size + 1, epsilon / size / (2 * FRAGMENT), rng)


def repaired_triode_h(members: Any, epsilon: float, rng: np.random.Generator) -> Quality:
    """What ``method="triode_h"`` draws, simulated: a quarter of epsilon for each stage of a group."""
    stage = float(TriodeH(epsilon).stage)
    size = _noisy_size(int(np.count_nonzero(members)), len(members), stage, rng)
    return _picked(members, size, stage / size / 2, rng)


def _noisy_size(true: int, people: int, epsilon: float, rng: np.random.Generator) -> int:
    sizes = np.arange(1, people)
    return int(sizes[np.argmax(-np.abs(sizes - true) * epsilon / 2 + rng.gumbel(size=len(sizes)))])


def _picked(members: Any, picks: int, rate: float, rng: np.random.Generator) -> Quality:
    """So many people without replacement, by normalised scores of their fragments times a rate."""
    fragments = np.empty(len(members), dtype=np.int64)
    fragments[rng.permutation(len(members))] = np.arange(len(members)) // FRAGMENT
    problem = fragment_problem(members, fragments)
    scores = np.asarray(problem.utilities) / float(problem.frame.bound or 1)
    order = np.argpartition(-(rate * scores + rng.gumbel(size=len(scores))), picks - 1)[:picks]
    return measured(order, members)


def simulated_response(members: Any, epsilon: float, rng: np.random.Generator) -> Quality:
    """Randomised response of everybody's sex."""
    told = RandomisedResponse(epsilon).simulate(members.astype(np.int64), 2, rng)
    return measured(np.flatnonzero(told == 1), members)


def table_2(members: Any, runs: int, seed: int) -> dict[str, list[Quality]]:
    """What each contestant gives at each epsilon for one group of a real table; means over runs."""
    contestants = {
        "TRIODE-H as printed, epsilon for each stage": printed_triode_h,
        "TRIODE-H, epsilon for the release": repaired_triode_h,
        "randomised response, epsilon for the release": simulated_response,
    }
    found = {}
    for place, (name, ask) in enumerate(contestants.items()):
        rng = np.random.default_rng([seed, place])
        found[name] = [_mean([ask(members, e, rng) for _ in range(runs)]) for e in EPSILONS.values()]
    people, size = len(members), int(np.count_nonzero(members))
    base = size / people
    found["as many at random"] = [Quality(base, base, base)] * len(EPSILONS)
    found["everybody"] = [Quality(base, 1.0, 2 * size / (people + size))] * len(EPSILONS)
    return found


def _mean(found: list[Quality]) -> Quality:
    precision, recall, f1 = (np.array([getattr(q, part) for q in found]) for part in ("precision", "recall", "f1"))
    error = 1.96 * float(f1.std(ddof=1)) / sqrt(len(found)) if len(found) > 1 else 0.0
    return Quality(float(precision.mean()), float(recall.mean()), float(f1.mean()), error)
