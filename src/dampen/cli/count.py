"""``dampen count``: rows of a table, or small patterns of a graph."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from dampen._validate import exact
from dampen.cli import answers
from dampen.cli.graphs import GraphOptions, OfGraph
from dampen.cli.options import name_of
from dampen.cli.progress import progress
from dampen.cli.tables import Groups, OfPersons, TableQuestion
from dampen.cli.verbs import Options, add_members, refuse_given, verb
from dampen.errors import ParameterError
from dampen.questions.subgraph_counts import PATTERNS, UNITS

UNSPENT = "note: nothing of --delta was spent; this answer is private without it."


class PatternName(StrEnum):
    """The patterns by their names on the command line."""

    add_members(vars(), PATTERNS)


class UnitName(StrEnum):
    """What is hidden, by its name on the command line."""

    add_members(vars(), UNITS)


@dataclass(frozen=True, kw_only=True)
class Pattern(Options):
    """What is counted in a graph."""

    pattern: Annotated[PatternName | None, OfGraph(help="What to count in a graph.")] = None
    k: Annotated[int | None, OfGraph("--k", help="Size of a k-triangle, k-star or k-clique.")] = None
    unit: Annotated[UnitName | None, OfGraph(help="What is hidden: an edge, or a node with all its edges.")] = None
    graph: GraphOptions


@dataclass(frozen=True, kw_only=True)
class Fit(Options):
    """What the counts of groups are made to be."""

    non_negative: Annotated[
        bool, typer.Option("--non-negative", help="With --by: counts below 0 become 0, and tell no error.")
    ] = False
    consistent: Annotated[
        bool, typer.Option("--consistent", help="With --by: counts are at least 0 and add up, and tell no error.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Unknown(Options):
    """What is said of groups that nobody listed."""

    most: Annotated[
        int | None, typer.Option(help="With --groups private and a person: in how many groups one is counted.")
    ] = None
    at_least: Annotated[
        int | None, typer.Option(help="With --groups private: groups of fewer people are never shown.")
    ] = None

    def said(self) -> dict[str, int]:
        """What was typed."""
        return {name: found for name in ("most", "at_least") if (found := getattr(self, name)) is not None}


@dataclass(frozen=True, kw_only=True)
class Failure(Options):
    """How likely a guarantee may fail."""

    delta: Annotated[
        str,
        typer.Option(
            help="Failure probability: for --groups private, and for patterns, where 0 is a pure guarantee. Triangles, "
            "stars and 2-triangles mostly do not spend it up to epsilon 4; the answer says so."
        ),
    ] = "0"


@verb(30, "count", "count_subgraphs")
def count(
    groups: Groups,
    unknown: Unknown,
    fit: Fit,
    whose: OfPersons,
    options: TableQuestion,
    failure: Failure,
    pattern: Pattern,
) -> None:
    """Count the rows of a table, or with --pattern the edges, triangles, stars or cliques of a graph, privately.

    Examples:
      dampen count staff.toml --by team --epsilon 1
      dampen count staff.csv --where 'pay>=1000' --epsilon 1
      dampen count staff.csv --person name --of persons --epsilon 1
      dampen count staff.csv --by name --groups private --epsilon 1 --delta 1e-6
      dampen count calls.csv --persons from,to --epsilon 1
      dampen count friends.txt --pattern triangle --nodes 100 --epsilon 1
      dampen count friends.txt --pattern edge --unit node --nodes 100 --epsilon 1
    """
    if pattern.pattern is not None:
        refuse_given("it is for tables, not for --pattern", groups, unknown, fit, whose, options.gaps, options.persons)
        _count_in_graph(pattern, pattern.pattern, options, failure.delta)
        return
    refuse_given("it comes with --pattern, which counts in a graph", pattern)
    if groups.are_private:
        refuse_given("groups that nobody listed have people, and counts above a threshold", fit, whose)
        options.payment.price.require_epsilon("with --groups private")
        options.tell("count", None, groups, delta=failure.delta, **unknown.said())
        return
    refuse_given("it comes with --groups private", unknown)
    refuse_given("it comes with --pattern or with --groups private", failure)
    if not groups.columns:
        refuse_given("it comes with --by", fit)
        options.tell("count", None, groups, **whose.said())
        return
    fitted = {"non_negative": fit.non_negative, "consistent": fit.consistent}
    options.tell("count", None, groups, **whose.said(), **fitted)


def _count_in_graph(found: Pattern, pattern: PatternName, options: TableQuestion, delta: str) -> None:
    unit = "edge" if found.unit is None else found.unit.value
    if options.adjacency is not None:
        raise ParameterError("--adjacency must be left out: it is for tables, not for --pattern")
    if unit == "node" and found.graph.nodes_from_edges:
        raise ParameterError("nodes must be declared with --unit node: who has an edge is part of what it hides")
    payment, epsilon = options.payment, options.payment.price.require_epsilon("with --pattern")
    graph, payer = found.graph.open(options.file, options.rows, payment, delta=delta)
    asked = f"count {name_of(pattern)}{'' if found.k is None else f' k={found.k}'} in {options.file}"
    with progress(), answers.cut_off_as_note():
        release = graph.count(
            pattern.value, k=found.k, epsilon=epsilon, delta=delta, budget=payer,
            unit=unit, note=payment.noted(asked),
        )  # fmt: skip
    spared = (UNSPENT,) if exact(delta=delta) > 0 and not release.loss.delta else ()
    answers.show(release, payer, as_json=options.as_json, remarks=(*found.graph.remarks(), *spared))
