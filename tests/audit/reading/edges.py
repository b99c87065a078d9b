"""Graphs: the two ends of every edge are labels of nodes. One row more is at most one edge more."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scipy import sparse

import dampen
from dampen.tables.engines import Source
from tests.audit.reading.check import Answer, Question, Record, largest
from tests.audit.reading.entries import Entry, Public, in_columns, in_tables, posed, utilities
from tests.audit.reading.forms import Form, Held
from tests.audit.reading.oracle import number


def _edges(graph: dampen.Graph) -> Answer:
    src, dst = graph.edges()
    return dict.fromkeys(zip(src.tolist(), dst.tolist(), strict=True), 1)


def ends(public: Public, records: Sequence[Record]) -> Answer:
    """The edges of rows, once each and without loops; or a refusal. Labels 0, 1, 2, ... are numbers of nodes."""
    if all(type(label) is int and label == place for place, label in enumerate(public.labels)):
        return _numbers(public, records)
    found = [(public.rule.place(row[0]), public.rule.place(row[1])) for row in records]
    if any(min(pair) < 0 for pair in found):
        return None
    return dict.fromkeys((tuple(sorted(pair)) for pair in found if pair[0] != pair[1]), 1)


def _filtered(public: Public, records: Sequence[Record]) -> Answer:
    return ends(public, [row for row in records if public.filter_rule.place(row[2]) == 0])


def _numbers(public: Public, records: Sequence[Record]) -> Answer:
    """Nodes that are just numbered are numbers, and no labels: a truth value is none."""
    found = [(number(row[0]), number(row[1])) for row in records]
    if any(end not in public.labels for pair in found for end in pair):
        return None
    return dict.fromkeys((tuple(sorted(map(int, pair))) for pair in found if pair[0] != pair[1]), 1)  # type: ignore[arg-type]


def _asked(
    make: Callable[[Held, Public], dampen.Graph], rule: Callable[[Public, Sequence[Record]], Answer] = ends
) -> Callable[[Public], Question]:
    return lambda public: Question("", lambda held: _edges(make(held, public)), lambda records: rule(public, records))


def _from_table(held: Held, public: Public) -> dampen.Graph:
    if isinstance(held.table, Path):
        return dampen.Graph.from_file(held.table, src="s", dst="d", nodes=public.labels)
    return dampen.Graph.from_frame(held.table, src="s", dst="d", nodes=public.labels)


def _numbered(public: Public) -> Public:
    """Nodes that are just numbered, which dampen treats on their own."""
    return replace(public, labels=tuple(range(3)))


def _of_count(held: Held, public: Public) -> dampen.Graph:
    if held.bare:
        return dampen.Graph(held.columns["s"], held.columns["d"], nodes=len(public.labels))
    if isinstance(held.table, Path):
        return dampen.Graph.from_file(held.table, src="s", dst="d", nodes=len(public.labels))
    return dampen.Graph.from_frame(held.table, src="s", dst="d", nodes=len(public.labels))


def _of_rows(held: Held, public: Public) -> dampen.Graph:
    """The graph of the rows that a filter leaves."""
    rows = Source(held.table, {"f": public.wanted})
    return dampen.Graph.from_frame(rows, src="s", dst="d", nodes=public.labels)


def _count_subgraphs(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        graph = _of_rows(held, public)
        found = posed(lambda till: dampen.count_subgraphs(graph, "edge", epsilon=1, budget=till))
        return utilities(found[-1])

    def expect(records: Sequence[Record]) -> Answer:
        found = _filtered(public, records)
        return None if found is None else {"value": len(found)}

    return Question("", ask, expect)


def _top_nodes(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        named: dict[str, Any] = {"score": "degree", "method": "exponential", "epsilon": 1}
        graph = _of_rows(held, public)
        found = posed(lambda till: dampen.top_nodes(graph, 1, budget=till, **named))
        return utilities(found[-1])

    def expect(records: Sequence[Record]) -> Answer:
        found = _filtered(public, records)
        places = range(len(public.labels))
        return None if found is None else {place: sum(place in pair for pair in found) for place in places}  # type: ignore[operator]

    return Question("", ask, expect, largest)


def _from_scipy(public: Public) -> Question:
    """One stored entry is one record; those at the same place add up."""

    def ask(held: Held) -> Answer:
        rows, columns, entries = held.columns["s"], held.columns["d"], held.columns["w"]
        return _edges(dampen.Graph.from_scipy(sparse.coo_array((entries, (rows, columns)), shape=(3, 3))))

    def expect(records: Sequence[Record]) -> Answer:
        sums = Counter[Any]()
        for src, dst, weight in records:
            sums[src, dst] += weight
        return dict.fromkeys((tuple(sorted(pair)) for pair, total in sums.items() if total and pair[0] != pair[1]), 1)

    return Question("", ask, expect)


def _not_loaded(form: Form) -> bool:
    return in_tables(form) and not form.name.startswith("loaded")


def _in_memory_or_files(form: Form) -> bool:
    return in_columns(form) or _not_loaded(form)


def _in_arrays(form: Form) -> bool:
    return form.name == "columns"


ENDS = {"s": "node", "d": "node"}
ENTRIES: tuple[Entry, ...] = (
    Entry(
        "Graph.from_edges",
        ENDS,
        _asked(lambda held, public: dampen.Graph.from_edges(held.columns["s"], held.columns["d"], nodes=public.labels)),
        ("Graph.from_edges", "Graph.__init__"),
        in_columns,
    ),
    Entry(
        "Graph.from_frame",
        ENDS,
        _asked(_from_table),
        ("Graph.from_frame", "Graph.from_file", "Engine.edges"),
        _not_loaded,
    ),
    Entry("Graph of numbered nodes", ENDS, _asked(_of_count, _numbers), (), _in_memory_or_files, _numbered),
    Entry(
        "Graph.from_scipy",
        {"s": "spot", "d": "spot", "w": "weight"},
        _from_scipy,
        ("Graph.from_scipy",),
        _in_arrays,
    ),
    Entry(
        "count_subgraphs where",
        {**ENDS, "f": "filter"},
        _count_subgraphs,
        ("questions.count_subgraphs",),
        in_tables,
    ),
    Entry("top_nodes where", {**ENDS, "f": "filter"}, _top_nodes, ("questions.top_nodes",), in_tables),
)
