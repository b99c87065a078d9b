"""Exact output laws as logarithms of probabilities; for audits and public problems, never for a release.

Most functions take the exponents x_g >= 0 (0 for the best) and the group sizes n_g, and return ln P of *one* member of
each group. These are the laws of what :mod:`dampen.sampling` draws.

Quadrature. Two of the laws are integrals over [0, 1] of polynomials Q(z) = prod_s (1 - p_s z)^(n_s) with 0 < p_s <= 1,
whose roots are real and at least 1. With S = sum_s n_s p_s, Gauss' rule with 32 nodes on each of the panels
[0, 2^-J], [2^-J, 2^(1-J)], ..., [1/2, 1], 2^J >= S, has a relative error below 3e-19 whatever the degree: on a panel of
width c that begins at a, the k-th derivative of Q is at most (sum_s n_s p_s / (1 - p_s a))^k Q(a) in size and
Q(a) <= exp(-S a) (docs/numerics.md). What remains is the rounding of floats.

Ordered top-k with Laplace noise: between two scores every function is a sum of few terms t^j exp(m t), |m| <= n. Beyond
the outermost scores it is a polynomial of degree at most n in exp(-distance): there that is the variable, up to 31
candidates one panel of Gauss' rule is exact, and nothing is cut off.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise, permutations

import numpy as np

from dampen.errors import ParameterError
from dampen.vectors import Floats, Integers

NODES = 32
"""Nodes per panel."""
BLOCK = 1 << 21
"""How many terms are held in memory at once."""
NEGLIGIBLE = 60.0
"""Products below exp(-NEGLIGIBLE) of the largest add nothing that a float could hold."""

DEEPEST_ORDERED = 600.0
"""Ordered laws are computed for exponents that far apart; beyond it floats underflow."""
GROWING_STEPS = np.concatenate([[0, 0.5, 1, 2, 4], np.arange(8.0, 1100.0, 8.0)])
"""Where panels end to the right of a kink."""

Law = Callable[[Floats, Floats], Floats]
"""Exponents and group sizes to ln P, as ``softmax`` and ``permute_and_flip`` are."""
WIDEST = 2.0
"""Panels between two scores are at most so wide."""
EXACT_DEGREE = NODES - 1
"""Polynomials up to this degree are integrated exactly from node to node."""


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
    and the integral is G / sum(n). Everything is computed for exp(x_r) P_r, so that no exponent is too deep.
    """
    ends = _laplace_panels(x, sizes)
    t, weights = _panels(ends)
    log_product = -t
    for part in _blocks(len(x), len(t)):
        log_product += sizes[part] @ _log_laplace_cdf(t + x[part, None])
    scaled = weights * np.exp(log_product)
    below = np.zeros(len(x))
    if ends[0] == -x.max():
        below += np.exp(_log_laplace_product(ends[0], x, sizes) + x) / sizes.sum()
    for part in _blocks(len(x), len(t)):
        v = t + x[part, None]
        below[part] += (np.exp(np.minimum(v, 0)) / (2 - np.exp(-np.maximum(v, 0)))) @ scaled
    return np.asarray(-x + np.log(_leave_one_out(x, sizes, 0.5) / 2 + below))


def pareto_maximum(x: Floats, sizes: Floats, nu: float) -> Floats:
    """The largest Z - x with Lomax noise, P[Z > t] = (1 + t / nu)^-nu: P_r = P[Z_r - x_r is the largest].

    The largest value t is not negative, since x is 0 for the best. With y = 1 / (1 + t / nu) and z = y^nu, P_r is the
    integral over y in [0, 1] of nu y^(nu - 1) (1 + y x_r / nu)^(-nu - 1) prod over s != r of
    (1 - z (1 + y x_s / nu)^-nu), whose factors are singular only at y = -nu / x_s: panels halve towards 0.
    """
    halvings = int(np.ceil(np.log2(1 + x.max()) + np.log2(sizes.sum()) / nu)) + 60
    y, weights = _panels(np.array([0.0, *(2.0**-j for j in range(halvings, -1, -1))]))
    log_product = np.log(weights * nu) + (nu - 1) * np.log(y)
    for part in _blocks(len(x), len(y)):
        log_product += sizes[part] @ np.log1p(-((y / (1 + y * x[part, None] / nu)) ** nu))
    out = np.empty(len(x))
    for part in _blocks(len(x), len(y)):
        log_reach = np.log1p(y * x[part, None] / nu)
        terms = log_product - (nu + 1) * log_reach - np.log1p(-np.exp(nu * (np.log(y) - log_reach)))
        best = terms.max(axis=1, keepdims=True)
        out[part] = best[:, 0] + np.log(np.exp(terms - best).sum(axis=1))
    return out


