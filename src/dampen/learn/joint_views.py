"""Looking at a released joint model: as text and as a picture. Everything here is post-processing."""

from typing import Any

import numpy as np

from dampen.learn.decision_table import cell_answers, possible_cells
from dampen.learn.joint_model import JointLayout, JointModel
from dampen.learn.schema import Schema
from dampen.learn.scorecard_model import with_bins
from dampen.learn.scorecard_views import Row, draw_rows, rows_of, text_of
from dampen.learn.views import test_name
from dampen.vectors import Floats


def joint_text(model: JointModel, schema: Schema) -> str:
    """A line for each value, answer and cell with its points, and how to read their sum."""
    rows, everybody = _rows(model, schema)
    return text_of(schema, rows, everybody)


def plot_joint(model: JointModel, schema: Schema, axes: Any = None) -> Any:
    """A bar for each value, answer and cell."""
    rows, everybody = _rows(model, schema)
    return draw_rows(schema, rows, everybody, axes)


def _rows(model: JointModel, schema: Schema) -> tuple[list[Row], Floats]:
    layout = JointLayout.of(schema, model.tests)
    points = np.array(model.points, dtype=np.float64).reshape(-1, layout.frame().scores)
    by_value, by_cell, by_test, everybody = layout.split(points)
    names = [test_name(test, schema) for test in model.tests]
    answers = cell_answers(len(names))[possible_cells(model.tests)]
    tests = [(name, said, sign * told) for name, told in zip(names, by_test, strict=True) for said, sign in SAID]
    cells = [
        ("answers", " ".join("yes" if answer else "no" for answer in pattern), told)
        for pattern, told in zip(answers, by_cell, strict=True)
    ]
    return [*rows_of(with_bins(schema), by_value), *tests, *cells], everybody


SAID = (("yes", 1), ("no", -1))
