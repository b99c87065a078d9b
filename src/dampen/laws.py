"""Exact output laws as logarithms of probabilities, one per group of equal candidates.

Each function takes the exponents x_g >= 0 (0 for the best) and the group sizes n_g, and returns ln P of *one* member of
each group. These are the laws of what :mod:`dampen.sampling` draws, for the auditor and for public problems; nothing
here is reached by a release.

Quadrature. Two of the laws are integrals over [0, 1] of polynomials Q(z) = prod_s (1 - p_s z)^(n_s) with 0 < p_s <= 1,
whose roots are real and at least 1. With S = sum_s n_s p_s, Gauss' rule with 32 nodes on each of the panels
[0, 2^-J], [2^-J, 2^(1-J)], ..., [1/2, 1], 2^J >= S, has a relative error below 1e-16 whatever the degree: on a panel of
width c that begins at a, the k-th derivative of Q is at most (sum_s n_s p_s / (1 - p_s a))^k Q(a) in size and
Q(a) <= exp(-S a), so that the remainder of Gauss' rule is below 1e-19 c (docs/numerics.md).
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np

from dampen.vectors import Floats

NODES = 32
"""Nodes per panel."""
BLOCK = 1 << 21
"""How many terms are held in memory at once."""
NEGLIGIBLE = 60.0
"""Products below exp(-NEGLIGIBLE) of the largest add nothing that a float could hold."""


def softmax(x: Floats, sizes: Floats) -> Floats:
    """The exponential mechanism: P proportional to exp(-x)."""
    return np.asarray(-x - np.log(np.sum(sizes * np.exp(-x))))


def permute_and_flip(x: Floats, sizes: Floats) -> Floats:
    """Permute-and-flip: P_r = p_r * integral over [0, 1] of prod over s != r of (1 - p_s z), with p = exp(-x)."""
    return -x + np.log(_leave_one_out(x, sizes, 1.0))


def laplace_maximum(x: Floats, sizes: Floats) -> Floats:
    """Report-noisy-max with standard Laplace noise Z: P_r = P[Z_r - x_r is the largest].

    With t the largest value, P_r is the integral of f(t + x_r) prod over s != r of F(t + x_s). For t >= 0 put
    z = exp(-t): the integrand is half of permute-and-flip's with p/2 for p. For t < 0 it is G(t) f/F(t + x_r), where
    G = prod_s F(t + x_s)^(n_s) is smooth between the kinks -x_s; left of the last kink all F are exponentials, f/F = 1
    and the integral is G / sum(n).
    """
    above = np.exp(-x) / 2 * _leave_one_out(x, sizes, 0.5)
    ends = _laplace_panels(x, sizes)
    nodes, weights = _panels(ends)
    log_product = np.zeros(len(nodes))
    for part in _blocks(len(x), len(nodes)):
        log_product += sizes[part] @ _log_laplace_cdf(nodes + x[part, None])
    scaled = weights * np.exp(log_product)
    reached_last_kink = ends[0] == -x.max()
    tail = np.exp(_log_laplace_product(ends[0], x, sizes)) / sizes.sum() if reached_last_kink else 0.0
    below = np.full(len(x), tail)
    for part in _blocks(len(x), len(nodes)):
        below[part] += (1 / (2 * np.exp(np.maximum(nodes + x[part, None], 0)) - 1)) @ scaled
    return np.asarray(np.log(above + below))


def _laplace_panels(x: Floats, sizes: Floats) -> Floats:
    """Panel ends from where nothing is left, or from the last kink, up to 0.

    A factor F(t + x_s) with t > -x_s is singular at distance ln 2 left of its kink, so panels grow with the distance
    from the next kink on their left: 1/2, 1/2, 1, 2, 4, ... What lies left of t has a share of at most
    2 (1 + x_r) exp(-t) G(t) / G(0) in any P_r, and exp(-t) G(t) does not decrease in t.
    """
    deepest = float(x.max())
    cut, least = 0.5, _log_laplace_product(0.0, x, sizes) - NEGLIGIBLE
    while cut < deepest and _log_laplace_product(-cut, x, sizes) + cut > least:
        cut *= 2
    kinks = np.unique(np.concatenate([-x[x < cut], [-min(cut, deepest), 0.0]]))
    ends = [kinks[:1]]
    for low, high in pairwise(kinks):
        steps = np.array([0.0, *(2.0**k for k in range(-1, 12))])
        inner = low + steps[steps < high - low]
        ends += [inner[1:], np.array([high])]
    return np.concatenate(ends)


def _log_laplace_product(t: float, x: Floats, sizes: Floats) -> float:
    return float(sizes @ _log_laplace_cdf(t + x))


def _leave_one_out(x: Floats, sizes: Floats, share: float) -> Floats:
    """For each r the integral over [0, 1] of prod over s != r of (1 - share * exp(-x_s) z)."""
    mass = share * float(np.sum(sizes * np.exp(-x)))
    halvings = max(0, int(np.ceil(np.log2(max(mass, 1.0)))))
    z, weights = _panels(np.array([0.0, *(2.0**-j for j in range(halvings, -1, -1))]))
    missing = (1 - share) - share * np.expm1(-x)
    log_product = np.zeros(len(z))
    for part in _blocks(len(x), len(z)):
        log_product += sizes[part] @ np.log(_complement(z, missing[part]))
    scaled = weights * np.exp(log_product)
    out = np.empty(len(x))
    for part in _blocks(len(x), len(z)):
        out[part] = (1 / _complement(z, missing[part])) @ scaled
    return out


def _complement(z: Floats, missing: Floats) -> Floats:
    """1 - p z for every p = 1 - missing, without cancellation where p is close to 1."""
    return (1 - z) + z * missing[:, None]


def _log_laplace_cdf(v: Floats) -> Floats:
    return np.where(v < 0, v - np.log(2), np.log1p(-np.exp(-np.abs(v)) / 2))


def _panels(ends: Floats) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on consecutive panels."""
    nodes, weights = _gauss()
    width = np.diff(ends)[:, None] / 2
    middle = ((ends[1:] + ends[:-1]) / 2)[:, None]
    return (middle + width * nodes).ravel(), (width * weights).ravel()


@cache
def _gauss() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(NODES)


def _blocks(groups: int, nodes: int) -> list[slice]:
    step = max(1, BLOCK // max(1, nodes))
    return [slice(start, start + step) for start in range(0, groups, step)]


Law = Callable[[Floats, Floats], Floats]
"""Exponents and group sizes in, ln P of one member of each group out."""
