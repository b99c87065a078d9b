"""How the papers choose the attribute at a node: the laws of every curve of their figures, for a level at once.

All are simulated in floats with a seed, and none may serve a release. What is private and what is not:

- :func:`noisy_counts` (SuLQ) and :func:`local_dampening` are epsilon'-private.
- :func:`exponential`, :func:`permute_and_flip` and :func:`shifted_dampening` read the size of the node, which is
  private (``experiments.refuted.InformationGainWithPrivateSize``).
- :func:`smooth_noisy_max` and :func:`smooth_noisy_max_of_the_whole` are not private
  (``experiments.refuted.SmoothNoisyMaxStudent`` and others, ``SplitBySensitivityOfTheWhole``).
"""

from math import exp, log, sqrt

import numpy as np

from dampen.vectors import Floats, Integers
from experiments.coded_tables import Coded
from experiments.diff_pid3 import Choice, Level, level_counts

FLOOR = 2.0**-16
"""No rung is below this."""
AT_ONCE = 2**21
"""So many rungs are computed at a time."""
SIGMA = 1.151
"""Of the Laplace log-normal noise: alpha is positive only where it is above 1."""


def entropy_of(x: Floats | Integers) -> Floats:
    """F(x) = x log2 x, and 0 for what is not positive."""
    safe = np.where(x > 0, x, 1.0)
    return np.asarray(np.where(x > 0, safe * np.log2(safe), 0.0))


def gains(level: Level, counts: Floats | Integers) -> Floats:
    """For each node and attribute the sum of F(tau_jc) less F(tau_j): records times information, up to a constant."""
    return level.per_attribute(entropy_of(counts).sum(axis=2) - entropy_of(counts.sum(axis=2)))


def sizes_bound(level: Level) -> Floats:
    """log2(N + 1) + 1 / ln 2, N the private number of records of the node."""
    return np.asarray(np.log2(level.sizes + 1) + 1 / log(2))[:, None]


def exponential(level: Level, share: float, rng: np.random.Generator) -> Integers:
    """GlobalDiffPID3: P proportional to exp(epsilon' u / (2 Delta))."""
    scores = share * gains(level, level.counts) / (2 * sizes_bound(level))
    return level.best(scores + rng.gumbel(size=scores.shape))


def permute_and_flip(level: Level, share: float, rng: np.random.Generator) -> Integers:
    """The same scores with exponential noise, which is the law of permute-and-flip."""
    scores = share * gains(level, level.counts) / (2 * sizes_bound(level))
    return level.best(scores + rng.exponential(size=scores.shape))


def local_dampening(level: Level, share: float, rng: np.random.Generator) -> Integers:
    """LocalDiffPID3: P proportional to exp(epsilon' D / 2), D the dampened gain."""
    scores = share * dampened_gains(level) / 2
    return level.best(scores + rng.gumbel(size=scores.shape))


def shifted_dampening(level: Level, share: float, rng: np.random.Generator) -> Integers:
    """ShiftedLocalDiffPID3: dampening in the limit of a large shift, P proportional to exp(epsilon' score / (2 G))."""
    bound = sizes_bound(level)
    scores = share * (gains(level, level.counts) + missing_rungs(level)) / (2 * bound)
    return level.best(scores + rng.gumbel(size=scores.shape))


def noisy_counts(level: Level, share: float, rng: np.random.Generator) -> Integers:
    """SuLQ: the joint counts of each free attribute are bought for an equal part of epsilon', and the best gain wins.

    The cells of one attribute are disjoint, so a table costs what a cell costs. Negative counts are 0.
    """
    asked = level.free.sum(axis=1)[:, None, None]
    noisy = level.counts + rng.laplace(size=level.counts.shape) * (asked / share)
    return level.best(gains(level, np.maximum(noisy, 0.0)))


def _rung_parts(level: Level) -> tuple[Integers, Integers]:
    """(p, e) of every value of every node: see ``dampen.queries.splits.attribute.InformationGainRungs``."""
    totals, rarest = level.counts.sum(axis=2), level.counts.min(axis=2)
    some = rarest > 0
    return np.where(some, totals - 1, totals), np.where(some, rarest - 1, 0)


def _increments(count: int) -> Floats:
    """f(x) = F(x + 1) - F(x) for x = 0, 1, ..."""
    return np.diff(entropy_of(np.arange(count + 1)))


def _rungs(p: Integers, e: Integers, starts: Integers, t: Integers, f: Floats) -> Floats:
    """Rungs t of groups of values: the largest f(p - t) - f(e - t), or f(p - 2 e + t) from t = e on."""
    early = t < e[:, None]
    reach = f[np.where(early, p[:, None] - t, (p - 2 * e)[:, None] + t)]
    reach -= f[np.where(early, e[:, None] - t, 0)]
    return np.asarray(np.maximum.reduceat(reach, starts, axis=0))


