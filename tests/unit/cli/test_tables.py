"""Verbs that ask a table, described by a file or by options: the same words, the same answers, the same errors."""

import json
import shlex
from fractions import Fraction
from pathlib import Path

import pytest

from dampen import Budget
from dampen.front.memory import FREE
from tests.unit.cli.shell import REMEMBERS, SURE, misuse, refusal, tell, tell_json

PAY = ("staff.csv", "pay", "--bounds", "0", "10000")
GRID = (*PAY, "--step", "50")
TEAM = ("staff.csv", "team", "--categories", "sales,lab,board")
BY_TEAM = ("--by", "team", "--groups", "sales,lab,board")

SAME = [
    (("median", "staff.toml", "pay"), ("median", *GRID), "3000\n"),
    (("percentile", "staff.toml", "pay", "--p", "100"), ("percentile", *GRID, "--p", "100"), "9000\n"),
    (("percentile", "staff.toml", "pay", "--p", "0,50,100"), ("percentile", *GRID, "--p", "0,50,100"),
     "1000\n3000\n9000\n"),
    (("median", "staff.toml", "hired"),
     ("median", "staff.csv", "hired", "--bounds", "2000-01-01", "2030-12-31", "--step", "month"), "2011-03-01\n"),
    (("count", "staff.toml"), ("count", "staff.csv"), "60\n"),
    (("count", "staff.toml", "--where", "team in lab,board", "--where", "pay>=9010"),
     ("count", "staff.csv", "--where", "team in lab,board", "--where", "pay>=9010"), "10\n"),
    (("count", "staff.toml", "--where", "hired between 2005-01-01 and 2015-01-01"),
     ("count", "staff.csv", "--where", "hired between 2005-01-01 and 2015-01-01"), "20\n"),
    (("sum", "staff.toml", "pay", "--where", "team=lab"), ("sum", *PAY, "--where", "team=lab"), "60200\n"),
    (("most-common", "staff.toml", "team", "--where", "pay<=1000"), ("most-common", *TEAM, "--where", "pay<=1000"),
     "sales\n"),
    (("most-common", "staff.toml", "leaves", "--k", "2"),
     ("most-common", "staff.csv", "leaves", "--categories", "yes,no", "--k", "2"), "no\nyes\n"),
    (("histogram", "staff.toml", "team"), ("histogram", *TEAM), "sales\t20\nlab\t20\nboard\t20\n"),
    (("count", "staff.toml", "--by", "team"), ("count", "staff.csv", *BY_TEAM), "sales\t20\nlab\t20\nboard\t20\n"),
    (("median", "staff.toml", "pay", "--by", "team"), ("median", *GRID, *BY_TEAM),
     "sales\t1000\nlab\t3000\nboard\t9000\n"),
    (("sum", "staff.toml", "pay", "--by", "team"), ("sum", *PAY, *BY_TEAM),
     "sales\t20000\nlab\t60200\nboard\t180190\n"),
    (("most-common", "staff.toml", "leaves", "--by", "team"),
     ("most-common", "staff.csv", "leaves", "--categories", "yes,no", *BY_TEAM), "sales\tno\nlab\tno\nboard\tyes\n"),
]  # fmt: skip


@pytest.mark.parametrize(("described", "typed", "told"), SAME, ids=lambda words: " ".join(words)[:60])
def test_a_description_and_options_tell_the_same(
    described: tuple[str, ...], typed: tuple[str, ...], told: str, staff: Path
) -> None:
    for words in (described, typed):
        done = tell(*words, "--epsilon", SURE)
        assert done.stdout == told
        error, rest = done.stderr.split("\n", 1)
        assert error.startswith("error: ")
        assert rest == REMEMBERS


@pytest.mark.parametrize("options", [(), BY_TEAM])
def test_means_variances_and_histograms_of_numbers(options: tuple[str, ...], staff: Path) -> None:
    means = [
        float(line.split("\t")[-1]) for line in tell("mean", *PAY, *options, "--epsilon", SURE).stdout.split("\n")[:-1]
    ]
    true = [1000, 3010, 9009.5] if options else [(20 * 1000 + 20 * 3010 + 180190) / 60]
    assert means == pytest.approx(true, abs=1)
    bars = tell("histogram", *PAY, "--step", "2500", *options, "--epsilon", SURE).stdout.splitlines()
    assert bars[0].split("\t")[-2:] == ["0", "20"]
    assert len(bars) == (15 if options else 5)


def test_the_variance_of_a_column(staff: Path) -> None:
    true = (
        Fraction(20 * 1000**2 + 20 * 3010**2 + sum((9000 + k) ** 2 for k in range(20)), 60) - Fraction(260390, 60) ** 2
    )
    for words in (("staff.toml", "pay"), PAY):
        assert float(tell("variance", *words, "--epsilon", SURE).stdout) == pytest.approx(float(true), rel=1e-3)
    assert "--by" in misuse("variance", "staff.toml", "pay", "--by", "team", "--epsilon", "1")


