"""Tables with a person on the command line: the same words and answers as in the library."""

from pathlib import Path

import pytest

from dampen import Budget
from dampen.questions.record import CUT_OFF
from tests.unit.cli.shell import SURE, refusal, tell, tell_json

VISITS = "patient,cost,ward\n" + "".join(
    f"p{place},{10 * (1 + place % 3)},{ward}\n" for place in range(20) for ward in "ab"
)
WHOSE = ("--person", "patient")
COST = ("visits.csv", "cost", "--bounds", "0", "100")
BY_WARD = ("--by", "ward", "--groups", "a,b")
TOML = """
data = "visits.csv"
ledger = "visits.db"
person = "patient"
[columns.cost]
kind = "number"
bounds = [0, 100]
[columns.ward]
kind = "category"
values = ["a", "b"]
"""


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS)
    Path("visits.toml").write_text(TOML)
    Budget.open("visits.db", epsilon=10**12, unit="patient").close()
    return tmp_path


TOLD = [
    (("count", "visits.csv", *WHOSE), ("count", "visits.toml"), "40\n"),
    (("count", "visits.csv", *WHOSE, "--of", "persons"), ("count", "visits.toml", "--of", "persons"), "20\n"),
    (("count", "visits.csv", *WHOSE, "--cap", "1"), ("count", "visits.toml", "--cap", "1"), "20\n"),
    (("count", "visits.csv", *WHOSE, *BY_WARD, "--of", "persons"),
     ("count", "visits.toml", "--by", "ward", "--of", "persons"), "a\t20\nb\t20\n"),
    (("sum", *COST, *WHOSE), ("sum", "visits.toml", "cost"), "780\n"),
    (("sum", *COST, *WHOSE, "--cap", "20"), ("sum", "visits.toml", "cost", "--cap", "20"), "400\n"),
    (("median", *COST, *WHOSE), ("median", "visits.toml", "cost"), "20\n"),
    (("percentile", *COST, *WHOSE, "--p", "90", "--of", "rows", "--cap", "2"),
     ("percentile", "visits.toml", "cost", "--p", "90", "--of", "rows", "--cap", "2"), "30\n"),
    (("most-common", "visits.csv", "ward", "--categories", "a,b", *WHOSE, "--where", "ward=a"),
     ("most-common", "visits.toml", "ward", "--where", "ward=a"), "a\n"),
    (("median", *COST, *WHOSE, *BY_WARD), ("median", "visits.toml", "cost", "--by", "ward"), "a\t20\nb\t20\n"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "described", "told"), TOLD, ids=lambda words: " ".join(words)[:60])
def test_options_and_a_description_tell_the_same(
    typed: tuple[str, ...], described: tuple[str, ...], told: str, visits: Path
) -> None:
    for words in (typed, described):
        assert tell(*words, "--epsilon", SURE).stdout == told


def test_the_cap_is_told(visits: Path) -> None:
    told = tell_json("count", "visits.toml", "--cap", "4", "--epsilon", "1")
    assert told["cap"] == 4
    assert told["loss"]["unit"] == "patient"


def test_signed_sums_of_groups(visits: Path) -> None:
    """A person has 10, 20 or 30 in either ward: 60 in all at most."""
    asked = ("sum", "visits.csv", "cost", "--bounds", "-100", "100", *WHOSE, *BY_WARD, "--cap", "60")
    told = tell_json(*asked, "--epsilon", SURE)
    assert told["cap"] == 60
    assert {each["group"]: each["value"] for each in told["value"]} == pytest.approx({"a": 390, "b": 390}, abs=0.1)
    assert "nobody counts for more than 60 in size" in tell(*asked, "--epsilon", "1").stderr


def test_what_may_be_missing_is_a_note(visits: Path) -> None:
    Path("few.csv").write_text("patient\nann\n")
    done = tell("count", "few.csv", *WHOSE, "--epsilon", "1/10")
    assert f"note: {CUT_OFF}\n" in done.stderr


REFUSED = [
    (("count", "visits.csv", "--of", "persons"), "of must be left out for a table without a person"),
    (("count", "visits.toml", "--person", "patient"), "--person must be left out"),
    (("count", "visits.csv", "--person-missing", "refuse"), "person_missing must come with person"),
    (("count", "visits.csv", "--person", "patent"), "patent"),
    (("mean", *COST, *WHOSE, *BY_WARD, "--of", "rows"), "--of must be left out"),
    (("median", "visits.toml", "cost", "--public", "--show-law"), "show-law must be left out"),
    (("variance", "visits.toml", "cost"), "per_person"),
    (("count", "visits.csv", "--pattern", "edge", *WHOSE), "--person must be left out"),
    (("train", "visits.toml", "ward", "--person", "patient"), "--person must be left out"),
    (("train", "visits.toml", "ward", "--kind", "tree", "--depth", "1", "--criterion", "information_gain"), "'max'"),
    (("train", "visits.toml", "patient"), "patient"),
]


@pytest.mark.parametrize(("words", "shown"), REFUSED, ids=lambda words: " ".join(words)[:60])
def test_refusals_are_one_line_and_cost_nothing(words: tuple[str, ...], shown: str, visits: Path) -> None:
    assert shown in refusal(*words, "--epsilon", "1")
    assert Budget.open("visits.db").spent.epsilon == 0


def test_a_ledger_of_rows_does_not_pay(visits: Path) -> None:
    Budget.open("rows.db", epsilon=1, unit="row").close()
    told = refusal("count", "visits.csv", *WHOSE, "--budget", "rows.db", "--epsilon", "1")
    assert "unit='patient'" in told


SCHEMA = """{"attributes": {"cost": {"kind": "number", "bounds": [0, 200], "bins": 4}}, "classes": ["a", "b"]}"""


@pytest.mark.parametrize("kind", [(), ("--kind", "tree", "--depth", "1"), ("--kind", "forest", "--depth", "1")])
def test_models_are_learned_and_scored_by_person(kind: tuple[str, ...], visits: Path) -> None:
    tell("train", "visits.toml", "ward", *kind, "--epsilon", "1", "--out", "model.json")
    assert '"unit": "patient"' in Path("model.json").read_text()
    told = tell_json("score", "model.json", "visits.toml", "ward", "--epsilon", "1")
    assert told["loss"]["unit"] == "patient"
    assert Budget.open("visits.db").spent.epsilon == 2


def test_a_file_and_a_schema_are_learned_from_by_person(visits: Path) -> None:
    Path("schema.json").write_text(SCHEMA)
    named = (*WHOSE, "--epsilon", "1", "--budget", "visits.db")
    tell("train", "visits.csv", "ward", "--schema", "schema.json", *named, "--out", "model.json")
    assert '"unit": "patient"' in Path("model.json").read_text()
    assert tell_json("score", "model.json", "visits.csv", "ward", *named)["loss"]["unit"] == "patient"
    assert Budget.open("visits.db").spent.epsilon == 2