def dampened_gains(level: Level) -> Floats:
    """For each node and attribute the dampened gain, by walking up the rungs until their sum passes the gain."""
    u = -gains(level, level.counts)
    scores = np.zeros(u.size)
    left = np.where(level.free & (u > 1e-9), u, 0.0).ravel()
    p, e = (part.ravel() for part in _rung_parts(level))
    groups = np.repeat(np.arange(u.size), np.tile(level.layout.sizes, len(u)))
    f = _increments(4 * int(level.sizes.max(initial=0)) + 4 * AT_ONCE // 2**8)
    t, block = 0, 4
    while (active := left > 0).any():
        kept = active[groups]
        rows, starts = np.unique(groups[kept], return_index=True)
        block = max(1, min(2 * block, AT_ONCE // int(kept.sum()), 2**12))
        rungs = np.maximum(_rungs(p[kept], e[kept], starts, np.arange(t, t + block), f), FLOOR)
        sums = np.cumsum(rungs, axis=1)
        passed = (sums < left[rows, None]).sum(axis=1)
        ends = passed < block
        last = np.minimum(passed, block - 1)
        before = np.where(passed > 0, sums[np.arange(len(rows)), np.maximum(passed, 1) - 1], 0.0)
        part = (left[rows] - before) / rungs[np.arange(len(rows)), last]
        scores[rows] = np.where(ends, t + passed + part, 0.0)
        left[rows] = np.where(ends, 0.0, left[rows] - sums[:, -1])
        t += block
    return -scores.reshape(u.shape)


def missing_rungs(level: Level) -> Floats:
    """For each node and attribute the sum over all t of min(rung t, G) - G: how far the rungs stay below the bound G.

    Up to the last rarest class rungs are walked; from there on they are f(w + t), whose sums telescope.
    """
    p, e = _rung_parts(level)
    starts, bound = level.layout.starts[:-1], sizes_bound(level)
    wide = np.maximum.reduceat(p - 2 * e, starts, axis=1)
    until = np.maximum.reduceat(e, starts, axis=1)
    full = level.sizes[:, None] + 1 - wide
    until = np.minimum(until, full)
    tail = entropy_of(wide + full) - entropy_of(wide + until) - (full - until) * bound
    return tail + _walked(level, p, e, until, bound)


def _walked(level: Level, p: Integers, e: Integers, until: Integers, bound: Floats) -> Floats:
    """The sum over t < until of min(rung t, G) - G."""
    flat, caps = until.ravel(), np.broadcast_to(bound, until.shape).ravel()
    total = np.zeros(flat.size)
    groups = np.repeat(np.arange(flat.size), np.tile(level.layout.sizes, len(until)))
    f = _increments(4 * int(level.sizes.max(initial=0)) + 2**13)
    t, block = 0, 4
    while (active := (flat > t) & level.free.ravel()).any():
        kept = active[groups]
        rows, starts = np.unique(groups[kept], return_index=True)
        block = max(1, min(2 * block, AT_ONCE // int(kept.sum()), 2**12))
        steps = np.arange(t, t + block)
        rungs = np.minimum(_rungs(p.ravel()[kept], e.ravel()[kept], starts, steps, f), caps[rows, None])
        total[rows] += np.where(steps < flat[rows, None], rungs - caps[rows, None], 0.0).sum(axis=1)
        t += block
    return total.reshape(until.shape)


def max_operators(level: Level) -> Integers:
    """For each node and attribute how many records a majority vote at its children gets right; -1 where not free."""
    right = level.per_attribute(level.counts.max(axis=2)).astype(np.int64)
    return np.where(level.free, right, -1)


def whole_lead(table: Coded) -> int:
    """By how much the best attribute leads the second in the whole table, test records included."""
    counts = level_counts(table.codes, table.labels, np.zeros(table.rows, dtype=np.int64), table.layout, 1)
    free = np.ones((1, table.codes.shape[1]), dtype=bool)
    second, first = np.sort(max_operators(Level(counts, free, table.layout))[0])[-2:]
    return int(first - second)


def smooth_noisy_max(noise: str) -> Choice:
    """As printed: the 0/1 utility of the best max operator at the node, and noise 2 S / alpha, S = exp(-k epsilon').

    k is by how much the best leads the second at the node.
    """

    def choice(level: Level, share: float, rng: np.random.Generator) -> Integers:
        ordered = np.sort(max_operators(level), axis=1)
        leads = ordered[:, -1] - ordered[:, -2] if ordered.shape[1] > 1 else ordered[:, -1]
        return _noisy_winner(level, np.exp(-leads * share) / alpha_of(noise, share), noise, rng)

    return choice


def smooth_noisy_max_of_the_whole(lead: int, epsilon: float) -> Choice:
    """As the thesis's experiments have it, for Student's t: one S = exp(-k beta) for all nodes.

    k is the lead in the whole data set and beta = epsilon / 8 that of the whole tree, while alpha is made for epsilon'
    and the same beta, which makes it negative; its size counts.
    """
    beta = epsilon / 8

    def choice(level: Level, share: float, rng: np.random.Generator) -> Integers:
        alpha = abs(share - 4 * beta) * sqrt(3) / 2
        spread = max(exp(-lead * beta), 1e-9) / alpha
        return _noisy_winner(level, np.full(len(level.counts), spread), "student", rng)

    return choice


def _noisy_winner(level: Level, spread: Floats, noise: str, rng: np.random.Generator) -> Integers:
    """The best of 1 for the first best max operator and 0 for the others, with noise of twice the spread."""
    scores = max_operators(level)
    utilities = np.zeros(scores.shape)
    utilities[np.arange(len(scores)), scores.argmax(axis=1)] = 1
    return level.best(utilities + 2 * spread[:, None] * noise_of(noise, scores.shape, rng))


def alpha_of(noise: str, epsilon: float) -> float:
    """As printed: Student's does not contain epsilon, and Laplace log-normal's is that for beta = epsilon."""
    return {
        "student": sqrt(3) / 2,
        "laplace": epsilon / 2,
        "log_normal": exp(-1.5 * SIGMA**2) * (epsilon - epsilon / SIGMA),
    }[noise]


def noise_of(noise: str, shape: tuple[int, ...], rng: np.random.Generator, sigma: float = SIGMA) -> Floats:
    """Independent draws of the noise."""
    if noise == "student":
        return np.asarray(rng.standard_t(3, size=shape))
    drawn = rng.laplace(size=shape)
    return drawn if noise == "laplace" else np.asarray(drawn * np.exp(sigma * rng.normal(size=shape)))