def test_a_cross_tab_has_a_line_for_each_pair(staff: Path) -> None:
    done = tell("count", "staff.toml", "--by", "leaves,smoker", "--epsilon", SURE)
    assert done.stdout == "yes\tFalse\t14\nyes\tTrue\t6\nno\tFalse\t26\nno\tTrue\t14\n"
    again = tell("count", "staff.toml", "--by", "leaves", "--by", "smoker", "--epsilon", SURE)
    assert again.stdout == done.stdout
    typed = ("--by", "leaves,smoker", "--groups", "yes,no", "--groups", "false,true")
    assert tell("count", "staff.csv", *typed, "--epsilon", SURE).stdout == done.stdout.replace("F", "f").replace(
        "T", "t"
    )


def test_errors_are_told_once_for_all_groups_or_for_each_where_they_differ(staff: Path) -> None:
    same = tell("count", "staff.toml", "--by", "team", "--epsilon", "1").stderr.splitlines()
    assert same[0] == "error: each: off by at most 3 with probability 95 %"
    grid = tell("median", "staff.toml", "pay", "--by", "team", "--epsilon", "1").stderr.splitlines()
    assert grid[0].startswith("error: each: at most ")
    means = tell("mean", "staff.toml", "pay", "--by", "leaves", "--epsilon", SURE).stderr.splitlines()
    assert [line.split(": ")[:2] for line in means[:2]] == [["error", "yes"], ["error", "no"]], "20 of them, and 40"


def test_json_shows_value_error_loss_and_note(staff: Path) -> None:
    told = tell_json("median", *GRID, "--epsilon", "1/2", "--adjacency", "replace")
    assert told["value"] in range(0, 10_001, 50)
    assert told["loss"] == {"epsilon": "0.5", "delta": "0", "adjacency": "replace", "unit": "row"}
    assert told["error"]["unit"] == "people"
    assert told["error"]["statement"].startswith(f"at most {told['error']['bound']:.0f} people")
    assert told["note"] == "median of pay as Number(0, 10000, step=50) in staff.csv"
    done = tell("median", *GRID, "--epsilon", "1", "--json")
    assert done.stderr == REMEMBERS, "the error is in the JSON"


def test_json_shows_every_group_with_its_error(staff: Path) -> None:
    told = tell_json("mean", "staff.toml", "pay", "--by", "team", "--epsilon", SURE)
    assert [each["group"] for each in told["value"]] == ["sales", "lab", "board"]
    assert [each["value"] for each in told["value"]] == pytest.approx([1000, 3010, 9009.5], abs=1)
    assert all(each["error"]["bound"] < 1 for each in told["value"])
    assert told["loss"]["epsilon"] == SURE
    crossed = tell_json("count", "staff.toml", "--by", "team,smoker", "--epsilon", "1")
    assert crossed["value"][0]["group"] == ["sales", False]


# Values that are missing or not declared


def test_missing_and_undeclared_values(staff: Path) -> None:
    (staff / "gaps.csv").write_text("pay,team\n10,lab\n,lab\n30,\n40,mars\n50,lab\n")
    pay = ("gaps.csv", "pay", "--bounds", "0", "100")
    assert "'pay' must have no missing values" in refusal("median", *pay, "--epsilon", "1")
    assert tell("percentile", *pay, "--p", "0,100", "--missing", "drop", "--epsilon", SURE).stdout == "10\n50\n"
    groups = ("count", "gaps.csv", "--by", "team", "--groups", "lab,rest", "--epsilon", SURE)
    assert "'team'" in refusal(*groups)
    assert "'team'" in refusal(*groups, "--missing", "drop")
    assert tell(*groups, "--missing", "drop", "--other", "rest").stdout == "lab\t3\nrest\t1\n"
    assert tell(*groups, "--missing", "other", "--other", "rest").stdout == "lab\t3\nrest\t2\n"
    team = ("most-common", "gaps.csv", "team", "--categories", "moon,rest", "--epsilon", SURE)
    assert tell(*team, "--other", "rest", "--missing", "other").stdout == "rest\n"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--missing", "drop"), "missing must come with --by"),
        (
            ("--by", "team", "--groups", "sales,lab,board", "--other", "none"),
            "other must be one of the categories or gr",
        ),
        (
            ("--by", "team", "--groups", "sales,lab,board", "--missing", "other"),
            "missing='other' needs a declared value",
        ),
        (("--other", "x"), "other must be one of the categories or groups"),
    ],
    ids=str,
)
def test_what_is_said_of_no_column_is_refused(options: tuple[str, ...], told: str, staff: Path) -> None:
    assert told in refusal("count", "staff.csv", *options, "--epsilon", "1")


