"""What a function does beside returning an output: each probe finds its planted fault, and passes what is sound."""

import random
import sys
import time
import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dampen import Budget, Number, Table, entropy
from dampen.audit import ProbeReport, probe
from dampen.audit.payment import probe_budget
from dampen.audit.replay import probe_processes, probe_seeds
from dampen.audit.run_times import probe_times
from dampen.audit.side_outputs import probe_attributes, probe_data, probe_texts
from dampen.errors import ParameterError

if TYPE_CHECKING:
    from tests.conftest import RunPython

ANN, BOB = [51_234.5, 60_000.25], [51_234.5]


def sound(values: list[float]) -> float:
    return len(values) + entropy.system_entropy().bits(6)


def seeded_at_import(values: list[float]) -> float:
    """As a module that seeds a generator of its own would draw."""
    return len(values) + float(GENERATOR.normal())


GENERATOR = np.random.default_rng(7)


def verdicts(findings: Any) -> set[str]:
    return {each.verdict for each in findings}


# Seeds


@pytest.mark.parametrize("generator", [random.random, np.random.random])
def test_generators_that_anybody_can_seed_are_found_and_get_their_state_back(generator: Any) -> None:
    states = random.getstate(), np.random.get_state()
    finding = probe_seeds(lambda values: len(values) + generator(), ANN)
    assert (finding.verdict, finding.probe) == ("FOUND", "seeds")
    assert random.getstate() == states[0]
    assert (np.random.get_state()[1] == states[1][1]).all()  # type: ignore[index]


def test_noise_of_the_systems_entropy_does_not_come_again() -> None:
    assert probe_seeds(sound, ANN).verdict == "nothing found"
    assert probe_seeds(len, ANN).verdict == "not tried"


def test_outputs_that_hardly_vary_do_not_come_again_by_chance() -> None:
    """One of 33 differs: two short streams of them are often the same."""
    rng = np.random.default_rng(1)
    verdicts_seen = {probe_seeds(lambda values: int(rng.integers(33)) == 0, ANN).verdict for _ in range(40)}
    assert "FOUND" not in verdicts_seen
    assert probe_seeds(lambda values: random.random() < 0.1, ANN).verdict == "FOUND"


def test_what_cannot_be_handed_to_a_process_is_not_tried() -> None:
    finding = probe_processes(lambda values: 1, ANN)
    assert finding.verdict == "not tried"
    assert "function of a module" in finding.words


def test_a_function_of_a_script_is_not_handed_to_a_process(run_python: "RunPython") -> None:
    """It would run the script again, and a notebook's would never be found."""
    code = """
from dampen.audit.replay import probe_processes
def draw(values): return 1
print(probe_processes(draw, [1]).words)
"""
    assert "function of a module" in run_python(code).stdout


