"""Table 3 of the Smooth Noisy Max thesis: the three histograms."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from experiments import data
from experiments.percentile_answers import DATA
from experiments.reproduction import SNM, Cell, Claim, Findings, Losses, Reproduction, Row, markdown, number, rounded

PRINTED = {"PATENT": (32_558, 97.80), "HEPTH": (347_414, 21.17), "INCOME": (20_787_122, 44.97)}
"""Tuples, and the percentage of entries that are 0."""


class SnmTable3(Reproduction):
    """Sizes and zeros."""

    id = "snm_table_3"
    paper = SNM
    title = "Table 3"
    subject = "sizes of the three histograms"
    needs = DATA
    parameters: ClassVar[Mapping[str, Any]] = {"data_sets": DATA}

    def cells(self) -> Sequence[Cell]:
        """One for each histogram."""
        return [(name,) for name in DATA]

    def measure(self, cell: Cell) -> list[Row]:
        """Counted."""
        counts, (tuples, zeros) = data.histogram(str(cell[0])), PRINTED[str(cell[0])]
        return [
            {
                "data": cell[0],
                "tuples": int(counts.sum()),
                "printed_tuples": tuples,
                "zeros": rounded(100 * float((counts == 0).mean()), 4),
                "printed_zeros": zeros,
                "entries": len(counts),
            }
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Row by row."""
        return [
            Claim(
                f"{row['data']}: {row['printed_tuples']:,} tuples, {row['printed_zeros']:.2f} % zeros",
                "p. 57",
                f"{row['tuples']:,} tuples, {row['zeros']:.2f} % zeros",
                row["tuples"] == row["printed_tuples"] and number(row, "zeros") == number(row, "printed_zeros"),
            )
            for row in rows
        ]

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Nothing is released: the sizes describe public data."""
        return True

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """About the data."""
        return Findings(
            published="the sizes of HEPTH and INCOME are those of the published files. That of PATENT is another "
            "file's; the "
            "ties of Fig. 7's text are those of the published one",
            privacy="nothing is released. Sizes and zeros of private data would have to be",
            sound="`dampen.count`",
            default="the same",
            straw_man="none: it is a description",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """The table."""
        head = ["data", "tuples", "printed", "% zeros", "printed"]
        lines = [
            [
                str(row["data"]),
                f"{row['tuples']:,}",
                f"{row['printed_tuples']:,}",
                f"{row['zeros']:.2f}",
                f"{row['printed_zeros']:.2f}",
            ]
            for row in rows
        ]
        return (
            markdown(head, lines)
            + "\n\nBoth papers on percentiles take the 4096 *entries* of a histogram for the records, not its tuples."
        )
