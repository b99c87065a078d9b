"""Reproductions on disk: resumed where they stopped, kept where nothing changed, and the same again."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from experiments import __main__ as command
from experiments import data, page, runner
from experiments.__main__ import main
from experiments.reproduction import (
    DAMPENING,
    Cell,
    Claim,
    Findings,
    Losses,
    Reproduction,
    Row,
    Verdict,
    markdown,
    rounded,
    shown,
)
from experiments.results import Held, csv_path, finished, parsed, read_csv, write_csv
from experiments.runner import compute, draw


class Toy(Reproduction):
    """Squares of three numbers."""

    id = "toy"
    paper = DAMPENING
    title = "Fig. 0"
    subject = "squares"
    parameters: ClassVar[Mapping[str, Any]] = {"sizes": (1, 2, 3)}
    stop_at: ClassVar[int | None] = None
    measured: ClassVar[list[int]] = []

    def cells(self) -> Sequence[Cell]:
        return [(size,) for size in (1, 2, 3)]

    def measure(self, cell: Cell) -> list[Row]:
        if cell[0] == self.stop_at:
            raise KeyboardInterrupt
        self.measured.append(int(cell[0]))
        return [{"size": cell[0], "square": int(cell[0]) ** 2, "word": "a, b", "third": 1 / 3, "nothing": None}]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        return [Claim("the last is 9", "p. 1", "9", rows[-1]["square"] == 9)]

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        return losses["loss"] <= 1

    def losses(self) -> dict[str, float]:
        return {"loss": 2 / 3}

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        return Findings("a", "b", "c", "d", "e")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Toy]]:
    monkeypatch.setattr(Toy, "stop_at", None)
    Toy.measured.clear()
    yield Toy
    Toy.measured.clear()


def test_a_file_gives_back_what_was_written(toy: type[Toy], tmp_path: Path) -> None:
    assert compute(toy(), tmp_path)
    held = read_csv(csv_path(tmp_path, toy()))
    assert held.parameters == {"sizes": [1, 2, 3], "data": "published"}
    assert held.losses == {"loss": 0.666667}
    assert [row["square"] for row in held.rows] == [1, 4, 9]
    assert held.rows[0] == {"size": 1, "square": 1, "word": "a, b", "third": 1 / 3, "nothing": None}
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_finished_file_is_kept_and_other_parameters_are_computed_anew(
    toy: type[Toy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compute(toy(), tmp_path)
    assert not compute(toy(), tmp_path)
    assert toy.measured == [1, 2, 3]
    monkeypatch.setattr(Toy, "parameters", {"sizes": (1, 2, 3), "seed": 1})
    assert compute(toy(), tmp_path)
    assert toy.measured == [1, 2, 3, 1, 2, 3]


def test_an_interrupted_run_goes_on_where_it_stopped(
    toy: type[Toy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Toy, "stop_at", 3)
    with pytest.raises(KeyboardInterrupt):
        compute(toy(), tmp_path)
    assert not csv_path(tmp_path, toy()).exists()
    [unfinished] = tmp_path.glob("*.jsonl")
    unfinished.write_text(unfinished.read_text()[:-9])
    monkeypatch.setattr(Toy, "stop_at", None)
    assert compute(toy(), tmp_path)
    assert toy.measured == [1, 2, 2, 3], "the torn second cell is computed again, the first is not"
    whole = csv_path(tmp_path, toy()).read_bytes()
    assert compute(toy(), tmp_path / "elsewhere")
    assert csv_path(tmp_path / "elsewhere", toy()).read_bytes() == whole


def test_what_other_parameters_left_is_not_taken_up(
    toy: type[Toy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Toy, "stop_at", 2)
    with pytest.raises(KeyboardInterrupt):
        compute(toy(), tmp_path)
    monkeypatch.setattr(Toy, "stop_at", None)
    monkeypatch.setattr(Toy, "parameters", {"sizes": (1, 2, 3), "seed": 1})
    assert compute(toy(), tmp_path)
    assert toy.measured == [1, 1, 2, 3]


def test_rows_of_published_data_serve_where_the_data_are_not_but_not_the_other_way(
    toy: type[Toy], tmp_path: Path
) -> None:
    for kind, kept in (("published", {"published", "synthetic"}), ("synthetic", {"synthetic"})):
        write_csv(csv_path(tmp_path, toy()), Held({"sizes": [1, 2, 3], "data": kind}, {}, [{"size": 1}]))
        assert {data for data in ("published", "synthetic") if finished(tmp_path, toy(), data)} == kept


def test_verdicts(toy: type[Toy]) -> None:
    right: list[Row] = [{"square": 9}]
    assert toy().verdict(right, {"loss": 1}) is Verdict.REPRODUCED
    assert toy().verdict([{"square": 8}], {"loss": 1}) is Verdict.NOT_REPRODUCED
    assert toy().verdict(right, {"loss": 1.1}) is Verdict.NOT_PRIVATE


def test_a_table_has_no_picture(toy: type[Toy], tmp_path: Path) -> None:
    compute(toy(), tmp_path)
    assert not draw(toy(), tmp_path)
    assert not list(tmp_path.glob("*.png"))


def test_numbers_as_they_are_kept_and_shown() -> None:
    assert [parsed(text) for text in ("", "7", "7.5", "1e-3", "7 %", "inf")] == [None, 7, 7.5, 0.001, "7 %", np.inf]
    assert [rounded(value) for value in (0.0, 123_456_789.0, 0.000123456789, -2 / 3)] == [
        0,
        123_457_000,
        0.000123457,
        -0.666667,
    ]
    assert [shown(value) for value in (0, 1234.4, 99.96, 0.00123456, None, "word")] == [
        "0",
        "1,234",
        "100",
        "0.00123",
        "-",
        "word",
    ]
    assert markdown(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"


@pytest.mark.parametrize("given", [[], ["no_such_figure"]])
def test_the_command_says_what_it_needs(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(given)
    assert "--list" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["published", "synthetic"])
def test_what_comes_from_a_stand_in_says_so(
    kind: str, toy: type[Toy], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    texts: list[str] = []

    class Kept:
        def text(self, *given: Any, **_: Any) -> None:
            texts.append(given[2])

    monkeypatch.setattr(data, "source", lambda needs: kind)
    monkeypatch.setattr(Toy, "draw", lambda *_: Kept())
    monkeypatch.setattr(runner, "save", lambda *_: None)
    monkeypatch.setattr(command, "REPRODUCTIONS", {"toy": toy()})
    for given in (["toy"], ["toy"], ["--list"]):
        main([*given, "--jobs", "1", "--out", str(tmp_path)])
        assert ("synthetic stand-in" in capsys.readouterr().out) == (kind == "synthetic")
    assert texts == (["synthetic stand-in"] * 2 if kind == "synthetic" else [])
    section = page.section(toy(), read_csv(csv_path(tmp_path, toy())), tmp_path)
    assert ("synthetic" in section) == (kind == "synthetic")


def test_stand_ins_have_the_published_shape(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DAMPEN_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    graph = data.synthetic_graph(2000, 9000, 300, seed=1)
    assert (graph.nodes, len(graph.edges()[0])) == (2000, 9000)
    assert 150 < graph.degrees().max() < 600
    assert np.array_equal(data.synthetic_graph(2000, 9000, 300, seed=1).neighbours, graph.neighbours)
    assert data.source(("enron",)) == "synthetic"
    data.histogram.cache_clear()
    data.salaries.cache_clear()
    counts = data.histogram("HEPTH")
    assert (len(counts), round(100 * float((counts == 0).mean()))) == (4096, 21)
    assert len(data.salaries()) == 148_654
    assert data.salaries().min() >= 0
    data.histogram.cache_clear()
    data.salaries.cache_clear()