# How files are written


def test_reading_options_reach_the_table(staff: Path) -> None:
    (staff / "odd.txt").write_bytes("1,5;Köln\n2,5;Köln\nNA;Bonn\n-;Bonn\n".encode("latin-1"))
    reading = ("--delimiter", ";", "--decimal", ",", "--na", "NA,-", "--encoding", "latin-1", "--no-header")
    pay = ("odd.txt", "c0", "--bounds", "0", "10", "--step", "0.5", "--missing", "drop", "--epsilon", SURE)
    assert tell("percentile", *pay, "--p", "0,100", *reading).stdout == "1.5\n2.5\n"
    assert tell("count", "odd.txt", "--by", "c1", "--groups", "Köln,Bonn", "--epsilon", SURE, *reading).stdout == (
        "Köln\t2\nBonn\t2\n"
    )
    repeated = [*reading[:4], "--na", "NA", "--na", "-", *reading[6:]]
    assert tell("percentile", *pay, "--p", "0", *repeated).stdout == "1.5\n"
    assert "UTF-8" in refusal("count", "odd.txt", "--delimiter", ";", "--no-header", "--epsilon", "1")
    assert "decimal must be one of" in refusal("count", "odd.txt", "--decimal", "x", "--epsilon", "1")


def test_a_table_may_come_from_standard_input(staff: Path) -> None:
    table = (staff / "staff.csv").read_text()
    assert tell("median", "-", *GRID[1:], "--epsilon", SURE, stdin=table).stdout == "3000\n"
    assert tell("count", "-", *BY_TEAM, "--epsilon", SURE, stdin=table).stdout == "sales\t20\nlab\t20\nboard\t20\n"
    assert tell_json_of_pipe(table)["note"] == "count in -"


def tell_json_of_pipe(table: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(tell("count", "-", "--epsilon", "1", "--json", stdin=table).stdout)
    return found


# Who pays, and what is kept


def test_the_ledger_of_a_description_pays_and_keeps_what_was_asked(staff: Path) -> None:
    (staff / "staff.toml").write_text('ledger = "staff.db"\n' + (staff / "staff.toml").read_text())
    ask = ("mean", "staff.toml", "pay", "--by", "team", "--where", "smoker=true", "--epsilon", "1")
    assert "dampen budget create" in refusal(*ask)
    Budget.open("staff.db", epsilon=6).scope("analyst", "ann", epsilon=2)
    done = tell(*ask)
    assert "nothing remembers" not in done.stderr
    tell(*ask, "--note", "for the board", "--scope", "analyst=ann")
    study = Budget.open("staff.db")
    assert study.spent.epsilon == 2
    assert study.scope("analyst", "ann").spent.epsilon == 1
    notes = [entry.note for entry in study.history() if entry.kind == "charge"]
    words = "mean of pay as Number(0, 10000, step=50) by team where smoker = True in staff.csv"
    assert notes == [words, "for the board"]
    Budget.open("other.db", epsilon=1)
    tell(*ask, "--budget", "other.db")
    assert Budget.open("other.db").spent.epsilon == 1
    assert study.spent.epsilon == 2


def test_an_answer_that_is_kept_costs_nothing_and_says_so(staff: Path) -> None:
    Budget.open("staff.db", epsilon=2, remember=True)
    ask = ("median", *GRID, "--epsilon", "1", "--budget", "staff.db")
    first, second = tell(*ask), tell(*ask)
    assert first.stdout == second.stdout
    assert FREE not in first.stderr
    assert second.stderr == f"{first.stderr}note: {FREE}\n"
    assert Budget.open("staff.db").spent.epsilon == 1
    assert FREE in tell_json(*ask)["note"]


def test_no_answer_about_standard_input_is_kept(staff: Path) -> None:
    Budget.open("staff.db", epsilon=2, remember=True)
    ask = ("count", "-", "--epsilon", "1", "--budget", "staff.db")
    for rows in (10, 1000):
        assert abs(int(tell(*ask, stdin="pay\n" + "1\n" * rows).stdout) - rows) < 100
    assert Budget.open("staff.db").spent.epsilon == 2
    assert Budget.open("staff.db").questions() == []


# Refusals


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("median staff.toml pay --bounds 0 10", "--bounds must be left out: the description says it"),
        ("median staff.toml pay --step 10", "--step must be left out: the description says it"),
        ("sum staff.toml pay --unit 10", "--unit must be left out: the description says it"),
        ("most-common staff.toml team --categories a,b", "--categories must be left out: the description says it"),
        ("count staff.toml --by team --groups a,b", "--groups must be left out: the description says it"),
        ("count staff.toml --missing drop", "--missing must be left out: the description says it"),
        ("count staff.toml --other b", "--other must be left out: the description says it"),
        ("count staff.toml --delimiter ';'", "--delimiter must be left out: the description says it"),
        ("count staff.toml --no-header", "--no-header must be left out: the description says it"),
        ("median staff.toml pya", 'not "pya": did you mean "pay"?'),
        ("median staff.toml", "column must be named once, as COLUMN or --column"),
        ("median staff.toml pay --column pay", "column must be named once, as COLUMN or --column"),
        ("median staff.toml team", "column must be a number or a date; 'team' is described as a category"),
        ("median staff.toml name", "column must not be a text"),
        ("sum staff.toml hired", "column must be a number; 'hired' is described as a date"),
        ("count staff.toml --where team=labb", 'not "labb": did you mean "lab"?'),
        ("count staff.toml --where pay>=20000", "must lie between its bounds"),
        ("count staff.toml --by pay", "column must be a category or a flag"),
        ("count staff.toml --by team --by team", "by must name one or more different columns"),
        ("most-common staff.toml team --by team", "column must be another one than those of the groups"),
        ("most-common staff.toml team --by smoker --k 2", "k must be 1 with --by"),
        ("count none.toml", "a description must be a TOML file"),
        ("count friends.toml", "the description tells of a graph"),
        ("median staff.csv pay", "bounds must be given with --bounds LO HI, or --bounds private, or described"),
        ("most-common staff.csv team", "categories must be given with --categories, or described in a file"),
        ("count staff.csv --by team", "groups must be given once for each column of --by, or described in a file"),
        ("count staff.csv --groups lab,board", "groups must come with --by"),
        ("histogram staff.csv pay --bounds 0 9 --categories a,b", "bounds and categories exclude each other"),
        ("median staff.csv pay --bounds 2000-01-01 9", "lo must be a finite number"),
        ("median staff.csv hired --bounds 2000-01-01 2001-01-01 --step 7", "step must be one of"),
        ("count staff.csv --where pay", "where must be written as"),
        ("count staff.csv --where=pay>=x", "where must"),
        ("count staff.csv --where 'pay between 9 and 3'", "where must leave a value"),
        ("count staff.csv --where town=Rome", "where must be a column of staff.csv"),
        ("count staff.csv --scope analyst=ann", "scope must come with --budget"),
        ("count staff.csv --epsilon 0", "epsilon must be positive; got '0'"),
        ("count none.csv", "file must exist; got 'none.csv'"),
    ],
)  # fmt: skip
def test_refusals_are_one_sentence_before_anything_is_charged(words: str, told: str, staff: Path) -> None:
    Budget.open("study.db", epsilon=9)
    typed = shlex.split(words)
    budget = [] if "--scope" in typed else ["--budget", "study.db"]
    epsilon = [] if "--epsilon" in typed else ["--epsilon", "1"]
    assert told in refusal(*typed, *epsilon, *budget)
    assert Budget.open("study.db").spent.epsilon == 0


