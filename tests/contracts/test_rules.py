"""The rules of ``dampen.audit.check_mechanism``, held by every mechanism of the package: their one list is ``RULES``.

What claims and draws keep is tried here on few data sets only in full runs: the gates of ``tests/audit`` try more.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from dampen.audit import check_mechanism
from dampen.audit.contract import RULES, LeftOut, Trial
from dampen.audit.trials import Case, cases_of
from dampen.problem import SelectionProblem
from tests.every_counts import EVERY as COUNTS
from tests.every_numeric import EVERY as NUMERIC
from tests.every_selection import EVERY as SELECTIONS
from tests.every_selection import FOR_THE_GATE_ALONE

DELTA = "1e-6"
WINNER = tuple(case for case in cases_of(SelectionProblem) if case.name == "winner")
FOR_WINNERS = ("StableArgmax", *(name for name in SELECTIONS if name.endswith("indicator")))
"""They are for utilities of 0 and 1 alone, which whoever asks has to promise."""
MAKE: dict[str, Callable[[Any], Any]] = {
    **SELECTIONS,
    **{name: partial(lambda make, price: make(price, DELTA), make) for name, make in NUMERIC.items()},
    **COUNTS,
}
GATED = ("states a law", "loses no more than it claims", "draws from its law", "reads runs as what they stand for")
"""Rules that take longer, and that other suites try on more."""
QUICK = [name for name in RULES if name not in GATED]
BY_UTILITY = ("Exponential", "PermuteAndFlip", *(name for name in SELECTIONS if name.startswith("ReportNoisyMax")))
TAKE_RUNS = [name for name in SELECTIONS if "TopK" not in name and name != "StableArgmax"]
"""Of utilities other than 0 and 1."""
LEFT_OUT: Mapping[str, Callable[[Any], bool]] = {
    "is not moved by what utilities share": lambda name: name not in BY_UTILITY,
    "reads runs as what they stand for": lambda name: name not in TAKE_RUNS,
}


def cases(name: str) -> tuple[Case, ...]:
    return WINNER if name in FOR_WINNERS else ()


@pytest.mark.parametrize("name", [name for name in MAKE if name not in FOR_THE_GATE_ALONE])
def test_every_mechanism_keeps_the_rules(name: str) -> None:
    """One test for all of them: which cases a mechanism takes is found out once."""
    trial = Trial(MAKE[name]("1/2"), MAKE[name], cases(name))
    for rule in QUICK:
        if rule in LEFT_OUT and LEFT_OUT[rule](name):
            with pytest.raises(LeftOut):
                RULES[rule](trial)
        else:
            RULES[rule](trial)


@pytest.mark.long
@pytest.mark.parametrize("name", MAKE)
def test_every_mechanism_passes_the_whole_check(name: str) -> None:
    own: dict[str, Any] = {}
    for case in cases(name):
        own = {"problem_of": case.problem_of, "universe": case.data_sets, "neighbours": case.neighbours}
    report = check_mechanism(MAKE[name], **own)
    assert set(report.left_out) == {rule for rule, is_left_out in LEFT_OUT.items() if is_left_out(name)}
    assert set(report.kept) | set(report.left_out) == set(RULES)
    assert report.pairs > 5
