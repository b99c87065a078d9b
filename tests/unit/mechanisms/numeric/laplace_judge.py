"""The law of ordered top-k with Laplace noise in closed form: 90 digits, piece by piece, sharing nothing with it."""

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal, localcontext
from itertools import permutations

Terms = dict[tuple[int, int], Decimal]
"""A sum of c t^j exp(m t), keyed by (m, j)."""
HALF = Decimal("0.5")


def ordered_chances(exponents: list[str], k: int) -> list[Decimal]:
    """P of every ordered k-tuple of the largest Z - x, as ``permutations`` lists them."""
    with localcontext() as context:
        context.prec = 90
        values = [-Decimal(x) for x in exponents]
        return [_chance(values, chosen) for chosen in permutations(range(len(values)), k)]


def _chance(values: list[Decimal], chosen: tuple[int, ...]) -> Decimal:
    ends = sorted(set(values))
    starts = [None, *ends]
    pieces: list[Terms] = [{(0, 0): Decimal(1)} for _ in starts]
    for place, value in enumerate(values):
        if place not in chosen:
            pieces = _times(pieces, starts, value, _distribution)
    total = Decimal(0)
    for place in reversed(chosen):
        whole = [_integral(piece) for piece in _times(pieces, starts, values[place], _density)]
        total, pieces = Decimal(0), []
        for terms, low, high in zip(whole, starts, [*ends, None], strict=True):
            from_start = total - (Decimal(0) if low is None else _at(terms, low))
            pieces.append(_plus(terms, from_start))
            total = from_start + (Decimal(0) if high is None else _at(terms, high))
    return total


def _density(value: Decimal, right: bool) -> Terms:
    return {(-1, 0): HALF * value.exp()} if right else {(1, 0): HALF * (-value).exp()}


def _distribution(value: Decimal, right: bool) -> Terms:
    return {(0, 0): Decimal(1), (-1, 0): -HALF * value.exp()} if right else {(1, 0): HALF * (-value).exp()}


def _times(
    pieces: list[Terms], starts: list[Decimal | None], value: Decimal, factor: Callable[[Decimal, bool], Terms]
) -> list[Terms]:
    out = []
    for piece, start in zip(pieces, starts, strict=True):
        product: Terms = defaultdict(Decimal)
        for (m, j), c in piece.items():
            for (more, _), d in factor(value, start is not None and start >= value).items():
                product[m + more, j] += c * d
        out.append(product)
    return out


def _integral(terms: Terms) -> Terms:
    """t^j exp(m t) / m less j / m times the integral of t^(j-1) exp(m t); t^(j+1) / (j + 1) where m = 0."""
    out: Terms = defaultdict(Decimal)
    for (m, j), c in terms.items():
        if m == 0:
            out[0, j + 1] += c / (j + 1)
            continue
        for power in range(j, -1, -1):
            c = c / m
            out[m, power] += c
            c = -c * power
    return out


def _plus(terms: Terms, constant: Decimal) -> Terms:
    return {**terms, (0, 0): terms.get((0, 0), Decimal(0)) + constant}


def _at(terms: Terms, t: Decimal) -> Decimal:
    return sum((c * t**j * (m * t).exp() if j else c * (m * t).exp() for (m, j), c in terms.items()), Decimal(0))
