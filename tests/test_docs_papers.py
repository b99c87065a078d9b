"""docs/papers.md is the generated one, its files are those of the modules, and its figures can be drawn again."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from experiments import refuted
from experiments.errata import ERRATA
from experiments.page import anchor, heading, papers_page
from experiments.pictures import pyplot
from experiments.registry import REPRODUCTIONS
from experiments.reproduction import GROUP_BY, SNM, Reproduction, Row, Verdict
from experiments.results import FOLDER, PUBLISHED, ROOT, csv_path, finished, read_csv

ALL = list(REPRODUCTIONS.values())
QUICK = {"dampening_figure_7": 0, "snm_theorem_7_2": 0, "lls_figure_2": 4, "lls_example_5_3": 0, "groupby_table_1": 0}
"""One cell each that is computed again in no time, by its place."""
WITH_DATA = {
    "snm_table_3": 0,
    "snm_figure_8": 3,
    "snm_figure_9": 0,
    "snm_figure_10": 5,
    "lls_figure_4": 0,
    "groupby_table_2": 0,
    "dampening_figure_10": 39,
    "dampening_figure_11": 0,
    "dampening_table_1": 60,
}
WITH_PAGES = (SNM, GROUP_BY)
"""The texts of the others have none."""
VERDICTS = {
    "dampening_examples": "not reproduced",
    "dampening_figure_7": "reproduced",
    "dampening_figure_8": "reproduced",
    "dampening_figure_9": "reproduced",
    "dampening_figure_10": "not reproduced",
    "dampening_table_1": "not reproduced",
    "dampening_figure_11": "not private",
    "snm_table_3": "not reproduced",
    "snm_figure_7": "not private",
    "snm_figure_8": "reproduced",
    "snm_figure_9": "not private",
    "snm_table_5": "not reproduced",
    "snm_theorem_7_2": "not private",
    "snm_figure_10": "not private",
    "groupby_table_1": "not private",
    "groupby_table_2": "not private",
    "groupby_figure_1": "not private",
    "lls_figure_2": "reproduced",
    "lls_example_5_3": "not private",
    "lls_figure_3": "not reproduced",
    "lls_figure_4": "not reproduced",
    "lls_figure_5": "not reproduced",
    "lls_figure_6_7_8": "not private",
}


def by_id(reproduction: Reproduction) -> str:
    return reproduction.id


def test_the_page_is_the_generated_one() -> None:
    assert (ROOT / "docs" / "papers.md").read_text() == papers_page(FOLDER)


@pytest.mark.parametrize("each", ALL, ids=by_id)
def test_the_files_are_those_of_the_modules_and_of_published_data(each: Reproduction) -> None:
    assert finished(FOLDER, each, PUBLISHED)
    assert type(each).__module__ == f"experiments.{each.id}"
    assert each.id.startswith(each.paper.key)


@pytest.mark.parametrize("each", ALL, ids=by_id)
def test_every_verdict_is_computed_and_every_claim_says_where_it_stands(each: Reproduction) -> None:
    held = read_csv(csv_path(FOLDER, each))
    assert each.verdict(held.rows, held.losses) is Verdict(VERDICTS[each.id])
    place = r"p\. \d" if each.paper in WITH_PAGES else r"section \d"
    for claim in each.claims(held.rows):
        assert re.match(place, claim.where), claim.where


def test_what_every_reader_asks_for_is_there() -> None:
    titles = {(each.paper.key, each.title) for each in ALL}
    asked = {("dampening", f"Fig. {n}") for n in (7, 8, 9, 10, 11)} | {
        ("dampening", "Examples 1-8"),
        ("dampening", "Table 1"),
    }
    asked |= {("snm", f"Fig. {n}") for n in (7, 8, 9, 10)} | {
        ("groupby", "Fig. 1"),
        ("groupby", "Table 1"),
        ("groupby", "Table 2"),
    }
    asked |= {("snm", "Table 3"), ("snm", "Table 5"), ("snm", "Theorem 7.2")}
    asked |= {("lls", f"Fig. {n}") for n in (2, 3, 4, 5, "6-8")} | {("lls", "Example 5.3")}
    assert asked <= titles


def test_the_summary_leads_to_the_sections() -> None:
    page = (ROOT / "docs" / "papers.md").read_text()
    headings = {
        re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in page.splitlines()
        if line.startswith("#")
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= headings
    assert {anchor(each) for each in ALL} <= headings
    assert all(f"### {heading(each)}" in page for each in ALL)


def test_the_errata_name_inhabitants_of_the_fence() -> None:
    named = {name for erratum in ERRATA for name in re.findall(r"`(\w+)`", erratum.evidence)}
    assert named <= set(refuted.__all__)
    assert {kind.__name__ for kind in (*refuted.INHABITANTS, *refuted.OF_NUMBERS)} - named <= {
        "GreedyProjection",
        "LevelOfEgoBetweenness",
        "ProjectionWhenExceeded",
    }, "only what no paper claims is missing"


@pytest.mark.parametrize(
    "each", [pytest.param(each, marks=[pytest.mark.long] if i % 3 else []) for i, each in enumerate(ALL)], ids=by_id
)
def test_figures_can_be_drawn_from_the_rows_and_tables_have_none(each: Reproduction) -> None:
    plt = pyplot()
    figure = each.draw(read_csv(csv_path(FOLDER, each)).rows, plt)
    assert (figure is None) == each.title.startswith("Table") or each.id == "dampening_table_1"
    assert (FOLDER / f"{each.id}.png").exists() == (figure is not None)
    if figure is not None:
        assert all(panel.has_data() for panel in figure.axes)
        plt.close(figure)


def same_again(each: Reproduction, place: int) -> None:
    cell = each.cells()[place]
    found = each.measure(cell)
    kept = read_csv(csv_path(FOLDER, each)).rows
    assert any(_alike(kept[start : start + len(found)], found) for start in range(len(kept) - len(found) + 1))


def _alike(kept: list[Row], found: list[Row]) -> bool:
    return all(_close(a[name], b[name]) for a, b in zip(kept, found, strict=True) for name in b)


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        return bool(one == other)
    return bool(one == pytest.approx(other, rel=2e-5, abs=1e-12))


@pytest.mark.parametrize(("name", "place"), QUICK.items())
def test_cells_are_the_same_again(name: str, place: int) -> None:
    same_again(REPRODUCTIONS[name], place)


@pytest.mark.long
@pytest.mark.skipif(not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of real data sets")
@pytest.mark.parametrize(("name", "place"), WITH_DATA.items())
def test_cells_of_real_data_are_the_same_again(name: str, place: int) -> None:
    same_again(REPRODUCTIONS[name], place)


def test_files_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in Path(FOLDER).iterdir() if path.suffix in (".csv", ".png")}
    assert max(sizes.values()) < 400_000
    assert sum(sizes.values()) < 4_000_000
