"""The coupling gate: one record more moves the true counts by at most 1, whatever it holds and wherever it lies.

Every function that turns raw values into counts has an entry (``reading/``), with an adapter to its exact counts. Each
is asked about random data sets of awkward values in every container, and about all their neighbours.
"""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.audit.reading.cases import Case, cases
from tests.audit.reading.entries import Entry
from tests.audit.reading.forms import forms_of
from tests.audit.reading.registry import ENTRIES

EXAMPLES = {"memory": 30, "frames": 30, "elsewhere": 6}


def _asked(family: str) -> list[Entry]:
    return [entry for entry in ENTRIES if any(entry.takes(form) for form in forms_of(family))]


def _judge(entry: Entry, family: str, examples: int) -> int:
    pairs = 0

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), database=None, phases=[Phase.generate, Phase.shrink])
    @given(cases(entry, family))
    def run(case: Case) -> None:
        nonlocal pairs
        pairs += case.judge()

    run()
    return pairs


@pytest.mark.parametrize(
    ("family", "entry"), [(family, entry) for family in EXAMPLES for entry in _asked(family)], ids=str
)
def test_coupling(family: str, entry: Entry) -> None:
    pairs = _judge(entry, family, EXAMPLES[family])
    print(pairs)
