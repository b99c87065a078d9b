"""Does a mechanism keep the rules that every mechanism keeps? One call, for mechanisms of one's own."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dampen._validate import Number, render
from dampen.audit.arguments import Neighbours, require_function
from dampen.audit.contract import RULES, LeftOut, Make, Trial, Tried
from dampen.audit.exact import ProblemOf
from dampen.audit.neighbours import DataSet
from dampen.audit.trials import Case
from dampen.errors import ParameterError


@dataclass(frozen=True)
class ContractReport:
    """Which rules a mechanism was found to keep, and why others were left out. ``pairs``: of neighbours, audited."""

    mechanism: str
    kept: tuple[str, ...]
    left_out: dict[str, str]
    cases: tuple[str, ...]
    pairs: int

    def __str__(self) -> str:
        rows = [
            ("mechanism", self.mechanism),
            ("cases", f"{', '.join(self.cases)} ({self.pairs:,} pairs of neighbours)"),
            *(("keeps", rule) for rule in self.kept),
            *(("left out", f"{rule}: {why}") for rule, why in self.left_out.items()),
        ]
        return "\n".join(f"{name:<12} {value}" for name, value in rows)


def check_mechanism(
    mechanism: Any,
    *,
    epsilon: Number = "1/2",
    problem_of: ProblemOf | Any = None,
    universe: Iterable[DataSet] | None = None,
    neighbours: Neighbours | None = None,
) -> ContractReport:
    """Try a mechanism of your own by the rules of all mechanisms; raise ``ContractBroken`` at the first broken one.

    ``mechanism``: a class, or a function from an epsilon to a mechanism, which is made at ``epsilon``; or a mechanism,
    of which the rules about its parameters are then left out. It chooses candidates, or tells a number or many counts.

    It is tried on small made-up data sets and all their neighbours: votes, winners, markets, sizes, histograms. Those
    it refuses are passed over. ``problem_of``, ``universe`` and ``neighbours``, as for ``audit_selection``, take their
    place: give your own where a mechanism is for other problems. A passed check is no proof: the audits are exact,
    but only of these data sets at this epsilon.

    Run it where nothing else is released: while it runs, the system's entropy is watched, and once made to fail.

    >>> from dampen.mechanisms import PermuteAndFlip
    >>> report = check_mechanism(PermuteAndFlip)
    >>> "pays first" in report.kept, report.left_out
    (True, {})
    """
    make, made = _made(mechanism, epsilon)
    trial = Trial(made, make, _given(problem_of, universe, neighbours))
    kept, left_out = [], {}
    for name, rule in RULES.items():
        try:
            rule(trial)
            kept.append(name)
        except LeftOut as why:
            left_out[name] = str(why)
    pairs = sum(report.pairs for report in trial.reports)
    return ContractReport(repr(made), tuple(kept), left_out, tuple(case.name for case in trial.cases), pairs)


def _made(mechanism: Any, epsilon: Number) -> tuple[Make | None, Any]:
    """How to make the mechanism, where that is known, and one of it."""
    made = mechanism if isinstance(mechanism, Tried) or not callable(mechanism) else mechanism(epsilon)
    if not isinstance(made, Tried):
        rule = "mechanism must be, or make of an epsilon, a SelectionMechanism, a NumericMechanism or a CountsMechanism"
        raise ParameterError(f"{rule}; got {render(made)}")
    return (None if made is mechanism else mechanism), made


def _given(problem_of: Any, universe: Any, neighbours: Any) -> tuple[Case, ...]:
    given = [argument is not None for argument in (problem_of, universe, neighbours)]
    if not any(given):
        return ()
    if not all(given):
        raise ParameterError("problem_of, universe and neighbours must be given together, or none of them")
    require_function("a data set to its problem", problem_of=problem_of)
    require_function("a data set to its neighbours", neighbours=neighbours)
    data_sets = tuple(universe)
    if not data_sets:
        raise ParameterError("universe must hold at least one data set that has a neighbour")
    return (Case("yours", problem_of, data_sets, neighbours),)
