"""The walk-throughs of CONTRIBUTING.md, done in a package of their own: what is added there needs nothing else."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dampen import Adjacency, Budget, Frame, SelectionProblem
from dampen.audit import add_remove_neighbours, audit_draw, audit_selection, multisets
from tests.every_selection import find_selections

MECHANISM = '''
"""Half of the time the exponential mechanism, half of the time anybody."""

import numpy as np

from dampen.mechanisms import laws
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.sampling import exact
from dampen.sampling.buckets import BucketSampler


class HalfBlind(UtilityMechanism):
    """Exponential or uniform, by a fair coin: no less private than the exponential mechanism alone."""

    def _log_law(self, x, sizes):
        return np.log((np.exp(laws.softmax(x, sizes)) + 1 / sizes.sum()) / 2)

    def _draw(self, exponents, source):
        if source.bits(1):
            return exact.uniform_below(len(exponents), source), 0
        return BucketSampler(exponents).draw(source)
'''
MORE_THAN_CLAIMED = MECHANISM.replace("laws.softmax(x, sizes)", "laws.softmax(9 * x, sizes)")
ANOTHER_DRAW = MECHANISM.replace("if source.bits(1):", "if source.bits(2) == 3:")


def votes(x: tuple[str, ...]) -> SelectionProblem:
    frame = Frame(("a", "b", "c"), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    return SelectionProblem(frame, [x.count(candidate) for candidate in "abc"])


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty package ``toys`` that can be imported."""
    folder = tmp_path / "toys"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "toys"]:
        del sys.modules[name]


def load_package(folder: Path) -> ModuleType:
    return import_module(folder.name)


def test_a_new_mechanism_is_found_paid_for_and_audited(toys: Path) -> None:
    (toys / "half_blind.py").write_text(MECHANISM)
    [(name, make)] = find_selections(load_package(toys)).items()
    assert name == "HalfBlind"
    budget = Budget(epsilon=1)
    release = make(1).release(votes(("a", "a", "b")), budget=budget)
    assert release.value in ("a", "b", "c")
    assert release.mechanism == "HalfBlind(epsilon=1)"
    assert budget.spent.epsilon == 1
    report = audit_selection(make(1), votes, multisets("abc", largest=5), add_remove_neighbours("abc"))
    assert report.passed, str(report)
    assert report.worst_log_ratio > 0.2
    drawn = audit_draw(make(1), votes(("a", "a", "b")).as_public())
    assert drawn.passed, str(drawn)
    assert make(1).simulate(votes(("a",)).as_public(), np.random.default_rng(0), size=5).shape == (5,)


def test_a_toy_that_tells_more_than_it_claims_is_found_out(toys: Path) -> None:
    (toys / "half_blind.py").write_text(MORE_THAN_CLAIMED)
    [make] = find_selections(load_package(toys)).values()
    report = audit_selection(make("1/2"), votes, multisets("abc", largest=5), add_remove_neighbours("abc"))
    assert report.breaches == ("epsilon",)


def test_a_toy_that_does_not_draw_from_its_law_is_found_out(toys: Path) -> None:
    (toys / "half_blind.py").write_text(ANOTHER_DRAW)
    [make] = find_selections(load_package(toys)).values()
    assert not audit_draw(make(1), votes(("a",) * 6).as_public()).passed
