"""Mechanisms with a fault each, which an audit of draws alone must find.

All noise is whole, so that low bits give nothing away, except where they are the fault. ``draw_with`` takes a
generator: the tests are seeded.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from dampen import Adjacency, PrivacyLoss

Generator = np.random.Generator
Draw = Callable[[Any], Any]


@dataclass(frozen=True)
class Planted:
    """A mechanism, a pair of neighbours that gives its fault away, and what it claims."""

    name: str
    draw_with: Callable[[Generator], Draw]
    x: Any
    y: Any
    claim: PrivacyLoss
    samples: int = 100_000


def pure(epsilon: float, delta: float = 0) -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=Adjacency.ADD_REMOVE)


def whole_noise(rng: Generator, scale: float, at_once: int = 4096) -> Callable[[], int]:
    """Whole Laplace noise, one number with each call: the difference of two geometric ones."""
    chance = 1 - exp(-1 / scale)

    def numbers() -> Iterator[int]:
        while True:
            yield from (rng.geometric(chance, at_once) - rng.geometric(chance, at_once)).tolist()

    return numbers().__next__


def pick(rng: Generator, scores: Sequence[float]) -> int:
    """A place with probability proportional to the exponential of its score."""
    weights = np.exp(np.asarray(scores) - max(scores))
    return int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right"))


# Noise of the wrong size or in the wrong place


def half_the_noise(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1 / 2)
    return lambda people: len(people) + noise()


def clipped_on_the_wrong_side(rng: Generator) -> Draw:
    """A sum of values up to 10: values should be cut there, and are raised to 10 instead."""
    noise = whole_noise(rng, 10)
    return lambda values: sum(max(value, 10) for value in values) + noise()


def sensitivity_one_for_two(rng: Generator) -> Draw:
    """A histogram under replacement: two counts move, and the noise is for one."""
    noise = whole_noise(rng, 1)
    return lambda values: tuple(values.count(kind) + noise() for kind in "ab")


def epsilon_for_each_column(rng: Generator) -> Draw:
    """Five sums that one row moves by one each; each has the noise of the whole epsilon."""
    noise = whole_noise(rng, 1)
    return lambda rows: [sum(column) + noise() for column in zip(*rows, strict=True)]


def bounded_noise(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)
    return lambda people: len(people) + max(-4, min(4, noise()))


def one_noise_for_two_answers(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)

    def draw(counts: tuple[int, int]) -> dict[str, int]:
        shared = noise()
        return {"men": counts[0] + shared, "women": counts[1] + shared}

    return draw


def a_third_of_the_gaussian_scale(rng: Generator) -> Draw:
    """The classical scale for (1, 1e-5), sqrt(2 ln(1.25 / delta)), over 3."""
    return lambda people: round(len(people) + rng.normal() * 4.845 / 3, 2)


def noisy_sum_by_the_exact_count(rng: Generator) -> Draw:
    noise = whole_noise(rng, 10)
    return lambda values: (sum(values) + noise()) / len(values)


# Sparse vectors: Lyu, Su and Li 2017, algorithms 3 to 6, for queries that move by 1 and a threshold of 0

ABOVE, BELOW = "above", "below"


def sparse_vector_3(rng: Generator) -> Draw:
    """It tells the noisy answer that was compared."""
    noise = whole_noise(rng, 2)

    def draw(queries: tuple[int, ...]) -> tuple[Any, ...]:
        bar, told = noise(), []
        for query in queries:
            noisy = query + noise()
            told.append(noisy if noisy >= bar else BELOW)
            if noisy >= bar:
                break
        return tuple(told)

    return draw


def sparse_vector_4(rng: Generator) -> Draw:
    """The noise of the queries does not grow with the number of them that may be above, here 6."""
    of_bar, noise = whole_noise(rng, 4), whole_noise(rng, 4 / 3)

    def draw(queries: tuple[int, ...]) -> tuple[str, ...]:
        bar, told = of_bar(), []
        for query in queries:
            told.append(ABOVE if query + noise() >= bar else BELOW)
            if told.count(ABOVE) == 6:
                break
        return tuple(told)

    return draw


def sparse_vector_5(rng: Generator) -> Draw:
    """No noise on the queries, and no end."""
    noise = whole_noise(rng, 2)

    def draw(queries: tuple[int, ...]) -> tuple[str, ...]:
        bar = noise()
        return tuple(ABOVE if query >= bar else BELOW for query in queries)

    return draw


def sparse_vector_6(rng: Generator) -> Draw:
    """Noise on the queries, and no end."""
    noise = whole_noise(rng, 2)

    def draw(queries: tuple[int, ...]) -> tuple[str, ...]:
        bar = noise()
        return tuple(ABOVE if query + noise() >= bar else BELOW for query in queries)

    return draw


# Randomness


def float_laplace(rng: Generator) -> Draw:
    """The textbook's formula in floats (Mironov 2012)."""

    def draw(value: float) -> float:
        u = rng.random() - 0.5
        return float(value - np.sign(u) * np.log(1 - 2 * abs(u)))

    return draw


