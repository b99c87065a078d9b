"""How a verb is made: shared options are one parameter of the function, and many of the command."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from dampen.cli import verbs
from dampen.cli.verbs import Options, refuse_given, verb
from dampen.errors import ParameterError
from dampen.questions.record import RECORD
from tests.unit.cli.shell import tell

SPELT_ELSEWHERE = {"percentiles": "percentile", "top_categories": "most-common", "count_subgraphs": "count"}
"""Questions that are forms of another verb: several percentiles, several categories, a pattern."""


@dataclass(frozen=True, kw_only=True)
class Inner(Options):
    depth: Annotated[int, typer.Option()] = 3
    no_end: Annotated[bool, typer.Option("--no-end")] = False


@dataclass(frozen=True, kw_only=True)
class Outer(Options):
    file: Annotated[str, typer.Argument()]
    name: Annotated[str | None, typer.Option()] = None
    inner: Inner


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    monkeypatch.setattr(verbs, "VERBS", [])

    @verb(1, "median")
    def try_out(outer: Outer, own: Annotated[str, typer.Option()], last: int = 0) -> None:
        """Try."""
        typer.echo(f"{outer} {own} {last} {[*outer.inner.given()]}")

    app = typer.Typer()
    [entered] = verbs.VERBS
    assert (entered.name, entered.asks, entered.run.__doc__) == ("try-out", ("median",), "Try.")
    assert list(inspect.signature(entered.run).parameters) == ["file", "own", "name", "depth", "no_end", "last"]
    app.command()(entered.run)
    return app


def test_shared_options_arrive_as_they_were_declared(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, ["x.csv", "--own", "o", "--depth", "5", "--name", "n"])
    inner = Inner(depth=5)
    assert done.stdout == f"{Outer(file='x.csv', name='n', inner=inner)} o 0 ['--depth']\n"
    done = CliRunner().invoke(app, ["x.csv", "--own", "o", "--no-end", "--last", "2"])
    assert done.stdout == f"{Outer(file='x.csv', inner=Inner(no_end=True))} o 2 ['--no-end']\n"
    assert CliRunner().invoke(app, ["x.csv"]).exit_code == 2


def test_options_that_were_typed_can_be_refused() -> None:
    typed = Outer(file="x", name="n", inner=Inner(no_end=True))
    assert [*typed.given()] == ["--file", "--name", "--no-end"]
    refuse_given("why", None, Inner())
    refuse_given("why", typed, but=("--file", "--name", "--no-end"))
    with pytest.raises(ParameterError, match=r"^--no-end must be left out: why$"):
        refuse_given("why", typed, but=("--file", "--name"))


def test_command_and_library_have_the_same_words() -> None:
    asked = {question: entered.name for entered in verbs.VERBS for question in entered.asks}
    assert asked.keys() == RECORD.keys()
    for question, name in asked.items():
        assert name == SPELT_ELSEWHERE.get(question, question.replace("_", "-"))


def test_the_ledger_has_the_words_of_the_library(staff: object) -> None:
    tell("budget", "create", "one.db", "--epsilon", "99")
    tell("budget", "create", "two.db", "--epsilon", "99")
    pay, terms = ("staff.toml", "pay"), ("--epsilon", "1", "--budget", "one.db")
    for question in ("median", "sum", "mean", "variance", "histogram"):
        tell(question, *pay, *terms)
    tell("percentile", *pay, "--p", "90", *terms)
    tell("percentile", *pay, "--p", "25,75", *terms)
    tell("most-common", "staff.toml", "team", *terms)
    tell("most-common", "staff.toml", "team", "--k", "2", *terms)
    tell("count", "staff.toml", *terms)
    scores = ("votes.csv", "--label", "who", "--score", "n", "--sensitivity", "1", *terms)
    tell("select", *scores)
    tell("top-k", *scores, "--k", "2")
    tell("count", "friends.toml", "--pattern", "triangle", "--epsilon", "1", "--budget", "two.db")
    tell("top-nodes", "friends.toml", "--k", "2", "--epsilon", "1", "--budget", "two.db")
    from dampen import Budget

    notes = [e.note for file in ("one.db", "two.db") for e in Budget.open(file).history() if e.kind == "charge"]
    assert [note.split()[0] for note in notes] == [
        "median", "sum", "mean", "variance", "histogram", "percentile", "percentiles", "most_common", "top_categories",
        "count", "select", "top_k", "count", "top_nodes",
    ]  # fmt: skip
    assert notes[-4:] == [
        "select of who by n in votes.csv",
        "top_k k=2 of who by n in votes.csv",
        "count triangle in friends.toml",
        "top_nodes k=2 by ego_betweenness in friends.toml",
    ]
