"""Does a draw follow its law? An audit of laws says nothing of a release that draws from another one.

*Bit by bit*: the draw is driven through every path of up to ``depth`` random bits. What it has decided of an outcome
may not exceed what the law gives it. So every event is found, for sure, whose chance is off by more than the share of
paths that is still undecided; where no path is longer, nothing is left undecided and the two laws must be equal.

*By a sample*: where more than ``OPEN`` is undecided, because draws take long words or may take any number of them, real
entropy drives as many draws as a chi-square test needs (``dampen.audit.cells``).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations, product
from math import log, prod
from typing import Any

import numpy as np

from dampen import entropy
from dampen._validate import render, whole
from dampen.audit import cells
from dampen.audit.arguments import require_kind
from dampen.audit.law_checks import TOLERANCE, selection_law
from dampen.audit.numeric import LITTLE, NumericLaw
from dampen.audit.scripted import law_by_enumeration
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms import NumericMechanism, SelectionMechanism
from dampen.mechanisms.caps.base import CapMechanism
from dampen.mechanisms.caps.limit_race import LimitRace
from dampen.mechanisms.counts.base import CountsMechanism
from dampen.mechanisms.counts.truncated_geometric_counts import TruncatedGeometricCounts
from dampen.mechanisms.numeric.base import answer_at
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.problem import (
    CapProblem,
    CountsProblem,
    NumericProblem,
    SelectionProblem,
    SignedCapProblem,
    UnknownGroupsProblem,
    count_candidates,
)
from dampen.vectors import Floats

Audited = SelectionMechanism | NumericMechanism | CountsMechanism | CapMechanism | LimitRace | TruncatedGeometricCounts
OPEN = Fraction(1, 16)
"""A walk that leaves no more undecided is enough: it finds what a sample would, a law 30 % wrong among them."""
DEPTH = 12
RADII = tuple(1 << power for power in range(1, 12))
"""How far from the counts answers are told apart."""
LARGEST_BOX = 10**6
NOWHERE = -1
"""The place of an outcome that is not in the law."""


@dataclass(frozen=True)
class DrawReport:
    """What a draw does, next to its law.

    ``undecided``: the share of bit paths that were longer than the walk. ``draws``: how many were sampled, 0 where the
    walk was enough; ``p_value`` is that of the sample. ``power``: how often, at least, such an audit finds an event of
    probability 1/4 or more whose chance is 30 % off. ``worst_outcome`` is where draw and law are furthest apart: so
    often it was ``drawn``, so often it was ``claimed``.
    """

    mechanism: str
    undecided: Fraction
    draws: int
    p_value: float | None
    power: float
    worst_outcome: Any
    drawn: float
    claimed: float
    breaches: tuple[str, ...]
    """How the draw was found not to follow its law: ``"paths"`` or ``"sample"``."""

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the draw."""
        return not self.breaches

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        rows = [
            ("mechanism", self.mechanism),
            ("draw", "follows its law" if self.passed else f"DOES NOT FOLLOW ITS LAW: {', '.join(self.breaches)}"),
            ("undecided paths", f"{float(self.undecided):.6g}"),
            ("draws", f"{self.draws:,}"),
            ("p-value", "none" if self.p_value is None else f"{self.p_value:.3g}  (refused below {cells.ALPHA:g})"),
            ("power", f"{self.power:g}  (of an event of 1/4 or more that is 30 % off)"),
            ("worst outcome", f"{self.worst_outcome}"),
            ("drawn", f"{self.drawn:.6g}  (claimed {self.claimed:.6g})"),
        ]
        return "\n".join(f"{name:<20} {value}" for name, value in rows)