def fixed_seed(rng: Generator) -> Draw:
    seed = int(rng.integers(2**32))
    return lambda people: len(people) + whole_noise(np.random.default_rng(seed), 1, at_once=1)()


def biased_coin(rng: Generator) -> Draw:
    """Randomised response that keeps the answer in 4 of 5 cases, as if that were epsilon 1."""
    return lambda answer: answer if rng.random() < 0.8 else not answer


# Selections


def list_from_the_data(rng: Generator) -> Draw:
    """The exponential mechanism among the values that somebody has."""

    def draw(values: Sequence[str]) -> str:
        present = sorted({*values})
        return present[pick(rng, [values.count(each) / 2 for each in present])]

    return draw


def factor_two_forgotten(rng: Generator) -> Draw:
    """The exponential mechanism with epsilon where epsilon / 2 is meant: scores move in opposite directions."""
    return lambda scores: "abc"[pick(rng, scores)]


def permute_and_flip(rng: Generator) -> Draw:
    """Epsilon 1; but it has no bounded range of 1, so rho is not 1 / 8."""

    def draw(scores: Sequence[float]) -> int:
        for place in rng.permutation(len(scores)).tolist():
            if rng.random() < exp((scores[place] - max(scores)) / 2):
                return int(place)
        raise AssertionError("the best one is always taken")

    return draw


# What comes along with an answer


def leaves_without_noise(rng: Generator) -> Draw:
    """The split of a tree is chosen privately; its leaves tell the majority as it is."""

    def draw(rows: Sequence[tuple[int, int, str]]) -> dict[str, Any]:
        gains = [len({(row[place], row[2]) for row in rows}) for place in (0, 1)]
        split = pick(rng, [-gain / 4 for gain in gains])
        sides = [[row[2] for row in rows if row[split] == side] for side in (0, 1)]
        return {"split": split, "leaves": [max(sorted({*side, "no"}), key=side.count) for side in sides]}

    return draw


def error_of_an_empty_group(rng: Generator) -> Draw:
    noise = whole_noise(rng, 1)

    def draw(values: Sequence[int]) -> int:
        if not values and rng.random() < 0.05:
            raise ZeroDivisionError("mean of nobody")
        return len(values) + noise()

    return draw


RHO = PrivacyLoss(None, rho="1/8", adjacency=Adjacency.ADD_REMOVE)
FAULTS = (
    Planted("half the noise", half_the_noise, "ab", "a", pure(1)),
    Planted("clipped on the wrong side", clipped_on_the_wrong_side, (3, 40), (3,), pure(1)),
    Planted("sensitivity 1 for 2", sensitivity_one_for_two, "aab", "abb", pure(1)),
    Planted("sparse vector 3", sparse_vector_3, (0,) * 9, (1,) * 8 + (0,), pure(1), samples=200_000),
    Planted("sparse vector 4", sparse_vector_4, (0,) * 8, (1,) * 4 + (-1,) * 4, pure(1), samples=200_000),
    Planted("sparse vector 5", sparse_vector_5, (0, 1), (1, 0), pure(1)),
    Planted("sparse vector 6", sparse_vector_6, (0,) * 12, (1,) * 6 + (-1,) * 6, pure(1), samples=200_000),
    Planted("float Laplace", float_laplace, 0.0, 1.0, pure(1)),
    Planted("fixed seed", fixed_seed, "ab", "a", pure(1)),
    Planted("list from the data", list_from_the_data, ("a",) * 4, ("a",) * 4 + ("b",), pure(1)),
    Planted("epsilon for each column", epsilon_for_each_column, ((1,) * 5, (1,) * 5), ((1,) * 5,), pure(1)),
    Planted("leaves without noise", leaves_without_noise, ((0, 0, "no"), (1, 1, "yes")), ((0, 0, "no"),), pure(1)),
    Planted("permute-and-flip in rho", permute_and_flip, (0, 0), (1, -1), RHO),
    Planted("one noise for two answers", one_noise_for_two_answers, (3, 4), (3, 5), pure(2)),
    Planted("factor 2 forgotten", factor_two_forgotten, (0, 0, 0), (1, -1, -1), pure(1)),
    Planted("bounded noise", bounded_noise, "ab", "a", pure(1)),
    Planted("error of an empty group", error_of_an_empty_group, (), (7,), pure(1)),
    Planted("a third of the Gaussian scale", a_third_of_the_gaussian_scale, "ab", "a", pure(1, 1e-5)),
    Planted("noisy sum by the exact count", noisy_sum_by_the_exact_count, (5, 5, 5), (5, 5), pure(1)),
    Planted("biased coin", biased_coin, True, False, pure(1)),
)