def picks_in_turn(pick: Law, x: Floats, k: int, deepest: float) -> Floats:
    """K picks in a row without replacement: ln P of every ordered k-tuple, in the order of permutations.

    ``pick`` is the law of one of them. In each pick exponents end at ``deepest`` below the best that is left.
    """

    def below(left: tuple[int, ...], log_p: float, picks: int) -> Iterator[float]:
        if picks == 0:
            yield log_p
            return
        behind = np.minimum(x[list(left)] - min(x[place] for place in left), deepest)
        for place, log_pick in zip(left, pick(behind, np.ones(len(left))).tolist(), strict=True):
            rest = tuple(other for other in left if other != place)
            yield from below(rest, log_p + log_pick, picks - 1)

    return np.fromiter(below(tuple(range(len(x))), 0.0, k), dtype=np.float64)


def ordered_exponential(x: Floats, k: int) -> Floats:
    """The k largest of Z - x, in order, with standard exponential noise Z: ln P of every ordered k-tuple."""
    return np.array([_log_ordered(x, chosen) for chosen in permutations(range(len(x)), k)])


def _log_ordered(x: Floats, chosen: tuple[int, ...]) -> float:
    """Ln P that the chosen ones are the largest, in this order.

    w_i = exp(x_i - Z_i) is uniform on (0, exp(x_i)), so this is the chance that w_(r_1) < ... < w_(r_k) < all others:
    the integral over z of p_(r_k) V(z) prod over the others of (1 - p_s z), where V(z) is the chance that the first
    k - 1 are in order below z. V is a piecewise polynomial with kinks at the exp(x_i); on each panel it is integrated
    from node to node. w is measured in units of exp(x) of the best one not chosen, and factors below 1 are taken out as
    logarithms, so that nothing over- or underflows.
    """
    others = np.delete(x, chosen)
    unit = others.min() if others.size else x[chosen[-1]]
    gaps = x[list(chosen)] - unit
    if gaps.min() < -DEEPEST_ORDERED:
        raise ParameterError(
            f"the law of top-k is computed for exponents within {DEEPEST_ORDERED:g} of each other only"
        )
    caps, top = np.exp(np.minimum(gaps, 1.0)), float(np.exp(min(gaps[-1], 0.0)))
    halvings = int(np.ceil(max(0.0, -gaps.min()) / np.log(2))) + 10
    z, weights = _panels(np.unique(np.concatenate([[0.0, top], 2.0 ** -np.arange(halvings) * top, caps[caps < top]])))
    volume = np.ones(len(z))
    for place, (gap, cap) in enumerate(zip(gaps, caps, strict=True)):
        density = volume * (z <= cap) * (1 / cap if gap < 0 else 1.0)
        volume = _running_integral(density, weights) if place + 1 < len(chosen) else density
    product = np.prod(1 - np.exp(unit - others)[:, None] * z, axis=0) if others.size else 1.0
    return float(np.log((weights * volume * product).sum()) - gaps[gaps >= 0].sum())


def _running_integral(values: Floats, weights: Floats) -> Floats:
    """The integral from 0 to each node: whole panels before it, and its own panel by interpolation."""
    panels = values.reshape(-1, NODES)
    whole_panels = (panels * weights.reshape(-1, NODES)).sum(axis=1)
    before = np.concatenate([[0.0], np.cumsum(whole_panels)[:-1]])
    half_widths = weights.reshape(-1, NODES).sum(axis=1) / 2
    inside = (panels @ _node_to_node().T) * half_widths[:, None]
    return np.asarray((before[:, None] + inside).ravel())


@cache
def _node_to_node() -> Floats:
    """Integrals over [-1, node] of the Lagrange polynomials of the nodes, by Legendre expansion."""
    nodes, weights = _gauss()
    degrees = np.arange(NODES)
    basis = np.polynomial.legendre.legvander(nodes, NODES)
    coefficients = (basis[:, :NODES] * weights[:, None]).T * (degrees + 0.5)[:, None]
    integrals = np.empty((NODES, NODES))
    integrals[:, 0] = nodes + 1
    integrals[:, 1:] = (basis[:, 2:] - basis[:, : NODES - 1])[:, : NODES - 1] / (2 * degrees[1:] + 1)
    return np.asarray(integrals @ coefficients)