def audit_draw(
    mechanism: Audited,
    problem: SelectionProblem | NumericProblem | CountsProblem | CapProblem | SignedCapProblem | UnknownGroupsProblem,
    *,
    depth: int = DEPTH,
    draws: int | None = None,
) -> DrawReport:
    """Compare what a mechanism draws with the law it states, on one public problem.

    Driven is what ``release`` calls, ``draw``: indices of candidates, or a number in grid steps, not yet clamped. First
    through all paths of up to ``depth`` bits, at most twice 2^depth draws. Where
    these leave more than 1/16 undecided, then by a sample of ``draws``, as many as needed where none are given, at a
    level of 1e-6: an event (of the cells that outcomes are gathered into) of probability 1/4 or more that is drawn 30 %
    too often or too rarely is found with a probability of at least 0.999. Rare outcomes are not tested one by one; only
    an impossible one gives the draw away at once. The law is checked first, as by ``audit_selection`` and
    ``audit_numeric``.

    >>> from dampen import Adjacency, Frame, SelectionProblem
    >>> from dampen.mechanisms import PermuteAndFlip
    >>> frame = Frame(("a", "b"), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = SelectionProblem(frame, [3, 2]).as_public()
    >>> report = audit_draw(PermuteAndFlip(1), problem)
    >>> report.passed, report.draws, report.power
    (True, 2450, 0.999)
    >>> class Hurried(PermuteAndFlip):
    ...     def _pick(self, problem, source):
    ...         return source.bits(1), 0
    >>> report = audit_draw(Hurried(1), problem)
    >>> report.breaches, report.draws, report.undecided == 0
    (('paths',), 0, True)
    """
    whole(depth=depth, least=0)
    whole(draws=1 if draws is None else draws, least=1)
    if not isinstance(mechanism, Audited):
        rule = "mechanism must be a SelectionMechanism, a NumericMechanism, a CountsMechanism or a CapMechanism"
        raise ParameterError(f"{rule}; got {render(mechanism)}")
    require_kind(mechanism.takes, problem=problem)
    problem.require_public("audit_draw")
    if isinstance(mechanism, SelectionMechanism):
        draw, law, outcome_at = _places_of_selection(mechanism, problem)
    elif isinstance(mechanism, CountsMechanism):
        draw, law, outcome_at = _places_of_counts(mechanism, problem)
    elif isinstance(mechanism, CapMechanism):
        draw, law, outcome_at = _places_of_totals(mechanism, problem)
    elif isinstance(mechanism, LimitRace):
        draw, law, outcome_at = _places_of_caps(mechanism, problem)
    elif isinstance(mechanism, TruncatedGeometricCounts):
        draw, law, outcome_at = _places_of_shown(mechanism, problem)
    else:
        draw, law, outcome_at = _places_of_number(mechanism, problem)
    report = compare_places(draw, law, depth=depth, draws=draws)
    return replace(report, mechanism=repr(mechanism), worst_outcome=outcome_at(report.worst_outcome))


Draw = Callable[[Entropy], int]
Places = tuple[Draw, Floats, Callable[[int], Any]]
"""A draw of places, the probability of each place, and which outcome it stands for."""


def _places_of_selection(mechanism: SelectionMechanism, problem: Any) -> Places:
    law = np.exp(selection_law(mechanism, problem, problem))
    size = count_candidates(problem.frame.candidates)

    def outcome_at(place: int) -> Any:
        return "none of the outcomes" if place == NOWHERE else mechanism.outcomes(problem.frame)[place]

    if isinstance(mechanism, OrderedMechanism):
        ranks = {chosen: rank for rank, chosen in enumerate(permutations(range(size), mechanism.k))}
        return lambda source: ranks.get(mechanism.draw(problem, source), NOWHERE), law, outcome_at

    def draw(source: Entropy) -> int:
        place = mechanism.draw(problem, source)
        return place if 0 <= place < len(law) else NOWHERE

    return draw, law, outcome_at


def _places_of_number(mechanism: NumericMechanism, problem: Any) -> Places:
    """Places are the steps of a window, and one for all steps outside."""
    law = NumericLaw(mechanism, problem, problem.steps, problem)
    radius = law.radius(log(LITTLE))
    low, high = law.value - radius, law.value + radius
    window = np.append(np.exp(law.window(radius, low, high)), law.mass_beyond(radius + 1))
    if window[-1] > cells.CELL:
        raise ParameterError(
            f"noise must mostly lie within {radius} grid steps to be audited: take a coarser resolution"
        )

    def draw(source: Entropy) -> int:
        step = mechanism.draw(problem, source)
        return step - low if low <= step <= high else len(window) - 1

    def outcome_at(place: int) -> Any:
        outside = f"anything more than {radius} grid steps away"
        return outside if place == len(window) - 1 else answer_at(problem.frame, low + place)

    return draw, window, outcome_at


def _places_of_counts(mechanism: CountsMechanism, problem: Any) -> Places:
    """Places are the answers in a box around the counts, and one for all answers outside."""
    size, noise = problem.frame.size, mechanism.noise(problem.frame)
    radius = next((far for far in RADII if size * np.exp(noise.log_tail(far + 1)) <= cells.CELL / 2), RADII[-1])
    sides = (2 * radius + 1,) * size
    if prod(sides) > LARGEST_BOX:
        raise ParameterError(
            f"counts must be few and their noise small to be audited: {prod(sides)} answers are likely"
        )
    box = np.stack(np.unravel_index(np.arange(prod(sides)), sides), axis=1) + problem.counts - radius
    inside = np.exp(mechanism.log_probabilities(problem, box))
    law = np.append(inside, max(1 - float(inside.sum()), 0.0))

    def draw(source: Entropy) -> int:
        off = mechanism.draw(problem, source) - problem.counts + radius
        return int(np.ravel_multi_index(off, sides)) if ((off >= 0) & (off <= 2 * radius)).all() else len(inside)

    def outcome_at(place: int) -> Any:
        return "anything further away" if place == len(inside) else tuple(box[place].tolist())

    return draw, law, outcome_at


