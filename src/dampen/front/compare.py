"""Which mechanism? Exact errors of all that fit a question, on public data that are like the private ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, takewhile
from math import inf, isfinite
from typing import Any

from dampen._validate import Number, brief, plain, positive, render
from dampen.accuracy.comparing import Errors, crossing
from dampen.accuracy.stand_ins import StandIn
from dampen.errors import DampenError, ParameterError
from dampen.front.contests import BY_YES_OR_NO, compared_of
from dampen.front.pages import Curve, Picture, figure
from dampen.privacy import Adjacency
from dampen.problem import CountsProblem, NumericProblem, SelectionProblem
from dampen.writing import as_json, html_element, html_page, html_table, round_up

EPSILONS: tuple[Number, ...] = ("0.1", "0.2", "0.5", 1, 2, 5, 10)
TAKES_LONG = "the law takes long on so many different values or lists, or it cannot be had at these epsilons"
CLOSE, NEGLIGIBLE = 0.02, 1e-9
"""Means that differ by a smaller share, or by less of the largest of all, are as good: nobody need change for them."""
LEAST_DRAWN = 1e-6
"""Of the largest mean error: what is smaller is left out of a picture, where it would press all else together."""
USUAL = ("PermuteAndFlip", "Laplace", "LaplaceCounts")
"""What questions are answered with where nobody names a mechanism: among equals they are taken."""


@dataclass(frozen=True)
class Contender:
    """A mechanism, by its name and that of its way, and its errors at each price; ``None`` where it cannot be had."""

    name: str
    errors: tuple[Errors | None, ...]


@dataclass(frozen=True)
class Comparison:
    """Exact errors of every mechanism that fits. ``crossings``: from which epsilon on which one is to be taken.

    ``left_out``: mechanisms of the same kind that do not fit, and why.
    """

    question: str
    epsilons: tuple[Fraction, ...]
    contenders: tuple[Contender, ...]
    crossings: tuple[tuple[Fraction, str], ...]
    left_out: Mapping[str, str]
    unit: str = ""

    def best(self, epsilon: Number) -> str:
        """The one to take at an epsilon that was compared: its mean error is the least, to within 2 %."""
        price = positive(epsilon=epsilon)
        if price not in self.epsilons:
            raise ParameterError(f"epsilon must be one that was compared; got {render(epsilon)}")
        return _choose(self.contenders, len(self.epsilons))[self.epsilons.index(price)]

    @property
    def sentence(self) -> str:
        """Which one to take."""
        (_, first), *others = self.crossings
        told = [f"Take {first}" + (f" below epsilon {brief(others[0][0])}" if others else " at all of these epsilons")]
        told += [f"{name} from there on" if not later else f"{name} from epsilon {brief(start)} on"
                 for later, (start, name) in enumerate(others)]  # fmt: skip
        return f"{', '.join(told)}: its mean error is the least, to within 2 %."

    def rows(self) -> list[tuple[str, ...]]:
        """A line for each mechanism: at each epsilon its mean error and, in brackets, the one that 5 % exceed."""
        first = ("mechanism", *(f"epsilon {brief(price)}" for price in self.epsilons))
        return [first, *((each.name, *map(_cell, each.errors)) for each in self.contenders)]

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        listed = [
            {"mechanism": each.name, "epsilon": plain(price), "mean": as_json(found.mean), "rare": as_json(found.rare)}
            for each in self.contenders
            for price, found in zip(self.epsilons, each.errors, strict=True)
            if found is not None
        ]
        best = [{"from": plain(start), "mechanism": name} for start, name in self.crossings]
        told = {"question": self.question, "unit": self.unit, "errors": listed, "best": best}
        return told | {"sentence": self.sentence, "left_out": dict(self.left_out)}

    def __str__(self) -> str:
        rows = self.rows()
        wide = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, wide, strict=True)).rstrip() for row in rows]
        unit = f" in {self.unit}" if self.unit else ""
        return "\n".join([f"{self.question}: mean error{unit} (exceeded by 5 %)", *lines, self.sentence])

    def _repr_html_(self) -> str:
        return html_table(self.rows()) + html_element("p", self.sentence)

    def as_html(self) -> str:
        """A whole page that opens without a network: the table, a picture, and who was left out."""
        largest = max(found.mean for each in self.contenders for found in each.errors if found is not None)
        curves = [
            Curve(
                each.name,
                [
                    (float(price), found.mean)
                    for price, found in zip(self.epsilons, each.errors, strict=True)
                    if found is not None and found.mean >= largest * LEAST_DRAWN
                ],
            )
            for each in self.contenders
        ]
        picture = Picture(
            f"Mean error of {self.question}",
            "epsilon",
            f"mean error in {self.unit or 'the unit of the answer'}",
            f"Exact mean errors on the public data, for every mechanism that fits. {self.sentence}",
            curves,
        )
        gone = html_table([("left out", "why"), *self.left_out.items()])
        return html_page(f"Which mechanism for {self.question}", [self._repr_html_(), figure(picture), gone])


def compare(
    data: StandIn | SelectionProblem | NumericProblem | CountsProblem,
    question: str | None = None,
    *,
    epsilons: Sequence[Number] = EPSILONS,
    delta: Number | None = None,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    **public: Any,
) -> Comparison:
    """The exact errors of every mechanism that fits a question, on public data, and which one to take.

    Parameters
    ----------
    data
        A :class:`dampen.StandIn` of public values, or a problem; both marked by ``as_public()``.
    question
        Of values: ``"median"``, ``"percentile"``, ``"most_common"``, ``"top_categories"``, ``"count"``, ``"sum"``,
        ``"mean"``, ``"variance"`` or ``"histogram"``, with its own arguments beside it: ``p=90, bounds=(0, 10_000)``.
        Of a public graph ``"count_subgraphs"``, ``pattern="triangle"``.
    epsilons
        The prices at which errors are told.
    delta
        For mechanisms that need one; without it they are left out. Gaussian noise, which is priced by rho, has the
        largest rho that promises epsilon and delta.

    >>> import dampen
    >>> pay = dampen.StandIn([1200, 2500, 2500, 3100] * 50).as_public()
    >>> compare(pay, "median", bounds=(0, 10_000), step=100, epsilons=(1,)).best(1)
    'distance: PermuteAndFlip'
    """
    prices = _as_prices(epsilons)
    compared = compared_of(data, question, adjacency, public)
    found: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for way, contest in compared.contests.items():
        fitting, refused = compared.find(way, delta)
        start = f"{way}: " if way else ""
        left_out |= {f"{start}{name}": why for name, why in refused.items()}
        known = {name.rpartition(": ")[2] for name in found} if way == BY_YES_OR_NO else ()
        for name, make in fitting.items():
            if name in known:
                continue
            found[f"{start}{name}"] = cache(lambda price, make=make, contest=contest: _measured(contest, make, price))
    if not found:
        raise ParameterError("no mechanism fits this question: see docs/choose_a_mechanism.md")
    contenders = tuple(Contender(name, tuple(map(measure, prices))) for name, measure in found.items())
    left_out |= {each.name: TAKES_LONG for each in contenders if not any(each.errors)}
    contenders = tuple(each for each in contenders if any(each.errors))
    for place, price in enumerate(prices):
        if not any(each.errors[place] for each in contenders):
            raise ParameterError(f"nothing can be compared at epsilon {brief(price)}: of all that fit, {TAKES_LONG}")
    told = question or type(data).__name__
    return Comparison(told, prices, contenders, _crossings(contenders, found, prices), left_out, compared.unit)


def _measured(contest: Any, make: Any, price: Fraction) -> Errors | None:
    try:
        found: Errors = contest.measure(make(price))
    except DampenError:  # it cannot be had at this price
        return None
    return found


def _as_prices(epsilons: Any) -> tuple[Fraction, ...]:
    listed = [epsilons] if isinstance(epsilons, str | int | float | Fraction) else list(epsilons)
    prices = tuple(sorted({positive(epsilons=each) for each in listed}))
    if not prices:
        raise ParameterError("epsilons must not be empty")
    return prices


def _good(contenders: Sequence[Contender], place: int) -> dict[str, float]:
    """Those whose mean error is the least to within a share, and their errors, the least first."""
    known = {each.name: found.mean for each in contenders if (found := each.errors[place]) is not None}
    finite = [mean for mean in known.values() if isfinite(mean)]
    most = min(known.values()) * (1 + CLOSE) + max(finite, default=0.0) * NEGLIGIBLE
    return {name: known[name] for name in sorted(known, key=lambda name: known[name]) if known[name] <= most}


def _choose(contenders: Sequence[Contender], count: int) -> list[str]:
    """A good one for each price: the former as long as it is, else the one that stays good for longest."""
    good = [_good(contenders, place) for place in range(count)]
    chosen: list[str] = []
    for place, names in enumerate(good):
        if chosen and chosen[-1] in names:
            chosen.append(chosen[-1])
            continue
        stays = {name: (_length_of_stay(name, good[place:]), name.endswith(USUAL)) for name in names}
        chosen.append(max(names, key=stays.__getitem__))
    return chosen


def _length_of_stay(name: str, good: Sequence[Mapping[str, float]]) -> int:
    """For how many prices in a row one is good."""
    return len(list(takewhile(lambda names: name in names, good)))


def _crossings(
    contenders: Sequence[Contender], measures: Mapping[str, Any], prices: Sequence[Fraction]
) -> tuple[tuple[Fraction, str], ...]:
    """From which price on which mechanism is to be taken, told to two digits."""
    best = _choose(contenders, len(prices))
    found = [(prices[0], best[0])]

    def mean_of(name: str) -> Callable[[Fraction], float]:
        def mean(price: Fraction) -> float:
            known: Errors | None = measures[name](price)
            return inf if known is None else known.mean

        return mean

    for place, (former, later) in enumerate(pairwise(best)):
        if former != later:
            at = crossing(mean_of(former), mean_of(later), (prices[place], prices[place + 1]))
            found.append((Fraction(f"{at:.2g}"), later))
    return tuple(found)


def _cell(errors: Errors | None) -> str:
    if errors is None:
        return "-"
    mean, rare = (round_up(float(f"{each:.3g}")) if isfinite(each) else "infinite" for each in errors)
    return f"{mean} ({rare})"