def _laplace_panels(x: Floats, sizes: Floats) -> Floats:
    """Panel ends from where nothing is left, or from the last kink, up to 0.

    A factor F(t + x_s) with t > -x_s is singular at distance ln 2 left of its kink, so panels grow with the distance
    from the next kink on their left: 1/2, 1/2, 1, 2, 4, 8, 8, ... What lies left of t has a share of at most
    2 (1 + x_r) exp(-t) G(t) / G(0) in any P_r, and exp(-t) G(t) does not decrease in t.
    """
    deepest = float(x.max())
    cut, least = 0.5, _log_laplace_product(0.0, x, sizes) - NEGLIGIBLE
    while cut < deepest and _log_laplace_product(-cut, x, sizes) + cut > least:
        cut *= 2
    kinks = np.unique(np.concatenate([-x[x < cut], [-min(cut, deepest), 0.0]]))
    ends = [kinks[:1]]
    for low, high in pairwise(kinks):
        inner = low + GROWING_STEPS[high - low > GROWING_STEPS]
        ends += [inner[1:], np.array([high])]
    return np.concatenate(ends)


def _log_laplace_product(t: float, x: Floats, sizes: Floats) -> float:
    return float(sizes @ _log_laplace_cdf(t + x))


def _leave_one_out(x: Floats, sizes: Floats, share: float) -> Floats:
    """For each r the integral over [0, 1] of prod over s != r of (1 - share * exp(-x_s) z)."""
    mass = share * float(np.sum(sizes * np.exp(-x)))
    halvings = max(0, int(np.ceil(np.log2(max(mass, 1.0)))))
    z, weights = _panels(np.array([0.0, *(2.0**-j for j in range(halvings, -1, -1))]))
    p = share * np.exp(-x)
    log_product = np.zeros(len(z))
    for part in _blocks(len(x), len(z)):
        log_product += sizes[part] @ np.log1p(-p[part, None] * z)
    scaled = weights * np.exp(log_product)
    out = np.empty(len(x))
    for part in _blocks(len(x), len(z)):
        out[part] = (1 / (1 - p[part, None] * z)) @ scaled
    return out


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


def ordered_laplace(x: Floats, k: int) -> Floats:
    """Ln P of every ordered k-tuple of the largest Z - x with standard Laplace noise Z, as ``permutations`` lists them.

    With f and F the density and the distribution of Z, and G_0(t) the product of F(t + x_s) over those not chosen, let
    G_j(t) be the integral of f(z + x_r) G_{j-1}(z) over z < t, where r is the j-th chosen from below. P = G_k(inf).
    """
    values = -np.asarray(x, dtype=np.float64)
    t, weights, log_slope = _nodes(values)
    offsets = t - values[:, None]
    log_below = _log_laplace_cdf(offsets)
    log_density = log_slope - np.abs(offsets) - np.log(2)
    orders = np.array(list(permutations(range(len(values)), k)), dtype=np.int64)
    out = np.empty(len(orders))
    for part in _blocks(len(orders), len(t)):
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
    panels = log_values.reshape(len(log_values), -1, NODES)
    by_panel = weights.reshape(-1, NODES)
    top = panels.max(axis=2)
    scaled = np.exp(panels - top[:, :, None])
    before = np.full(top.shape, -np.inf)
    before[:, 1:] = np.logaddexp.accumulate(np.log((scaled * by_panel).sum(axis=2)) + top, axis=1)[:, :-1]
    unit = np.maximum(top, before)
    inside = (scaled @ _node_to_node().T) * (np.exp(top - unit) * by_panel.sum(axis=1) / 2)[:, :, None]
    with np.errstate(divide="ignore"):
        running = np.log(np.maximum(inside + np.exp(before - unit)[:, :, None], 0.0)) + unit[:, :, None]
    return np.asarray(running.reshape(log_values.shape))


def _nodes(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Nodes t in increasing order, their weights in the variable of the panel, and ln of dt by that variable.

    The variable is t itself between two scores, s = exp(t - lowest) left of them and 1 - exp(highest - t) on the right.
    """
    kinks, wide = np.unique(values), max(0.25, min(WIDEST, 16 / len(values)))
    inner = [np.linspace(low, high, 1 + int(np.ceil((high - low) / wide)))[:-1] for low, high in pairwise(kinks)]
    t, weights = _panels(np.concatenate([*inner, kinks[-1:]]))
    s, tail_weights = _panels(_tail_ends(len(values), wide))
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


def sets_in_turn(x: Floats, picks: int) -> Floats:
    """P of every subset, by its number (bit i of it is 1 where i was picked); a pick weighs exp(-x).

    A set grows by one pick at a time: P(S) is the sum over its members d of P(S without d) times the weight of d over
    the weights of all that are not yet picked. O(n 2^n), where listing orders would take n! / (n - k)!.
    """
    weights = np.exp(-x)
    chance = np.zeros(2 ** len(x))
    chance[0] = 1.0
    for number in range(len(chance)):
        if number.bit_count() < picks:
            left = [i for i in range(len(x)) if not number >> i & 1]
            total = weights[left].sum()
            for i in left:
                chance[number | 1 << i] += chance[number] * weights[i] / total
            chance[number] = 0.0
    return chance
