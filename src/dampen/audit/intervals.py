"""From counts of an event to bounds of its probability, and from these to lower bounds of a privacy loss.

``low`` bounds from below how likely an event is on the data set that shows it more often, ``high`` from above how
likely it is on the other one. Each loss below is least, over all probabilities that keep to both, at the two bounds
(docs/proofs/black_box.md).
"""

from typing import Any

import numpy as np

from dampen.vectors import Floats

ORDERS: Floats = 1 + np.concatenate([[1e-6], np.geomspace(1e-3, 1e3, 49)])
"""Renyi orders that are tried. Every order gives a valid bound."""


def lower_bound(count: Any, trials: int, error: float) -> Floats:
    """The one-sided bound of Clopper and Pearson: above the true probability with probability at most ``error``."""
    from scipy.special import betaincinv

    count = np.asarray(count, dtype=np.float64)
    found = betaincinv(np.maximum(count, 1), trials - count + 1, error)
    return np.where(count > 0, found, 0.0)


def upper_bound(count: Any, trials: int, error: float) -> Floats:
    """The one-sided bound of Clopper and Pearson: below the true probability with probability at most ``error``."""
    from scipy.special import betainccinv

    count = np.asarray(count, dtype=np.float64)
    found = betainccinv(count + 1, np.maximum(trials - count, 1), error)
    return np.where(count < trials, found, 1.0)


def epsilon_at(low: Any, high: Any, delta: float) -> Floats:
    """The least epsilon such that low <= exp(epsilon) high + delta; 0 where every epsilon will do."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(np.maximum(np.asarray(low, dtype=np.float64) - delta, 0.0)) - np.log(high)
    epsilon: Floats = np.nan_to_num(np.maximum(found, 0.0), nan=0.0, posinf=np.inf)
    return epsilon


def delta_at(low: Any, high: Any, epsilon: float) -> Floats:
    """The least delta such that low <= exp(epsilon) high + delta."""
    with np.errstate(over="ignore"):
        delta: Floats = np.maximum(np.asarray(low, dtype=np.float64) - np.exp(epsilon) * np.asarray(high), 0.0)
    return delta


def rho_at(low: Any, high: Any) -> Floats:
    """The least rho such that the Renyi divergence of the event alone is at most rho a, at every order a tried."""
    p, q = np.atleast_1d(np.asarray(low, dtype=np.float64)), np.atleast_1d(np.asarray(high, dtype=np.float64))
    apart = p > q
    result = np.zeros(p.shape)
    p, q = p[apart, None], np.maximum(q[apart, None], np.finfo(float).tiny)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        on, off = np.log1p((p - q) / q), np.log1p((q - p) / (1 - q))  # the two losses, exact where they are small
        powers = ORDERS - 1
        far = np.logaddexp(np.log(p) + powers * on, np.log1p(-p) + powers * off)
        near = np.log1p(p * np.expm1(powers * on) + (1 - p) * np.expm1(powers * off))
        divergences = np.where(powers * on < 1, near, far) / powers
    result[apart] = (divergences / ORDERS).max(axis=1, initial=0.0)
    return result.reshape(np.shape(low))
