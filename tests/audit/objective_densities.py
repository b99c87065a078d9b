"""The exact density of a private minimum, written down anew from its definition: dense matrices, plain loops.

For a data set D the noise that makes theta the minimum is b_D(theta) = -(slopes of the losses) - Lambda theta, and so
theta has the density f(b_D(theta)) det(second derivatives + Lambda). Nothing here is shared with the package but the
public numbers of the calibration.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import exp1, logsumexp, softmax

from dampen import Adjacency
from dampen.mechanisms.regression.calibration import Calibration, calibrate
from dampen.problem import LogisticFrame

Records = list[tuple[tuple[int, ...], int, float]]
"""Codes, class and weight of each record."""


def features(frame: LogisticFrame, codes: tuple[int, ...]) -> np.ndarray:
    """Indicators of all groups, then columns of +-1/2."""
    parts = []
    for size, code in zip(frame.groups, codes, strict=False):
        part = np.zeros(size)
        if code >= 0:
            part[code] = 1.0
        parts.append(part)
    columns = [*(code - 0.5 for code in codes[len(frame.groups) :]), 0.5]
    return np.concatenate([*parts, columns])


def capped(scores: np.ndarray, target: int, capped: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Slopes and second derivatives of the capped loss in all scores; those of the plain one if not ``capped``."""
    p = softmax(scores)
    unit = np.eye(len(p))[target]
    if p[target] >= 0.5 or not capped:
        return p - unit, np.diag(p) - np.outer(p, p)
    rest = np.delete(np.arange(len(p)), target)
    q = softmax(scores[rest])
    r, curved = np.zeros(len(p)), np.zeros((len(p), len(p)))
    r[target], r[rest] = 0.5, q / 2
    curved[np.ix_(rest, rest)] = (np.diag(q) - np.outer(q, q)) / 2
    return r - unit, curved


def loss(scores: np.ndarray, target: int) -> float:
    """The capped loss as a maximum over the simplex, at the r that attains it."""
    p = softmax(scores)
    if p[target] >= 0.5:
        return float(logsumexp(scores) - scores[target])
    rest = np.delete(scores, target)
    return float((logsumexp(rest) - scores[target]) / 2 + np.log(2))


