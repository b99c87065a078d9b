"""The worst pair of neighbours of a mechanism, where it is proved which one that is, and the loss between its laws.

Noise of a law that falls ever faster in logarithms, as Laplace and Gaussian noise do, tells most where the value moves
furthest: docs/proofs/loss_distributions.md.
"""

from dataclasses import replace
from fractions import Fraction
from math import exp, expm1, sqrt
from typing import Any

import numpy as np

from dampen._validate import render
from dampen.accounting.loss_distributions import (
    CUT,
    MOST_POINTS,
    LossDistribution,
    losses_at,
    round_to_power,
    spread_losses,
)
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, Gaussian, GaussianCounts, Laplace, LaplaceCounts
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.problem import CountsFrame, Frame, GroupFrame, NumericFrame

MOST_OUTPUTS = 2**22
"""Noise with more outputs that count is refused: a coarser resolution has fewer."""
PARTS = 64
"""How many lattice points a loss of usual size spans."""


def loss_distribution(mechanism: Any, frame: Any) -> LossDistribution:
    """The loss of one release in this frame, by the worst pair of neighbours there is.

    For mechanisms whose worst pair is proved: ``Laplace``, ``Gaussian``, ``LaplaceCounts`` and ``GaussianCounts`` where
    one step moves any count by 1 at most; ``Exponential``; and randomised response. All others are refused.

    >>> import dampen
    >>> from dampen.mechanisms import Gaussian
    >>> frame = dampen.NumericFrame(bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> once = loss_distribution(Gaussian(rho="1/50"), frame)
    >>> round(float(once.epsilon("1e-6")), 3), round(float(once.compose_self(10).epsilon("1e-6")), 3)
    (0.835, 2.921)
    """
    found = _worst_pair(mechanism, frame)
    loss = mechanism.privacy(frame)
    return replace(found, adjacency=loss.adjacency, unit=loss.unit)


def _worst_pair(mechanism: Any, frame: Any) -> LossDistribution:
    kind = type(mechanism)  # a subclass may have another law
    if kind is Laplace and isinstance(frame, NumericFrame):
        return _laplace(mechanism.epsilon / frame.reach, frame.reach)
    if kind is Gaussian and isinstance(frame, NumericFrame):
        return _gaussian(GaussianNoise.of(mechanism.rho, Fraction(frame.reach**2)), frame.reach)
    if kind in (LaplaceCounts, GaussianCounts) and isinstance(frame, CountsFrame):
        return _counts(mechanism, frame)
    if kind is Exponential and isinstance(frame, Frame):
        return _bounded_range(mechanism.epsilon)
    if kind is RandomisedResponse and isinstance(frame, GroupFrame):
        return _randomised_response(mechanism.epsilon, frame.kinds)
    rule = "mechanism must be one whose worst pair of neighbours is proved, with a frame of its kind"
    raise ParameterError(f"{rule}: Laplace, Gaussian, Exponential, randomised response; got {render(mechanism)}")


def _laplace(rate: Fraction, moved: int) -> LossDistribution:
    """Outputs up to the first value lose epsilon, those from the second on -epsilon, those between rate (moved - 2 k).

    With q = exp(-rate) they have the masses 1 / (1 + q), q^moved / (1 + q) and (1 - q) q^k / (1 + q).
    """
    if moved > MOST_OUTPUTS:
        raise _too_fine()
    r = float(rate)
    k = np.arange(1, moved)
    whole = 1 + exp(-r)
    masses = np.concatenate([[1.0], -expm1(-r) * np.exp(-r * k), [exp(-r * moved)]]) / whole
    places = moved - 2 * np.arange(moved + 1)
    if moved <= MOST_POINTS // 4:
        return losses_at(rate, places, masses)
    return spread_losses(r * places.astype(np.float64), masses, round_to_power(rate * moved / PARTS))


def _gaussian(noise: GaussianNoise, moved: int) -> LossDistribution:
    """The output k loses moved (moved - 2 k) / (2 s), an exact multiple of moved / (2 s)."""
    last = noise.size_exceeded_with(Fraction(CUT)) + moved
    if last > MOST_OUTPUTS:
        raise _too_fine()
    k = np.arange(-last, last + 1)
    masses, places = np.exp(noise.log_probabilities(k)), moved - 2 * k
    unit = moved / (2 * noise.variance)
    if len(k) <= MOST_POINTS // 4:
        found = losses_at(unit, places, masses)
    else:
        usual = Fraction(moved / sqrt(noise.variance))
        found = spread_losses(float(unit) * places.astype(np.float64), masses, round_to_power(usual / PARTS))
    return replace(found, infinite=found.infinite + CUT)


def _counts(mechanism: LaplaceCounts | GaussianCounts, frame: CountsFrame) -> LossDistribution:
    """A single count that moves furthest, or as many as may move by 1 each."""
    if frame.size > 1 and frame.largest >= 2:
        rule = "frame must have largest=1, or a single count: no worst pair is proved for others"
        raise ParameterError(f"{rule}; got {frame!r}")
    each, times = max(int(frame.largest), 1), max(min(int(frame.l1), frame.size), 1)
    if isinstance(mechanism, GaussianCounts):
        return _gaussian(mechanism.noise(frame), each).compose_self(times)
    return _laplace(mechanism.noise(frame).rate, each).compose_self(times)


def _bounded_range(eta: Fraction) -> LossDistribution:
    """Losses in [-eta, eta] with a density proportional to exp(loss / 2), in ``2 PARTS`` cells.

    It tells at every epsilon what the worst pair for that epsilon tells. With T = exp((b - eta) / 2) / (1 - exp(-eta))
    a cell that ends at b and is h wide has the mass T (1 - exp(-h / 2)), of which its upper end has the part
    T (1 - exp(-h / 2))^2 / (1 - exp(-h)) and the lower one all else.
    """
    step = eta / PARTS
    h, width = float(step), float(eta)
    top = np.exp((h * np.arange(1 - PARTS, PARTS + 1) - width) / 2) / -expm1(-width)  # no power grows with eta
    mass = top * -expm1(-h / 2)
    upper = mass * (expm1(-h / 2) / expm1(-h))
    masses = np.concatenate([mass - upper, [0.0]]) + np.concatenate([[0.0], upper])
    return losses_at(step, np.arange(-PARTS, PARTS + 1), masses)


def _randomised_response(epsilon: Fraction, kinds: int) -> LossDistribution:
    """The own category loses epsilon, that of the neighbour -epsilon, all others nothing."""
    whole = 1 + (kinds - 1) * exp(-float(epsilon))
    other = exp(-float(epsilon)) / whole
    return losses_at(epsilon, [1, -1, 0], [1 / whole, other, max(kinds - 2, 0) * other])


def _too_fine() -> ParameterError:
    rule = "frame must have a coarser resolution, or the mechanism a larger price"
    return ParameterError(f"{rule}: noise of so many steps has no loss distribution here")
