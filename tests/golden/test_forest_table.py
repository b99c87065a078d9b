"""Forests that choose by dampening: cells of the table of docs/trees.md, recomputed by the experiment that made it.

The real tables are looked for in the folder that ``DAMPEN_DATA`` names.
"""

import os
from pathlib import Path
from random import Random

import numpy as np
import pytest

from experiments.dampened_forests import EPSILONS, RUNS, accuracy
from experiments.private_classifier import TASKS

PAGE = (Path(__file__).parents[2] / "docs" / "trees.md").read_text()
TABLE = PAGE.split("## Forests that choose by dampening")[1].split("\n\n")[2]
SPREADS = {
    ("mushroom", "votes by permute-and-flip"): (0.0045, 0.0015, 0.0014),
    ("mushroom", "votes by pairwise dampening"): (0.0045, 0.003, 0.004),
    ("mushroom", "16 trees of depth 3, tests by pairwise dampening"): (0.009, 0.0052, 0.003),
    ("wall_following", "one tree of depth 3, tests by pairwise dampening"): (0.007, 0.004, 0.002),
    ("wall_following", "4 trees of depth 3, tests by permute-and-flip"): (0.0075, 0.0005, 0.004),
    ("wall_following", "decision table"): (0.0005, 0.0005, 0.0008),
    ("nltcs", "forest of the wheel"): (0.0041, 0.0022, 0.0015),
}
"""Standard errors of a mean of ten runs with the same rows held out, at each epsilon: of 30 such means, rounded up."""
SURE, ROUNDING = 7.1, 0.0005
"""Five standard errors of a difference: both the page's mean and the one found are off. Figures have three digits."""
NAMES = {"nltcs": "NLTCS", "decision table": "the decision table of `PrivateClassifier`"}
with_data = pytest.mark.skipif(
    not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def told(data: str, way: str) -> list[float]:
    """What the page says of a table and a way, at each epsilon."""
    rows = {row[0]: row[1:] for row in map(cells, TABLE.splitlines())}
    place = rows["right answers at epsilon .1 / 1 / 2"].index(NAMES.get(data, data))
    return [float(figure) for figure in rows[NAMES.get(way, way)][place].split("/")]


@pytest.mark.long
@with_data
@pytest.mark.parametrize(("data", "way"), SPREADS)
def test_the_table_of_forests_is_that_of_the_experiment(monkeypatch: pytest.MonkeyPatch, data: str, way: str) -> None:
    """As many runs as the page's, with keys for the noise from a seed, so that they are the same every time."""
    monkeypatch.setattr(os, "urandom", Random(26).randbytes)
    task = TASKS[data]()
    found = [np.mean([accuracy(task, way, epsilon, run) for run in range(RUNS)]) for epsilon in EPSILONS]
    for mean, figure, spread in zip(found, told(data, way), SPREADS[data, way], strict=True):
        assert mean == pytest.approx(figure, abs=SURE * spread + ROUNDING)
