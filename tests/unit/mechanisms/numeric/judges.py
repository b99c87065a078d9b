"""Judges of noises whose scale follows a ladder: exact losses of two laws, and small worlds in which all is known."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import chisquare

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.mechanisms.numeric.noises import Noise
from dampen.sensitivity import RungTable
from dampen.vectors import Integers


def hockey_stick(rate: float, distance: float, other: float, epsilon: float) -> float:
    """The largest P(A) - e^epsilon Q(A): P Laplace of this rate about 0, Q of the other rate at this distance."""
    ratio, c = other / rate, other * distance
    growth = log(ratio)
    if ratio == 1:
        return max(0.0, 1 - exp(-(c - epsilon) / 2))
    if ratio > 1:
        part, room = (1 - 1 / ratio) / 2, epsilon + growth
        right = part * exp(-(room + c) / (ratio - 1))
        if c <= room:
            return right + part * exp(-(room - c) / (ratio - 1))
        return right + 1 - (1 + 1 / ratio) / 2 * exp(-(c - room) / (1 + ratio))
    excess = c - growth - epsilon
    if excess <= 0:
        return 0.0
    part = (1 / ratio - 1) / 2
    if -growth - rate * distance <= epsilon:
        return 1 + part * exp(-excess / (1 - ratio)) - (1 + 1 / ratio) / 2 * exp(-excess / (1 + ratio))
    return 1 - exp(epsilon) + part * (exp(-excess / (1 - ratio)) + exp((growth + epsilon + c) / (1 - ratio)))


def hockey_stick_by_quadrature(rate: float, distance: float, other: float, epsilon: float) -> float:
    """The integral of the positive part of p - e^epsilon q, between the points where it is not smooth."""

    def log_ratio(z: float) -> float:
        return log(rate / other) - rate * abs(z) + other * abs(z - distance) - epsilon

    def surplus(z: float) -> float:
        p, q = rate / 2 * exp(-rate * abs(z)), other / 2 * exp(-other * abs(z - distance))
        return p - exp(epsilon) * q

    far = 45 / rate
    points = [-far, 0.0, distance, distance + far]
    for left, right in pairwise(tuple(points)):
        at_left, at_right = log_ratio(left), log_ratio(right)
        if at_left * at_right < 0:
            points.append(left + (right - left) * at_left / (at_left - at_right))
    points.sort()
    pieces = [(one, two) for one, two in pairwise(points) if log_ratio((one + two) / 2) > 0]
    return float(sum(quad(surplus, *piece, epsabs=1e-15, epsrel=1e-11, limit=200)[0] for piece in pieces))


def poly_place_loss(scale: float, distance: float, other: float, p: int) -> float:
    """The largest logarithm of the ratio of two PolyPlace densities, this scale over the other."""
    return (p - 1) * log(scale / other) + p * max(log((other + distance) / scale), 0.0)


@dataclass
class World:
    """All data sets of a small data space: their values, their ladders, and the pairs of neighbours."""

    values: Integers
    rows: Integers
    pairs: list[tuple[int, int]]

    @property
    def bound(self) -> int:
        return int(max(self.rows[-1].max(), 1))

    def problems(self) -> list[NumericProblem]:
        """One problem for each data set; equal ladders share one."""
        frame = NumericFrame(self.bound, Adjacency.EDGE)
        tables = {ladder: RungTable(np.array(ladder)[:, None], bound=self.bound) for ladder in map(tuple, self.rows.T)}
        return [
            NumericProblem(frame, int(value), tables[tuple(ladder)])
            for value, ladder in zip(self.values, self.rows.T, strict=True)
        ]


def world(values: Integers, neighbours: NDArray[np.bool_]) -> World:
    """The ladder of every data set by brute force: the largest local sensitivity within t steps."""
    apart = np.abs(values[:, None] - values[None, :]) * neighbours
    rows = [apart.max(axis=1)]
    while True:
        near = np.where(neighbours, rows[-1][None, :], 0).max(axis=1)
        further = np.maximum(rows[-1], near)
        if (further == rows[-1]).all():
            return World(values, np.array(rows), [(int(x), int(y)) for x, y in np.argwhere(neighbours)])
        rows.append(further)


def random_world(rng: np.random.Generator) -> World:
    """A connected data space with plateaus and huge jumps."""
    size = int(rng.integers(6, 26))
    neighbours = np.zeros((size, size), dtype=bool)
    for node in range(1, size):
        neighbours[node, rng.integers(max(0, node - 3), node)] = True
    for _ in range(int(rng.integers(0, size))):
        one, two = rng.integers(0, size, 2)
        neighbours[one, two] = one != two
    steps = rng.choice([0, 0, 1, 2, 5, 30, 1000], size=size)
    return world(np.cumsum(steps * rng.choice([-1, 1], size=size)), neighbours | neighbours.T)


@cache
def graph_world(pattern: str, nodes: int = 5) -> World:
    """All graphs on so many nodes; neighbours differ by one edge. Patterns: triangle, 2-triangle."""
    pairs = [(i, j) for i in range(nodes) for j in range(i)]
    codes = np.arange(2 ** len(pairs))
    edge = {pair: (codes >> place) & 1 for place, pair in enumerate(pairs)}
    edge |= {(j, i): bits for (i, j), bits in edge.items()}
    common = {(i, j): sum(edge[i, k] * edge[j, k] for k in range(nodes) if k not in (i, j)) for i, j in pairs}
    if pattern == "triangle":
        values = sum(edge[pair] * common[pair] for pair in pairs) // 3
    else:
        values = sum(edge[pair] * common[pair] * (common[pair] - 1) for pair in pairs) // 2
    neighbours = np.zeros((len(codes), len(codes)), dtype=bool)
    for place in range(len(pairs)):
        neighbours[codes, codes ^ (1 << place)] = True
    return world(np.asarray(values), neighbours)


def random_ladders(rng: np.random.Generator, count: int) -> Iterator[tuple[int, list[int]]]:
    """A reach and a non-decreasing ladder below it: straight, steep, flat, or with zeros."""
    for _ in range(count):
        reach = int(10 ** rng.uniform(0.5, 7))
        length = int(rng.integers(1, 60))
        rungs = np.minimum(np.cumsum(np.floor(10 ** rng.uniform(-1.5, 4, length))), reach)
        yield reach, rungs.astype(int).tolist()


def problem_of(reach: int, rungs: list[int]) -> NumericProblem:
    frame = NumericFrame(reach, Adjacency.EDGE)
    return NumericProblem(frame, 0, RungTable([[rung] for rung in rungs], bound=reach)).as_public()


def pvalue_of_simulation(noise: Noise) -> float:
    """Of 40,000 simulated draws against the law: places that are expected 20 times, and all others together."""
    drawn = noise.simulate(np.random.default_rng(1), 40_000)
    bins = np.arange(-25, 26)
    shares = np.exp(noise.log_probabilities(bins))
    kept = shares * len(drawn) > 20
    counts = np.array([(drawn == k).sum() for k in bins[kept]] + [(~np.isin(drawn, bins[kept])).sum()])
    expected = np.append(shares[kept], 1 - shares[kept].sum()) * len(drawn)
    counts, expected = counts[expected > 20], expected[expected > 20]
    return float(chisquare(counts, expected * counts.sum() / expected.sum()).pvalue)