@pytest.mark.parametrize(("same", "verdict"), [(True, "FOUND"), (False, "nothing found")])
def test_two_processes_with_one_stream_are_found(same: bool, verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of this test's own: starting real ones takes seconds, and is done in full runs."""
    number = iter(range(10))

    class Pool:
        def __init__(self, _: int) -> None:
            self.start = 0 if same else 100 * next(number)

        def __enter__(self) -> "Pool":
            return self

        def __exit__(self, *_: object) -> None: ...

        def apply_async(self, _: Any, given: Any) -> "Pool":
            return self

        def get(self, _: int) -> list[str]:
            return [str(self.start + place) for place in range(40)]

    monkeypatch.setattr("multiprocessing.get_context", lambda _: SimpleNamespace(Pool=Pool))
    assert probe_processes(len, ANN).verdict == verdict


@pytest.mark.long
def test_real_processes_with_one_stream_are_found() -> None:
    assert probe_processes(seeded_at_import, ANN).verdict == "FOUND"
    assert probe_processes(sound, ANN).verdict == "nothing found"


# Run times


def test_run_times_are_a_hint_and_never_more(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def slow(values: list[float]) -> None:
        clock[0] += 0.001 * len(values) + 1e-8 * random.random()

    finding = probe_times(slow, ANN, BOB)
    assert finding.verdict == "hint"
    assert "2000 microseconds on x and 1000 on y" in finding.words
    assert ProbeReport((finding,)).passed

    def even(values: list[float]) -> None:
        clock[0] += 0.001 + 1e-8 * random.random()

    assert probe_times(even, ANN, BOB).verdict == "nothing found"


# Side outputs


def raise_with_data(values: list[float]) -> None:
    raise ValueError(f"{values[0]} is too large")


def warn_of_one(values: list[float]) -> None:
    if len(values) == 1:
        warnings.warn("only one", stacklevel=1)


@pytest.mark.parametrize(
    ("draw", "kind", "words"),
    [
        (raise_with_data, "exceptions", "has a value of the data in it"),
        (lambda values: print("sum of", values), "prints", "has a value of the data in it"),
        (lambda values: print(values[-1], file=sys.stderr), "prints", "has a value of the data in it"),
        (warn_of_one, "warnings", "come on y alone"),
    ],
)
def test_texts_that_know_data_are_found(draw: Any, kind: str, words: str) -> None:
    [finding] = [each for each in probe_texts(draw, ANN, BOB) if each.verdict == "FOUND"]
    assert finding.probe == kind
    assert words in finding.words


def test_texts_that_know_nothing_are_not() -> None:
    assert verdicts(probe_texts(lambda values: print("please wait"), ANN, BOB)) == {"nothing found"}


def test_texts_that_have_other_reasons_are_not() -> None:
    rng = np.random.default_rng(1)

    def sometimes(values: list[float]) -> None:
        if rng.random() < 0.5:
            print("please wait")

    def privately(values: list[float]) -> None:
        """Randomised response with epsilon 1.5."""
        if (rng.random() < 1 / (1 + np.exp(1.5))) == (len(values) == 1):
            raise ValueError("too few")

    def a_value(values: list[float]) -> None:
        print("the scale is 100, the answer", 200 if rng.random() < 0.4 else 300)

    for draw in (sometimes, privately, a_value):
        for _ in range(20):
            assert verdicts(probe_texts(draw, [100, 200], [100])) == {"nothing found"}


def test_short_values_are_quoted_where_one_data_set_alone_has_them() -> None:
    [finding, *_] = probe_texts(lambda people: print("counting", *people), ["ann", "bob"], ["ann"])
    assert finding.verdict == "FOUND"


class Fitted:
    def __init__(self, values: list[float], exact: bool) -> None:
        self.epsilon = 1
        self.mean_ = sum(values) / len(values) + entropy.system_entropy().bits(20)
        if exact:
            self.rows_ = len(values)
            self.seen_ = np.array(values)


def test_attributes_without_noise_are_found() -> None:
    finding = probe_attributes(lambda values: Fitted(values, exact=True), ANN, BOB)
    assert finding.verdict == "FOUND"
    assert finding.words == "the same in all of 100 draws on each, and different on x and on y: rows_, seen_"
    assert probe_attributes(lambda values: Fitted(values, exact=False), ANN, BOB).verdict == "nothing found"
    assert probe_attributes(sound, ANN, BOB).verdict == "not tried"


def test_attributes_with_noise_are_not_taken_for_exact() -> None:
    """A choice that is made privately, with epsilon 1.5, is often the same for a while."""
    rng = np.random.default_rng(1)

    def choose(values: list[float]) -> SimpleNamespace:
        return SimpleNamespace(best=(rng.random() < 1 / (1 + np.exp(1.5))) == (len(values) == 1), epsilon=1.5)

    assert {probe_attributes(choose, ANN, BOB).verdict for _ in range(40)} == {"nothing found"}


def test_what_takes_long_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dampen.audit.side_outputs.SECONDS", -1.0)
    assert probe_attributes(lambda values: Fitted(values, exact=True), ANN, BOB).verdict == "hint"
    assert "hint" in verdicts(probe_texts(warn_of_one, ANN, BOB))


def test_an_array_that_keeps_the_data_is_found() -> None:
    """What comes along with a part of an array is the whole of it."""
    kept = probe_attributes(lambda values: np.array([0.0, *values])[:1], ANN, BOB)
    assert (kept.verdict, kept.words.endswith(": base")) == ("FOUND", True)
    assert probe_attributes(lambda values: np.array([0.0, *values])[:1].copy(), ANN, BOB).verdict == "not tried"


@pytest.mark.parametrize(
    ("draw", "verdict"),
    [
        (lambda values: values.append(0.0), "FOUND"),
        (lambda values: {"rows": values}, "FOUND"),
        (lambda values: len(values), "nothing found"),
        (lambda values: list(values), "nothing found"),
        (lambda values: 1 / 0, "not tried"),
    ],
)
def test_data_that_is_changed_or_handed_out_is_found(draw: Any, verdict: str) -> None:
    assert probe_data(draw, [*ANN]).verdict == verdict


def test_arrays_that_share_memory_with_the_data_are_found() -> None:
    assert probe_data(lambda values: values[:1], np.array(ANN)).verdict == "FOUND"
    assert probe_data(lambda values: values + 1, np.array(ANN)).verdict == "nothing found"


# Budget


class Purse:
    """Charges one for each draw; ``fault`` says when it does not."""

    def __init__(self, fault: str = "") -> None:
        self.fault, self.paid, self.known = fault, [0.0], False

    def spent(self) -> float:
        return self.paid[0]

    def fit(self, values: list[float]) -> float:
        if self.fault == "threads":
            before = self.paid[0]
            time.sleep(0.01)
            self.paid[0] = before + 1
        elif not (self.fault == "second" and self.known) and self.fault != "all":
            self.paid[0] += 1
        self.known = True
        return 0.0

    def __deepcopy__(self, memo: Any) -> "Purse":
        if self.fault != "copy":
            raise TypeError("a budget cannot be copied")
        return Purse()

    def __reduce__(self) -> Any:
        if self.fault != "pickle":
            raise TypeError("a budget cannot be pickled")
        return Purse, ()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("all", "a draw is not charged at all"),
        ("second", "a second draw is charged 0; the first one was charged 1"),
        ("copy", "a draw of a copy is charged 0; the first one was charged 1"),
        ("pickle", "a draw of a pickle is charged 0; the first one was charged 1"),
        ("threads", "8 draws of threads at once are charged"),
    ],
)
def test_draws_that_nobody_pays_for_are_found(fault: str, words: str) -> None:
    purse = Purse(fault)
    findings = [each for each in probe_budget(purse.fit, ANN, purse.spent) if each.verdict == "FOUND"]
    assert words in findings[0].words