def sums(frame: LogisticFrame, records: Records, theta: np.ndarray, cap: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Slopes and second derivatives of all losses together, by coefficient: features times scores."""
    kinds, table = frame.scores, theta.reshape(frame.features, frame.scores)
    gradient, hessian = np.zeros(frame.size), np.zeros((frame.size, frame.size))
    for codes, target, weight in records:
        x = features(frame, codes)
        if kinds == 1:
            slope, curved = capped(np.array([0.0, float(x @ table[:, 0])]), target, cap)
            slope, curved = slope[1:], curved[1:, 1:]
        else:
            slope, curved = capped(x @ table, target, cap)
        gradient += weight * np.outer(x, slope).ravel()
        hessian += weight * np.kron(np.outer(x, x), curved)
    return gradient, hessian


def ridge_vector(frame: LogisticFrame, numbers: Calibration) -> np.ndarray:
    sizes = [*frame.groups, frame.columns]
    each = [*numbers.ridges, numbers.column_ridge]
    return np.repeat([float(ridge) for ridge in each], [size * frame.scores for size in sizes])


@dataclass(frozen=True)
class Densities:
    """The density of theta in a frame. Faults can be planted: ``capped``, ``rate`` and ``short_radius`` say which."""

    frame: LogisticFrame
    numbers: Calibration
    capped: bool = True
    rate: float = 0.0
    short_radius: bool = False

    @classmethod
    def of(cls, frame: LogisticFrame, epsilon: Fraction, ridge: int) -> "Densities":
        # A frame for exact minima pays for no inexact ones: the share of the last noise is nearly nothing.
        numbers = calibrate(frame, epsilon, Fraction(ridge), inexact_share=Fraction(1, 10**9))
        return cls(frame, numbers, rate=float(numbers.rate))

    def without_curvature(self) -> "Densities":
        """The fault that forgets what determinants cost."""
        return replace(self, rate=float(self.numbers.epsilon))

    def log_noise(self, noise: np.ndarray) -> float:
        """Ln of the density of b, up to a constant."""
        frame, start, total = self.frame, 0, 0.0
        share = self.rate / float(frame.reach * frame.total_weight)
        for size, weight in zip(frame.groups, frame.weights, strict=True):
            total -= share * float(weight) * float(np.abs(noise[start : start + size * frame.scores]).sum())
            start += size * frame.scores
        columns = noise[start:].reshape(frame.columns, frame.scores)
        radius = share * float(frame.column_weight) * 2 * float(np.abs(columns).sum(axis=1).max())
        # A radius of one shape too few times a uniform point has the density E1(radius) in place of exp(-radius).
        return total + (_log_exp1(radius) if self.short_radius else -radius)

    def noise_at(self, records: Records, theta: np.ndarray) -> np.ndarray:
        """The noise that makes theta the minimum."""
        gradient, _ = sums(self.frame, records, theta, self.capped)
        return np.asarray(-gradient - ridge_vector(self.frame, self.numbers) * theta)

    def log_density(self, records: Records, theta: np.ndarray) -> float:
        _, hessian = sums(self.frame, records, theta, self.capped)
        sign, log_det = np.linalg.slogdet(hessian + np.diag(ridge_vector(self.frame, self.numbers)))
        assert sign > 0
        return self.log_noise(self.noise_at(records, theta)) + float(log_det)


def _log_exp1(radius: float) -> float:
    return float(np.log(exp1(radius))) if radius < 500 else -radius - float(np.log(radius))


def random_frame(rng: np.random.Generator, spread: bool) -> LogisticFrame:
    groups = [int(size) for size in rng.integers(1, 4, size=rng.integers(0, 3))]
    weights = [Fraction(int(weight), 4) for weight in rng.integers(1, 9, size=len(groups))]
    columns = int(rng.integers(1, 3))
    return LogisticFrame(
        groups, columns, int(rng.integers(2, 5)), Adjacency.ADD_REMOVE, weights=weights, spread=spread,
        column_weight=columns * Fraction(int(rng.integers(2, 9)), 16),
    )  # fmt: skip


def random_record(rng: np.random.Generator, frame: LogisticFrame) -> tuple[tuple[int, ...], int]:
    codes = [int(rng.integers(-1, size)) for size in frame.groups]
    columns = [int(rng.integers(2)) for _ in range(frame.columns - 1)]
    return (*codes, *columns), int(rng.integers(frame.classes))


def random_unit(rng: np.random.Generator, frame: LogisticFrame) -> Records:
    """One neighbour step: a record, or a person's records whose weights add up to 1."""
    if not frame.spread:
        return [(*random_record(rng, frame), 1.0)]
    return [(*random_record(rng, frame), float(share)) for share in rng.dirichlet(np.ones(int(rng.integers(1, 4))))]


def random_theta(rng: np.random.Generator, frame: LogisticFrame, numbers: Calibration) -> np.ndarray:
    """Somewhere: near 0, where the scores are near the cap, or where noise of the frame's size would put it."""
    scale = float(frame.reach * frame.total_weight / numbers.rate) * rng.exponential()
    theta = rng.laplace(size=frame.size) * scale / ridge_vector(frame, numbers)
    kept = rng.random(frame.size) < rng.choice([0.2, 0.6, 1.0])
    return np.asarray(np.where(kept, theta, 0.0) * rng.choice([1e-3, 0.1, 1.0, 5.0]))


def worst_share(rng: np.random.Generator, neighbours: int, plant: Any = lambda made: made) -> dict[bool, float]:
    """The largest |log ratio| over epsilon of so many random neighbours, at random places; by whether K is 2."""
    worst = {True: 0.0, False: 0.0}
    for _ in range(neighbours):
        frame = random_frame(rng, bool(rng.integers(2)))
        epsilon = Fraction(int(rng.choice([1, 10, 30])), 10)
        made = plant(Densities.of(frame, epsilon, int(rng.choice([2, 3, 8])) * (1 if frame.classes == 2 else 2)))
        records = [each for _ in range(int(rng.integers(0, 5))) for each in random_unit(rng, frame)]
        more = records + random_unit(rng, frame)
        for _ in range(3):
            theta = random_theta(rng, frame, made.numbers)
            ratio = abs(made.log_density(records, theta) - made.log_density(more, theta)) / float(epsilon)
            worst[frame.classes == 2] = max(worst[frame.classes == 2], ratio)
    return worst
