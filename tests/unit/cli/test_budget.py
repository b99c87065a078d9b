"""``dampen budget`` and ``--budget``: a ledger from the shell."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dampen import Adjacency, Budget, PrivacyLoss
from dampen.cli.app import app
from dampen.cli.payment import EpsilonPayment
from dampen.errors import BudgetError, BudgetExceeded, DampenError, ParameterError
from tests import postgres

SELECT = ("--label", "name", "--score", "votes", "--sensitivity", "1", "--monotone")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    assert run("budget", "create", path, "--epsilon", "3", "--delta", "1e-6", "--composition", "basic").exit_code == 0
    return path


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text("name,votes\ntea,31\ncoffee,28\nwater,4\n")
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def fails(error: type[DampenError], *arguments: object) -> str:
    done = run(*arguments)
    assert isinstance(done.exception, error), done.output
    [line] = str(done.exception).splitlines()
    return line


def summary(study: Path, *options: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run("budget", "show", study, "--json", *options).stdout)
    return told


def test_create_tells_what_may_be_spent_and_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    done = run("budget", "create", path, "--epsilon", "1/2", "--adjacency", "replace", "--unit", "patient")
    assert done.stdout == "new.db: epsilon 0.5 may be spent\n"
    ledger = Budget.open(path)
    assert (str(ledger.adjacency), ledger.unit) == ("Adjacency.REPLACE", "patient")
    ledger.close()
    before = path.read_bytes()
    assert "must not exist" in fails(ParameterError, "budget", "create", path, "--epsilon", "1/2")
    assert path.read_bytes() == before


@pytest.mark.parametrize("epsilon", ["-1", "nan", "0", "many"])
def test_a_bad_limit_makes_no_file(tmp_path: Path, epsilon: str) -> None:
    assert "epsilon" in fails(ParameterError, "budget", "create", tmp_path / "new.db", f"--epsilon={epsilon}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("verb", "options"), [("select", ()), ("top-k", ("--k", "2"))])
def test_every_releasing_verb_spends_from_the_ledger(
    study: Path, votes: Path, verb: str, options: tuple[str, ...]
) -> None:
    spend = (*SELECT, *options, "--epsilon", "1", "--budget", study, "--note", "drinks")
    done = run(verb, votes, *spend)
    assert done.exit_code == 0
    assert "nothing remembers" not in done.stderr
    told = summary(study)
    assert told["purposes"] == [{"note": "drinks", "scope": "", "charges": 1, "spent": {"epsilon": "1", "delta": "0"}}]
    assert told["unfinished"] == []
    assert run(verb, votes, *spend).exit_code == run(verb, votes, *spend).exit_code == 0
    assert "not enough budget" in fails(BudgetExceeded, verb, votes, *spend)


def test_without_a_note_what_was_asked_is_remembered(study: Path, votes: Path) -> None:
    run("select", votes, *SELECT, "--epsilon", "1", "--budget", study)
    [purpose] = summary(study)["purposes"]
    assert purpose["note"] == f"select of name by votes in {votes}"


def test_a_ledger_that_is_not_there_is_refused_before_the_data_is_read(tmp_path: Path) -> None:
    line = fails(BudgetError, "select", "none.csv", *SELECT, "--epsilon", "1", "--budget", tmp_path / "none.db")
    assert "does not exist" in line
    assert list(tmp_path.iterdir()) == []


def test_scopes_from_the_shell(study: Path, votes: Path) -> None:
    done = run("budget", "create", study, "--scope", "team=a", "--epsilon", "1", "--delta", "1e-7")
    assert done.stdout == "team=a: epsilon 1, delta 1e-07 may be spent\n"
    nested = ("--scope", "team=a", "--scope", "analyst=ann")
    assert run("budget", "create", study, *nested, "--epsilon", "1/2").exit_code == 0
    spend = (*SELECT, "--epsilon", "1/4", "--budget", study)
    assert run("select", votes, *spend, *nested).exit_code == 0
    assert run("select", votes, *spend).exit_code == 0
    accounts = {account["scope"]: account["spent"]["epsilon"] for account in summary(study)["accounts"]}
    assert accounts == {"": "0.5", "team=a": "0.25", "team=a/analyst=ann": "0.25"}
    assert "no scope" in fails(BudgetError, "select", votes, *spend, "--scope", "analyst=ann")
    assert "kind=name" in fails(ParameterError, "select", votes, *spend, "--scope", "ann")
    assert "--budget" in fails(ParameterError, "select", votes, *SELECT, "--epsilon", "1", "--scope", "analyst=ann")


def test_show_draws_who_spent_what_on_what_and_the_head(study: Path, votes: Path) -> None:
    run("budget", "create", study, "--scope", "analyst=ann", "--epsilon", "1")
    note = "[bold]drinks[/bold]"
    run("select", votes, *SELECT, "--epsilon", "1/2", "--budget", study, "--scope", "analyst=ann", "--note", note)
    ledger = Budget.open(study)
    shown = run("budget", "show", study).stdout
    for part in ("analyst=ann", "epsilon 0.5", "epsilon 3, delta 1e-06", note, "ADD_REMOVE per row", ledger.head):
        assert part in shown
    assert "unfinished" not in shown
    ledger.reserve(ledger.history()[-2].loss, note="lost")
    assert "unfinished: entry 5" in run("budget", "show", study).stdout
    ledger.close()


def test_show_cuts_long_notes_and_json_does_not(study: Path, votes: Path) -> None:
    note = "a note of many words " * 20 + "at its end"
    spend = ("--epsilon", "1/2", "--budget", study, "--note", note)
    run("select", votes, *SELECT, *spend)
    ledger = Budget.open(study)
    ledger.reserve(ledger.history()[-2].loss, note=note)
    ledger.close()
    done = CliRunner().invoke(app, ["budget", "show", str(study)], env={"COLUMNS": "400"})
    assert done.stdout.count(f"{note[:48]}...{note[-48:]}") == 3
    assert "at its end" in note[-48:]
    assert note[:49] not in done.stdout
    assert summary(study)["purposes"][0]["note"] == note


# Answers that are kept


def test_a_ledger_keeps_answers_where_it_is_made_to(tmp_path: Path) -> None:
    path, plain = tmp_path / "new.db", tmp_path / "plain.db"
    assert run("budget", "create", path, "--epsilon", "1", "--remember").exit_code == 0
    assert run("budget", "create", plain, "--epsilon", "1").exit_code == 0
    assert [summary(each)["remembers"] for each in (path, plain)] == [True, False]
    assert "answers: kept" in run("budget", "show", path).stdout
    assert "answers: kept" not in run("budget", "show", plain).stdout
    scope = ("--scope", "analyst=ann", "--epsilon", "1")
    assert "leave them out" in fails(ParameterError, "budget", "create", plain, *scope, "--remember")
    for _ in range(2):
        assert run("budget", "remember", plain).stdout == "plain.db: answers are kept\n"
    assert summary(plain)["remembers"]
    assert run("budget", "verify", plain).exit_code == 0


def test_show_lists_the_questions_that_cost_nothing_only_where_asked(study: Path) -> None:
    run("budget", "remember", study)
    keys = ["median of [bold]pay[/bold]", "words " * 100 + "at its end"]
    ledger = Budget.open(study)
    for key in keys:
        ledger.keep(key, '{"value": 7}')
    ledger.close()
    assert "questions" not in summary(study)
    assert "median" not in run("budget", "show", study).stdout
    assert summary(study, "--answers")["questions"] == keys
    shown = run("budget", "show", study, "--answers").stdout
    assert "answered for nothing: median of [bold]pay[/bold]\n" in shown
    assert f"{keys[1][:48]}...{keys[1][-48:]}\n" in shown
    assert "value" not in shown


def test_the_payer_of_a_command_recalls_and_keeps_what_its_ledger_does(study: Path) -> None:
    run("budget", "remember", study)
    paying = EpsilonPayment(epsilon="1", budget=str(study)).payer()
    assert paying.recall("median of pay") is None
    paying.keep("median of pay", "7")
    assert paying.recall("median of pay") == "7"
    assert (paying.file, paying.remembers) == (study, True)
    for forgetful in (
        EpsilonPayment(epsilon="1").payer(),
        EpsilonPayment(epsilon="1", budget=str(study)).payer(of_pipe=True),
    ):
        forgetful.keep("count", "7")
        assert forgetful.recall("count") is None
    assert (EpsilonPayment(epsilon="1").payer().file, EpsilonPayment(epsilon="1").payer().remembers) == (None, False)
    assert paying.recall("count") is None


def test_history_lists_entries_oldest_first(study: Path, votes: Path) -> None:
    run("select", votes, *SELECT, "--epsilon", "1/2", "--budget", study, "--note", "drinks")
    lines = run("budget", "history", study).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["entry", "1", "2", "3"]
    assert "drinks" in lines[2]
    assert "outcome of 2" in lines[3]
    [latest] = run("budget", "history", study, "--last", "1", "--json").stdout.splitlines()
    assert json.loads(latest)["note"] == "done"


def test_limits_change_but_never_below_what_is_spent(study: Path, votes: Path) -> None:
    run("select", votes, *SELECT, "--epsilon", "2", "--budget", study)
    assert "spent already" in fails(BudgetError, "budget", "limit", study, "--epsilon", "1")
    done = run("budget", "limit", study, "--epsilon", "2", "--note", "the study ends")
    assert done.stdout == "epsilon 2, delta 1e-06 may be spent; epsilon 2 is spent\n"
    assert "must be given" in fails(ParameterError, "budget", "limit", study)
    assert run("budget", "verify", study).exit_code == 0


def test_verify_ends_with_1_when_the_ledger_is_not_intact(study: Path, tmp_path: Path) -> None:
    head = run("budget", "export", study, "--out", tmp_path / "entries.jsonl").stdout.strip()
    assert json.loads((tmp_path / "entries.jsonl").read_text().splitlines()[0])["head"] == head
    done = run("budget", "verify", study, "--head", head)
    assert (done.exit_code, done.stdout, done.stderr) == (0, f"intact: 1 entries, head {head}\n", "")
    assert "cut off" in run("budget", "verify", study).stderr
    with sqlite3.connect(study) as db:
        db.execute("UPDATE accounts SET epsilon_limit = '4'")
    db.close()
    done = run("budget", "verify", study)
    assert done.exit_code == 1
    assert "limits and spending" in done.stdout
    assert "head" in fails(ParameterError, "budget", "verify", study, "--head", "7")


def test_every_rule_from_the_shell(tmp_path: Path) -> None:
    survey, study, drinks = (str(tmp_path / name) for name in ("survey.db", "study.db", "drinks.db"))
    assert run("budget", "create", survey, "--epsilon", "1", "--delta", "1e-6").stdout == (
        "survey.db: epsilon 1, delta 1e-06 may be spent\n"
    )
    assert run("budget", "create", study, "--rho", "1/50").stdout == "study.db: rho 0.02 may be spent\n"
    assert run("budget", "create", study, "--rho", "1/100", "--scope", "team=a").exit_code == 0
    assert run("budget", "create", drinks, "--epsilon", "1", "--composition", "pure").exit_code == 0
    told = {path: json.loads(run("budget", "show", path, "--json").stdout) for path in (survey, study, drinks)}
    assert [each["composition"] for each in told.values()] == ["approx", "zcdp", "pure"]
    assert told[study]["accounts"][0] == {
        "scope": "", "limit": {"delta": "0", "rho": "0.02"}, "spent": {"delta": "0", "rho": "0"},
    }  # fmt: skip
    assert "composition: approx" in run("budget", "show", survey).stdout
    assert run("budget", "limit", study, "--rho", "1/10").stdout == "rho 0.1 may be spent; rho 0 is spent\n"
    for wrong in (("--rho", "1", "--epsilon", "1"), (), ("--epsilon", "1", "--composition", "approx")):
        assert fails(ParameterError, "budget", "create", tmp_path / "other.db", *wrong)
        assert not (tmp_path / "other.db").exists()


def test_slots_from_the_shell(tmp_path: Path, votes: Path) -> None:
    study, survey = tmp_path / "study.db", tmp_path / "survey.db"
    limits = ("--epsilon", "3.2", "--delta", "1e-6")
    assert run("budget", "create", study, "--slots", "50 x 1/10", *limits).stdout == (
        "study.db: epsilon 3.2, delta 1e-06 in 50 slots may be spent\n"
    )
    assert run("select", votes, *SELECT, "--epsilon", "1/20", "--budget", study).exit_code == 0
    assert isinstance(run("select", votes, *SELECT, "--epsilon", "1", "--budget", study).exception, BudgetExceeded)
    shown = run("budget", "show", study).stdout
    for words in (
        "composition: slots",
        "epsilon 0.1 in 1 slot ",
        "slots: 1 of 50 used, epsilon 0.1",
        "room for 49 more",
    ):
        assert words in shown
    told = json.loads(run("budget", "show", study, "--json").stdout)
    assert told["slots"] == [{"loss": {"epsilon": "0.1", "delta": "0"}, "count": 50, "used": 1}]
    kinds = [line.split()[2] for line in run("budget", "history", study).stdout.splitlines()[1:]]
    assert kinds == ["rule", "slots", "limit", "charge", "outcome"]
    assert run("budget", "verify", study).exit_code == 0
    several = "2 x 1/10 bounded_range 1/10,3 x 1/2 delta 1e-8 rho 1/9"
    graph = ("--adjacency", "edge", "--unit", "friendship")
    made = run("budget", "create", survey, "--slots", several, "--epsilon", "2", "--delta", "1e-6", *graph)
    assert made.exit_code == 0
    shown = run("budget", "show", survey).stdout
    for words in ("EDGE per friendship", "0 of 2 used, epsilon 0.1, bounded range 0.1", "delta 1e-08, rho 1/9"):
        assert words in shown


@pytest.mark.parametrize(
    "wrong",
    ["", "50", "1/10", "0 x 1/10", "50 x", "x 1/10", "5 x 1/10,", "5 x 1/10 range 1", "1e3 x 1", "5 x 1 rho"],
)
def test_slots_that_cannot_be_read_are_told(tmp_path: Path, wrong: str) -> None:
    told = fails(ParameterError, "budget", "create", tmp_path / "study.db", "--epsilon", "9", "--slots", wrong)
    assert "slots must be such as '50 x 1/10'" in told
    assert not (tmp_path / "study.db").exists()


def test_wrong_slots_from_the_shell(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    for wrong, name in (("5 x many", "epsilon"), ("5 x -1", "epsilon"), ("5 x 1 delta 2", "delta"), ("9 x 2", "slots")):
        assert name in fails(ParameterError, "budget", "create", path, "--epsilon", "9", "--slots", wrong)
    assert not path.exists()
    assert run("budget", "create", path, "--epsilon", "9", "--slots", "5 x 1").exit_code == 0
    assert "scope" in fails(ParameterError, "budget", "create", path, "--slots", "1 x 1", "--scope", "analyst=ann")
    assert "no scopes" in fails(BudgetError, "budget", "create", path, "--epsilon", "1", "--scope", "analyst=ann")
    assert "fixed" in fails(BudgetError, "budget", "limit", path, "--epsilon", "10")


def test_show_says_how_many_more_answers_fit(tmp_path: Path) -> None:
    path = tmp_path / "survey.db"
    ledger = Budget.open(path, epsilon=1, delta="1e-6")
    for epsilon in ("0.01", "0.02", "0.02"):
        ledger.reserve(
            PrivacyLoss(epsilon, adjacency=Adjacency.ADD_REMOVE, bounded_range=epsilon), note="median of pay"
        )
    shown = run("budget", "show", path).stdout
    assert "room for about 450 more: median of pay at epsilon 0.02" in shown
    assert "room for about 1800 more: median of pay at epsilon 0.01" in shown
    [first, _] = json.loads(run("budget", "show", path, "--json").stdout)["room"]
    assert (first["note"], first["loss"]["epsilon"], first["more"]) == ("median of pay", "0.02", 456)
    more = PrivacyLoss("0.02", adjacency=Adjacency.ADD_REMOVE, bounded_range="0.02")
    ledger.batch([more] * 456)
    with pytest.raises(BudgetExceeded):
        ledger.reserve(more)
    assert "room for 0 more" in run("budget", "show", path).stdout
    ledger.close()


# On a server


def test_a_ledger_is_copied_to_a_server_and_pays_from_there(study: Path, votes: Path) -> None:
    address = postgres.server().address("of_the_command")
    head = summary(study)["head"]
    done = run("budget", "copy", study, "--to", address, "--head", head)
    assert (done.stdout, done.stderr.count("put the first one away")) == (f"{head}\n", 1)
    assert run("select", votes, *SELECT, "--epsilon", "1", "--budget", address, "--note", "drinks").exit_code == 0
    told = json.loads(run("budget", "show", address, "--json").stdout)
    assert (told["file"], told["accounts"][0]["spent"]["epsilon"]) == ("postgres/of_the_command", "1")
    assert run("budget", "show", address).stdout.startswith("postgres/of_the_command  neighbours: ADD_REMOVE per row")
    assert run("budget", "verify", address, "--head", head).exit_code == 0
    assert len(run("budget", "history", address, "--json").stdout.splitlines()) == 3
    assert "must not exist" in fails(ParameterError, "budget", "create", address, "--epsilon", "1")
    assert "is taken" in fails(BudgetError, "budget", "copy", study, "--to", address)


def test_the_command_shows_no_password(study: Path) -> None:
    wrong = "postgresql://ann:secret@127.0.0.1:1/study"
    for words in (("show", wrong), ("create", wrong, "--epsilon", "1"), ("copy", study, "--to", wrong)):
        assert "secret" not in fails(BudgetError, "budget", *words)
    assert "secret" not in fails(ParameterError, "budget", "show", "postgresql:/ann:secret@h/study")
