"""The clock is for people: entries keep their order when it goes back."""

from fractions import Fraction
from pathlib import Path

import pytest

from dampen import Budget
from dampen.accounting import chain
from tests.crash.books import audit_ledger
from tests.crash.tasks import loss

CLOCK = (
    "2031-03-01T12:00:00+00:00",
    "2030-03-01T12:00:00+00:00",
    "1970-01-01T00:00:00+00:00",
    "2031-03-01T12:00:01+00:00",
)


def test_a_clock_that_goes_back_moves_no_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [CLOCK[0]]
    monkeypatch.setattr(chain, "now", lambda: shown[-1])
    ledger = Budget.open(tmp_path / "study.db", epsilon=1)
    heads = [ledger.head]
    for at in CLOCK:
        shown.append(at)
        for _ in range(2):
            with ledger.reserve(loss()):
                pass
        heads.append(ledger.head)
        assert all(ledger.verify(head=head) for head in heads)
        ledger.close()
    history = ledger.history()
    assert [entry.number for entry in history] == list(range(1, 18))
    assert [entry.at for entry in history] == [CLOCK[0], *(at for at in CLOCK for _ in range(4))]
    assert ledger.history(last=3) == history[-3:]
    assert ledger.spent.epsilon == Fraction(8, 100)
    ledger.close()
    assert len(audit_ledger(ledger.path, head=heads[2]).charges) == 8
