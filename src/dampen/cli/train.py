"""``dampen train``, ``predict`` and ``score``: a private classifier from a file, its answers and their accuracy."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dampen.cli import answers
from dampen.cli.options import ADD_REMOVE, Rows
from dampen.cli.output import print_answer, require_unused, require_writable, write_answer, write_text
from dampen.cli.payment import EpsilonPayment, Payer
from dampen.cli.progress import progress
from dampen.cli.tables import (
    DESCRIBED,
    File,
    LinkedTable,
    Neighbours,
    Persons,
    is_description,
    named_once,
    open_description,
    require_unlinked,
)
from dampen.cli.verbs import Options, refuse_given, verb
from dampen.describe.columns import Category, Column
from dampen.describe.person import as_person
from dampen.describe.where import words
from dampen.errors import ParameterError
from dampen.front.table import Table
from dampen.privacy import Adjacency
from dampen.tables.engines import Source


class CriterionName(StrEnum):
    """What an attribute is chosen by."""

    MAX = "max"
    INFORMATION_GAIN = "information_gain"


class KindName(StrEnum):
    """What is learned."""

    CLASSIFIER = "classifier"
    TREE = "tree"
    FOREST = "forest"
    SCORECARD = "scorecard"


CLASSIFIER = KindName("classifier")
FITTING = {
    KindName.CLASSIFIER: ["--expected-records"],
    KindName.TREE: ["--depth", "--criterion", "--mechanism", "--max-records"],
    KindName.FOREST: ["--depth"],
    KindName.SCORECARD: ["--expected-records"],
}
"""The options of each kind."""


@dataclass(frozen=True, kw_only=True)
class Examples(Options):
    """Rows whose class is known, and who pays for what is told of them."""

    file: File
    name: Annotated[
        str | None, typer.Argument(metavar="TARGET", help="Column that holds the class.", show_default=False)
    ] = None
    target: Annotated[str | None, typer.Option(help="The same as TARGET.")] = None
    rows: Rows
    persons: Persons
    table: LinkedTable = None
    adjacency: Neighbours = None
    payment: EpsilonPayment

    @property
    def chosen(self) -> str:
        """The name of the target."""
        return named_once("target", self.name, self.target)

    @property
    def neighbours(self) -> Adjacency:
        """What a neighbour is, for rows that no description tells of."""
        return (self.adjacency or ADD_REMOVE).member

    @contextmanager
    def open(
        self, verb: str, columns: Mapping[str, Column] | None = None
    ) -> Iterator[tuple[Table | Source, Source, Payer]]:
        """A table, of a description or with a person, or else the rows of a file; these rows in any case; who pays.

        ``columns``: what is known of those of a file.
        """
        if self.persons.persons is not None:
            raise ParameterError("--persons must be left out: rows of two persons are counted, and nothing is learned")
        if is_description(self.file):
            refuse_given(DESCRIBED, self.persons)
            table, payer = open_description(self.file, self.rows, self.payment, self.adjacency, self.table)
            source = table.view.source(None) if table.person is None else table.view.person_source()
            payer.note = self._note(verb, source, table.view.title)
            yield table, source, payer
            return
        require_unlinked(self.table)
        payer = self.payment.payer()
        with self.rows.open(self.file) as source:
            payer.note = self._note(verb, source, self.file)
            if self.persons.person is None:
                as_person(None, self.persons.rule)
                yield source, source, payer
                return
            table = Table(
                source, columns=columns or {}, budget=payer, adjacency=self.neighbours, name=self.file,
                person=self.persons.person, person_missing=self.persons.rule,
            )  # fmt: skip
            yield table, source, payer

    def _note(self, verb: str, source: Source, name: str) -> str:
        where = f" where {words(source.where)}" if source.where else ""
        whose = "" if self.persons.person is None else f" per {self.persons.person}"
        return self.payment.noted(f"{verb} of {self.chosen}{whose}{where} in {name}")


@dataclass(frozen=True, kw_only=True)
class ModelOptions(Options):
    """What is learned, and how."""

    kind: Annotated[
        KindName, typer.Option(help="What is learned: a decision table, a tree, a forest or a scorecard.")
    ] = CLASSIFIER
    expected_records: Annotated[int | None, typer.Option(help="Roughly how many rows there are, if public.")] = None
    depth: Annotated[int | None, typer.Option(help="Longest path of a tree, in tests.")] = None
    criterion: Annotated[CriterionName | None, typer.Option(help="What attributes of a tree are chosen by.")] = None
    mechanism: Annotated[str | None, typer.Option(help="How they are chosen, e.g. permute_and_flip.")] = None
    max_records: Annotated[int | None, typer.Option(help="Public bound of the number of rows, where needed.")] = None

    def model(self, epsilon: str) -> Any:
        """The classifier that is meant, without schema and budget."""
        from dampen.learn import PrivateClassifier, PrivateForestClassifier, PrivateScorecard, PrivateTreeClassifier

        refuse_given(f"it is not for --kind {self.kind.value}", self, but=("--kind", *FITTING[self.kind]))
        if self.kind is KindName.CLASSIFIER:
            return PrivateClassifier(epsilon, expected_records=self.expected_records)
        if self.kind is KindName.SCORECARD:
            return PrivateScorecard(epsilon, expected_records=self.expected_records)
        if self.kind is KindName.FOREST:
            return PrivateForestClassifier(epsilon, max_depth=self.depth)
        if self.depth is None:
            raise ParameterError("depth must be given for --kind tree: the longest path of the tree, in tests")
        by = CriterionName.MAX if self.criterion is None else self.criterion
        return PrivateTreeClassifier(epsilon, self.depth, by.value, self.mechanism, self.max_records)


@verb(110)
def train(
    examples: Examples,
    options: ModelOptions,
    schema: Annotated[
        Path | None,
        typer.Option(
            readable=False, help="JSON file: the public values of attributes and class; not with a description."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(readable=False, help="File to write the model to; standard output if left out.")
    ] = None,
) -> None:
    """Learn a classifier, privately, and write it as JSON.

    Examples:
      dampen train staff.toml leaves --epsilon 1 --out model.json
      dampen train staff.csv leaves --schema schema.json --epsilon 1 > model.json
    """
    require_writable(out)
    target, model = examples.chosen, options.model(examples.payment.epsilon)
    if schema is None and not is_description(examples.file):
        raise ParameterError("schema must be given with --schema, or a description (.toml) in place of the file")
    known = None if schema is None else _schema(schema, examples.file)
    columns = None if known is None else {**known.attributes, target: Category(known.classes)}
    with examples.open("train", columns) as (data, source, payer), progress():
        require_unused(out, source.data, payer)
        if not isinstance(data, Table):
            model.set_params(schema=known, budget=payer, adjacency=examples.neighbours)
        written = model.fit(data, target).to_json()
    if out is None:
        print_answer(written)
    else:
        write_answer(out, lambda path: write_text(path, written))
    answers.tell(payer)


def _schema(file: Path, data: str) -> Any:
    from dampen.learn import Schema

    if is_description(data):
        raise ParameterError(f"--schema must be left out: {DESCRIBED}")
    return Schema.from_json(file)


Model = Annotated[Path, typer.Argument(metavar="MODEL", readable=False, help="JSON file that `dampen train` wrote.")]


@verb(120)
def predict(
    model: Model,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Data file or quoted pattern, one row each; - for standard input.")
    ],
    rows: Rows,
) -> None:
    """Tell the class of every row of files, one per line, in the order of files and rows; costs nothing more.

    Example:
      dampen predict model.json new.csv
    """
    from dampen.learn.estimator import load_classifier

    classifier = load_classifier(model)
    with rows.open(file) as source:
        for labels in classifier.predict_batches(source):
            if len(labels):
                typer.echo("\n".join(map(str, labels.tolist())))


@verb(130)
def score(model: Model, examples: Examples, as_json: answers.Json = False) -> None:
    """Tell for which share of the rows a model tells the class, privately.

    Examples:
      dampen score model.json staff.toml leaves --epsilon 1
      dampen score model.json held-out.csv leaves --epsilon 1
    """
    from dampen.learn import private_score
    from dampen.learn.estimator import load_classifier

    classifier, target = load_classifier(model), examples.chosen
    with examples.open("score") as (data, _, payer), progress():
        release = private_score(
            classifier, data, target, epsilon=examples.payment.epsilon, budget=payer, note=payer.note or "",
            adjacency=None if isinstance(data, Table) else examples.neighbours,
        )  # fmt: skip
    answers.show(release, payer, as_json=as_json)