@pytest.mark.parametrize("word", ["--bounds", "--step", "--categories"])
def test_a_verb_takes_only_what_it_can_use(word: str, staff: Path) -> None:
    assert word in misuse("count", "staff.csv", word, "1", "2", "--epsilon", "1")
    assert "--epsilon" in refusal("count", "staff.csv")


@pytest.mark.parametrize(
    "asked", ["sum {} --few", "mean {} --centre twice", "median {} --leading-bits 5", "histogram {} --bars 8"]
)
def test_bounds_may_be_the_one_word_private(asked: str, tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text("pay\n" + "12.5\n" * 400)
    for bounds in ("--bounds private", "--bounds=private"):
        told = tell_json(*asked.format(f"{path} pay {bounds} --unit 0.01 --epsilon 5").split())
        assert "Number(unit=0.01)" in told["note"]


@pytest.mark.parametrize(
    "asked",
    ["sum {} --few", "mean {} --centre twice", "median {} --leading-bits 5", "percentile {} --p 9 --leading-bits 5",
     "percentile {} --p 9,20 --leading-bits 5", "histogram {} --bars 8"],
)  # fmt: skip
def test_groups_take_nothing_that_is_said_without_bounds(asked: str, staff: Path) -> None:
    word = next(word for word in asked.split()[2:] if word.startswith("--") and word != "--p")
    for table in (
        "staff.csv pay --bounds private --unit 1 --by team --groups sales,lab,board",
        "staff.toml pay --by team",
    ):
        told = refusal(*asked.format(table).split(), "--epsilon", "1")
        assert told == f"{word} must be left out: groups need bounds that are known"


@pytest.mark.parametrize("more", ["--bars 5", "--step 5", "--unit 5"])
def test_categories_have_no_steps(more: str, staff: Path) -> None:
    asked = f"histogram staff.csv team --categories sales,lab,board {more} --epsilon 1"
    assert "must be left out" in refusal(*asked.split())