def test_a_purse_that_is_always_asked_passes() -> None:
    purse = Purse()
    findings = probe_budget(purse.fit, ANN, purse.spent)
    assert "FOUND" not in verdicts(findings)
    assert "a pickle is refused (TypeError)" in {each.words for each in findings}


def test_a_budget_that_composes_better_than_by_sums_is_not_accused() -> None:
    """As accountants of rho or of Renyi divergences tell epsilon: four times the draws, twice the price."""
    draws = [0]

    def draw(values: list[float]) -> None:
        draws[0] += 1

    findings = probe_budget(draw, ANN, lambda: draws[0] ** 0.5)
    assert [each.verdict for each in findings if "charged" in each.words] == ["hint", "hint"]
    assert ProbeReport(tuple(findings)).passed


# All of them


def test_a_table_of_dampens_own_passes_all_probes() -> None:
    budget = Budget(epsilon=10_000)
    table = Table({"pay": ANN}, columns={"pay": Number(0, 100_000, step=1_000)}, budget=budget)
    fewer = Table({"pay": BOB}, columns={"pay": Number(0, 100_000, step=1_000)}, budget=budget)
    report = probe(lambda some: some.median("pay", epsilon=1), table, fewer, spent=lambda: budget.spent, others=False)
    assert report, str(report)
    assert {each.probe for each in report.findings} >= {
        "seeds",
        "processes",
        "time",
        "warnings",
        "exceptions",
        "budget",
    }
    assert "8 draws of threads at once are charged all" in str(report)
    assert "<table>" in report._repr_html_()
    assert report.as_dict()["passed"]


def test_what_cannot_be_probed_is_refused() -> None:
    with pytest.raises(ParameterError, match="draw must be a function"):
        probe(3, ANN, BOB)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="spent must be a function"):
        probe(sound, ANN, BOB, spent=3)  # type: ignore[arg-type]
