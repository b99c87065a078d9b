"""Table 5 of the Smooth Noisy Max thesis, and the sizes in the text before it: the six tables of the random forests."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from dampen import datasets
from dampen.datasets import Dataset
from experiments import data
from experiments.reproduction import SNM, Cell, Claim, Findings, Losses, Reproduction, Row, markdown, where
from experiments.results import SYNTHETIC

TABLES: dict[str, tuple[Callable[[], Dataset], str, str]] = {
    "Adult": (datasets.load_adult, "adult", "income"),
    "Compas": (datasets.load_compas, "compas", "decile_score"),
    "Wine": (datasets.load_wine_white, "wine_white", "quality"),
    "Mushroom": (datasets.load_mushroom, "mushroom", "class"),
    "Pen-digits": (datasets.load_pendigits, "pendigits", "class"),
    "Wall-sensor": (datasets.load_wall_following, "wall_following", "class"),
}
"""How each is loaded, its name in the catalogue and its class."""
PRINTED = {
    "Adult": (48_842, 6, 8, 2),
    "Compas": (4_732, 9, 4, 11),
    "Wine": (4_898, 11, 0, 7),
    "Mushroom": (8_124, 0, 22, 2),
    "Pen-digits": (109_092, 17, 0, 10),
    "Wall-sensor": (5_456, 4, 0, 4),
}
QUANTITIES = ("records", "continuous", "discrete", "classes")
WORDS = {
    "Adult": ("large", "discrete", "small"),
    "Compas": ("small", "continuous", "large"),
    "Wine": ("small", "continuous", "large"),
    "Mushroom": ("small", "discrete", "small"),
    "Pen-digits": ("large", "continuous", "large"),
    "Wall-sensor": ("small", "continuous", "small"),
}
"""The table itself: size, what most features are, and whether there are many classes."""
LARGE, MANY = 10_000, 5


def counted(name: str) -> tuple[int, int, int, int]:
    """Records, continuous features, discrete ones, classes; without the data the catalogue tells all but the last."""
    load, known, label = TABLES[name]
    description = datasets.CATALOGUE[known]
    kinds = [kind for column, kind in description.columns.items() if column != label]
    discrete = sum(kind == "category" for kind in kinds)
    classes = PRINTED[name][3] if data.source((known,)) == SYNTHETIC else len(np.unique(load()[label]))
    return description.rows, len(kinds) - discrete, discrete, classes


def words(records: int, continuous: int, discrete: int, classes: int) -> tuple[str, str, str]:
    """As the table puts it."""
    mostly = "discrete" if discrete > continuous else "continuous"
    return "large" if records > LARGE else "small", mostly, "large" if classes > MANY else "small"


class SnmTable5(Reproduction):
    """Six tables."""

    id = "snm_table_5"
    paper = SNM
    title = "Table 5"
    subject = "the tables of the random forests"
    needs = tuple(known for _, known, _ in TABLES.values())
    parameters: ClassVar[Mapping[str, Any]] = {"large": LARGE, "many": MANY}

    def cells(self) -> Sequence[Cell]:
        """One for each table."""
        return [(name,) for name in TABLES]

    def measure(self, cell: Cell) -> list[Row]:
        """Counted, beside what is printed."""
        name = str(cell[0])
        rows: list[Row] = [
            {"data": name, "quantity": quantity, "printed": printed, "found": found}
            for quantity, printed, found in zip(QUANTITIES, PRINTED[name], counted(name), strict=True)
        ]
        return [
            *rows,
            {
                "data": name,
                "quantity": "words",
                "printed": ", ".join(WORDS[name]),
                "found": ", ".join(words(*counted(name))),
            },
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """The table, and the numbers of the text."""
        told = where(rows, quantity="words")
        wrong = [row for row in rows if row["quantity"] != "words" and row["printed"] != row["found"]]
        return [
            Claim(
                "which of the six are large, mostly discrete, and of many classes",
                "p. 72, Table 5",
                f"the same for {sum(row['printed'] == row['found'] for row in told)} of 6",
                all(row["printed"] == row["found"] for row in told),
            ),
            Claim(
                "records, continuous and discrete features and classes of each",
                "p. 72",
                "; ".join(f"{r['data']} has {r['found']:,} {r['quantity']}, not {r['printed']:,}" for r in wrong)
                or "the same",
                not wrong,
            ),
        ]

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Nothing is released: the table describes public data."""
        return True

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """About the data."""
        return Findings(
            published="the six tables as they are published",
            privacy="nothing is released",
            sound="`dampen.count`, and public schemas of columns (`dampen.learn`)",
            default="the same",
            straw_man="none: it is a description",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """The table, differences in brackets."""
        lines = []
        for name in TABLES:
            held = where(rows, data=name)
            shown = [
                (f"{r['found']:,}" if isinstance(r["found"], int) else str(r["found"]))
                + (
                    ""
                    if r["found"] == r["printed"]
                    else f" (printed: {r['printed']:,})"
                    if isinstance(r["printed"], int)
                    else ""
                )
                for r in held
            ]
            lines.append([name, *shown])
        return markdown(["data", *QUANTITIES, "in words"], lines)