def _places_of_caps(mechanism: LimitRace, problem: Any) -> Places:
    caps = list(mechanism.outcomes(problem.frame))
    law = np.exp(mechanism.log_probabilities(problem))
    return lambda source: caps.index(mechanism.draw(problem, source)), law, caps.__getitem__


def _places_of_shown(mechanism: TruncatedGeometricCounts, problem: Any) -> Places:
    """Places are all answers, what may be told of each group beside all that may be told of the others."""
    laws = mechanism.law(problem)
    if prod(map(len, laws.values())) > LARGEST_BOX:
        raise ParameterError("groups must be few and their noise small to be audited")
    outcomes = [
        {name: told for name, told in zip(laws, each, strict=True) if told is not None}
        for each in product(*laws.values())
    ]
    law = np.array([prod(each) for each in product(*(each.values() for each in laws.values()))])
    places = {tuple(outcome.items()): place for place, outcome in enumerate(outcomes)}

    def draw(source: Entropy) -> int:
        shown = mechanism.draw(problem, source)
        return places.get(tuple((name, shown[name]) for name in laws if name in shown), NOWHERE)

    return draw, law, lambda place: "none of the outcomes" if place == NOWHERE else outcomes[place]


def _places_of_totals(mechanism: CapMechanism, problem: Any) -> Places:
    """Places are, cap by cap, the answers in a window around the total, and one for all answers outside."""
    frame, chances, outcomes, law = problem.frame, np.exp(mechanism.log_cap_probabilities(problem)), [], []
    for cap, chance in zip(mechanism.outcomes(frame), chances, strict=True):
        noise, middle = mechanism.noise(frame, cap), mechanism.total(problem, cap)
        radius = next((far for far in RADII if np.exp(noise.log_tail(far + 1)) <= cells.CELL), RADII[-1])
        steps = np.arange(-radius, radius + 1)
        outcomes += [(cap, middle + int(step)) for step in steps] + [(cap, None)]
        law.append(chance * np.append(np.exp(noise.log_probabilities(steps)), np.exp(noise.log_tail(radius + 1))))
    places = {outcome: place for place, outcome in enumerate(outcomes)}

    def draw(source: Entropy) -> int:
        cap, step = mechanism.draw(problem, source)
        return places.get((cap, step), places.get((cap, None), NOWHERE))

    return draw, np.concatenate(law), lambda place: "none of the outcomes" if place == NOWHERE else outcomes[place]


def compare_places(draw: Draw, law: Floats, *, depth: int = DEPTH, draws: int | None = None) -> DrawReport:
    """Compare draws of places with the probability of each place; ``NOWHERE`` is the place of what may not come out."""
    with np.errstate(all="ignore"):
        report = _walk(draw, law, depth)
        return report if report.breaches or report.undecided <= OPEN else _sample(draw, law, draws, report)


def _walk(draw: Draw, law: Floats, depth: int) -> DrawReport:
    decided, undecided = law_by_enumeration(draw, depth=depth)
    excess = {place: float(share) - _claimed_chance(law, place) for place, share in decided.items()}
    worst = max(excess, key=excess.__getitem__, default=int(law.argmax()))
    breaches = ("paths",) if excess and excess[worst] > TOLERANCE else ()
    drawn = float(decided.get(worst, 0))
    return DrawReport("", undecided, 0, None, 1.0, worst, drawn, _claimed_chance(law, worst), breaches)


def _sample(draw: Draw, law: Floats, draws: int | None, walked: DrawReport) -> DrawReport:
    table = cells.gather(law)
    count = _count_draws(draws, len(table.shares))
    source = entropy.system_entropy()
    places = np.fromiter((draw(source) for _ in range(count)), dtype=np.int64, count=count)
    counts = np.bincount(places + 1, minlength=len(law) + 1)
    impossible = counts[0] > 0 or bool((counts[1:] > 0)[law == 0].any())
    p_value = 0.0 if impossible else table.p_value(counts[1:])
    worst = _furthest_place(counts / count, law)
    return replace(
        walked,
        draws=count,
        p_value=p_value,
        power=cells.LEAST_POWER,
        worst_outcome=worst,
        drawn=float(counts[worst + 1] / count),
        claimed=_claimed_chance(law, worst),
        breaches=("sample",) if p_value < cells.ALPHA else (),
    )


def _count_draws(draws: int | None, count: int) -> int:
    needed = cells.draws_needed(count)
    if draws is None:
        return needed
    if draws < needed:
        raise ParameterError(f"draws must be at least {needed} to find a law that is 30 % wrong; got {draws}")
    return draws


def _furthest_place(shares: Floats, law: Floats) -> int:
    """Where shares of outcomes, the impossible first, are furthest from their probabilities."""
    return int(np.abs(shares - np.concatenate([[0.0], law])).argmax()) - 1


def _claimed_chance(law: Floats, place: int) -> float:
    return 0.0 if place == NOWHERE else float(law[place])
