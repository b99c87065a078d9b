"""The law of ordered top-k with Laplace noise, by quadrature; for audits and public problems, never for a release."""

from itertools import permutations

import numpy as np

from dampen import laws
from dampen.vectors import Floats

TAIL = 70.0
"""Beyond the outermost scores the integrals are cut here: what is left out is a share of exp(-TAIL) of them."""
WIDEST = 2.0
"""Panels are at most so wide; between two scores every density is a sum of few exponentials."""


def ordered_laplace(x: Floats, k: int) -> Floats:
    """Ln P of every ordered k-tuple of the largest Z - x with standard Laplace noise Z, as ``permutations`` lists them.

    With f and F the density and the distribution of Z, and G_0(t) the product of F(t + x_s) over those not chosen, let
    G_j(t) be the integral of f(z + x_r) G_{j-1}(z) over z < t, where r is the j-th chosen from below. P = G_k(inf).
    """
    values = -np.asarray(x, dtype=np.float64)
    nodes, weights = laws._panels(_ends(values))
    offsets = nodes - values[:, None]
    log_below = laws._log_laplace_cdf(offsets)
    log_density = -np.abs(offsets) - np.log(2)
    everybody = log_below.sum(axis=0)
    out = []
    for chosen in permutations(range(len(values)), k):
        log_product = everybody - log_below[list(chosen)].sum(axis=0)
        for place in reversed(chosen):
            log_product = _log_running(log_density[place] + log_product, weights)
        out.append(log_product[-1])
    return np.array(out)


def _log_running(log_values: Floats, weights: Floats) -> Floats:
    """Ln of the integral up to each node; the last one stands for all."""
    top = float(log_values.max())
    running = laws._running_integral(np.exp(log_values - top), weights)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(running, 0.0)) + top)


def _ends(values: Floats) -> Floats:
    """Panel ends: every score is a kink; further ends in between and in both tails."""
    kinks = np.unique(values)
    wide = max(0.25, min(WIDEST, 16 / len(values)))
    starts = np.concatenate([[kinks[0] - TAIL], kinks])
    stops = np.concatenate([kinks, [kinks[-1] + TAIL]])
    inner = [
        np.linspace(low, high, 1 + int(np.ceil((high - low) / wide)))[:-1]
        for low, high in zip(starts, stops, strict=True)
    ]
    return np.concatenate([*inner, stops[-1:]])
