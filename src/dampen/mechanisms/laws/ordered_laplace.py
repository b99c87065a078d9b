"""The law of ordered top-k with Laplace noise, by quadrature; for audits and public problems, never for a release.

Between two scores every function below is a sum of few terms t^j exp(m t), |m| <= n. Beyond the outermost scores it is
a polynomial of degree at most n in exp(-distance): there that is the variable, up to 31 candidates one panel of Gauss'
rule is exact, and nothing is cut off.
"""

from itertools import pairwise, permutations

import numpy as np

from dampen.mechanisms import laws
from dampen.vectors import Floats, Integers

WIDEST = 2.0
"""Panels between two scores are at most so wide."""
EXACT_DEGREE = laws.NODES - 1
"""Polynomials up to this degree are integrated exactly from node to node."""


def ordered_laplace(x: Floats, k: int) -> Floats:
    """Ln P of every ordered k-tuple of the largest Z - x with standard Laplace noise Z, as ``permutations`` lists them.

    With f and F the density and the distribution of Z, and G_0(t) the product of F(t + x_s) over those not chosen, let
    G_j(t) be the integral of f(z + x_r) G_{j-1}(z) over z < t, where r is the j-th chosen from below. P = G_k(inf).
    """
    values = -np.asarray(x, dtype=np.float64)
    t, weights, log_slope = _nodes(values)
    offsets = t - values[:, None]
    log_below = laws._log_laplace_cdf(offsets)
    log_density = log_slope - np.abs(offsets) - np.log(2)
    orders = np.array(list(permutations(range(len(values)), k)), dtype=np.int64)
    out = np.empty(len(orders))
    for part in laws._blocks(len(orders), len(t)):
        out[part] = _log_chances(orders[part], log_below, log_density, weights)
    return out


def _log_chances(orders: Integers, log_below: Floats, log_density: Floats, weights: Floats) -> Floats:
    """Ln P of many orders at once."""
    rows = np.tile(log_below.sum(axis=0), (len(orders), 1))
    for chosen in orders.T:
        rows -= log_below[chosen]
    for chosen in orders.T[:0:-1]:
        rows = _log_running(log_density[chosen] + rows, weights)
    rows += log_density[orders[:, 0]]
    top = rows.max(axis=1)
    return np.asarray(np.log(np.exp(rows - top[:, None]) @ weights) + top)


def _log_running(log_values: Floats, weights: Floats) -> Floats:
    """Ln of the integral up to each node, row by row: whole panels before it, and its own by interpolation.

    Every panel is scaled by what it holds or by what came before, so that exponents of any depth stay.
    """
    panels = log_values.reshape(len(log_values), -1, laws.NODES)
    by_panel = weights.reshape(-1, laws.NODES)
    top = panels.max(axis=2)
    scaled = np.exp(panels - top[:, :, None])
    before = np.full(top.shape, -np.inf)
    before[:, 1:] = np.logaddexp.accumulate(np.log((scaled * by_panel).sum(axis=2)) + top, axis=1)[:, :-1]
    unit = np.maximum(top, before)
    inside = (scaled @ laws._node_to_node().T) * (np.exp(top - unit) * by_panel.sum(axis=1) / 2)[:, :, None]
    with np.errstate(divide="ignore"):
        running = np.log(np.maximum(inside + np.exp(before - unit)[:, :, None], 0.0)) + unit[:, :, None]
    return np.asarray(running.reshape(log_values.shape))


def _nodes(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Nodes t in increasing order, their weights in the variable of the panel, and ln of dt by that variable.

    The variable is t itself between two scores, s = exp(t - lowest) left of them and 1 - exp(highest - t) on the right.
    """
    kinks, wide = np.unique(values), max(0.25, min(WIDEST, 16 / len(values)))
    inner = [np.linspace(low, high, 1 + int(np.ceil((high - low) / wide)))[:-1] for low, high in pairwise(kinks)]
    t, weights = laws._panels(np.concatenate([*inner, kinks[-1:]]))
    s, tail_weights = laws._panels(_tail_ends(len(values), wide))
    log_s = np.log(s)
    nodes = np.concatenate([kinks[0] + log_s, t, kinks[-1] - log_s[::-1]])
    slopes = np.concatenate([-log_s, np.zeros(len(t)), -log_s[::-1]])
    return nodes, np.concatenate([tail_weights, weights, tail_weights[::-1]]), slopes


def _tail_ends(size: int, wide: float) -> Floats:
    """One panel where it is exact; otherwise as narrow as between the scores, until all that is left is one term."""
    if size <= EXACT_DEGREE:
        return np.array([0.0, 1.0])
    more = int(np.ceil(max(5.0, np.log(size) / wide)))
    return np.concatenate([[0.0], np.exp(-wide * np.arange(more, -1, -1.0))])
