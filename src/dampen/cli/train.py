"""``dampen train``, ``predict`` and ``score``: a private decision tree from a file, its answers and their accuracy."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dampen._validate import render
from dampen.cli import answers, payment, records
from dampen.cli.records import AdjacencyName, Neighbours
from dampen.cli.verbs import verb
from dampen.errors import ParameterError
from dampen.privacy import BudgetLike, PrivacyLoss


class CriterionName(StrEnum):
    """What an attribute is chosen by."""

    MAX = "max"
    INFORMATION_GAIN = "information_gain"


@verb(110)
def train(
    file: records.File,
    target: Annotated[str, typer.Option(help="Column that holds the class.")],
    schema: Annotated[Path, typer.Option(help="JSON file: the public values of each attribute and of the class.")],
    epsilon: payment.Epsilon,
    depth: Annotated[int, typer.Option(help="Longest path of the tree, in tests.")],
    out: Annotated[Path | None, typer.Option(help="File to write the tree to; standard output if left out.")] = None,
    criterion: Annotated[CriterionName, typer.Option(help="What attributes are chosen by.")] = CriterionName.MAX,
    mechanism: Annotated[str | None, typer.Option(help="How they are chosen, e.g. permute_and_flip.")] = None,
    max_records: Annotated[int | None, typer.Option(help="Public bound of the number of rows, where needed.")] = None,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    where: records.Where = None,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
) -> None:
    """Learn a decision tree, privately, and write it as JSON."""
    from dampen.learn import PrivateTreeClassifier, Schema

    if out is not None and (out.is_dir() or not out.parent.is_dir()):
        raise ParameterError(f"out must be a file in a folder that exists; got {render(str(out))}")
    known = Schema.from_json(schema)
    paying = _NotingBudget(payment.payer(budget, scope, epsilon=epsilon), "train" if note is None else note)
    tree = PrivateTreeClassifier(
        epsilon, depth, criterion.value, mechanism, max_records, schema=known, budget=paying, adjacency=adjacency.member
    )
    with records.progress():
        written = tree.fit(records.source(file, engine, where), target).to_json()
    if not _write(written, out):
        typer.echo(written)
    if budget is None:
        typer.echo(payment.NOTHING_REMEMBERS, err=True)


Model = Annotated[Path, typer.Argument(help="JSON file that `dampen train` wrote.")]


@verb(120)
def predict(
    model: Model,
    file: records.File,
    where: records.Where = None,
    engine: Annotated[
        records.EngineName, typer.Option(help="Who reads the rows: all at once, piece by piece, or Spark.")
    ] = records.DEFAULT_ENGINE,
) -> None:
    """Tell the class of every row of files, one per line, in the order of files and rows; costs nothing more."""
    from dampen.learn.estimator import load_classifier

    classifier = load_classifier(model)
    for labels in classifier.predict_batches(records.source(file, engine, where)):
        if len(labels):
            typer.echo("\n".join(map(str, labels.tolist())))


@verb(130)
def score(
    model: Model,
    file: records.File,
    target: Annotated[str, typer.Option(help="Column that holds the class.")],
    epsilon: payment.Epsilon,
    adjacency: Neighbours = AdjacencyName.ADD_REMOVE,
    where: records.Where = None,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Tell for which share of the rows a model tells the class, privately."""
    from dampen.learn import private_score
    from dampen.learn.estimator import load_classifier

    classifier, rows = load_classifier(model), records.source(file, engine, where)
    paying = payment.payer(budget, scope, epsilon=epsilon)
    with records.progress():
        release = private_score(
            classifier, rows, target, epsilon=epsilon, budget=paying, adjacency=adjacency.member,
            note="score" if note is None else note,
        )  # fmt: skip
    remarks = (f"give or take {release.error('0.95'):.3g} (95 % confidence)",)
    answers.show(release, as_json=as_json, remembered=budget is not None, remarks=remarks)


class _NotingBudget:
    """A budget that remembers the caller's note with whatever it pays for."""

    def __init__(self, payer: BudgetLike, note: str) -> None:
        self._payer, self._note = payer, note

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> Any:
        return self._payer.reserve(loss, note=self._note)


def _write(written: str, out: Path | None) -> bool:
    """Whether the tree stands in a file now; it is paid for, so what cannot be written must be shown."""
    if out is None:
        return False
    try:
        out.write_text(written)
    except OSError:
        typer.echo(f"note: {out.name[:60]} could not be written; the tree is on standard output", err=True)
        return False
    return True
