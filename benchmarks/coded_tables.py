"""Tables as every classifier takes them: one array of numbers, with categories by the place of their value."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dampen import Category, Number
from dampen.learn import Schema
from dampen.vectors import Floats, Integers
from experiments.private_classifier import TASKS


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A row for each record; ``schema`` says what the columns may hold."""

    values: Floats
    classes: Integers
    schema: Schema

    def write(self, path: Path) -> None:
        """For a process that does not know dampen: values, classes, bounds, and which columns are categories."""
        found = self.schema.attributes.values()
        bounds = [a.float_bounds if isinstance(a, Number) else (0, len(a.labels) - 1) for a in found]
        low, high = np.array(bounds, dtype=np.float64).T
        nominal = np.array([not isinstance(a, Number) for a in found])
        np.savez(path, values=self.values, classes=self.classes, low=low, high=high, nominal=nominal)


def coded(name: str) -> CodedTable:
    """A table of the literature by its name in ``experiments.private_classifier``."""
    task = TASKS[name]()
    columns, attributes = [], dict[str, Category | Number]()
    for title, attribute in task.schema.attributes.items():
        if isinstance(attribute, Number):
            columns.append(task.table[title].astype(np.float64))
            attributes[title] = attribute
        else:
            columns.append(_places(task.table[title], attribute.labels))
            attributes[title] = Category(range(len(attribute.labels)))
    classes = _places(task.table[task.target], task.schema.classes).astype(np.int64)
    return CodedTable(np.column_stack(columns), classes, Schema(attributes, list(range(len(task.schema.classes)))))


def _places(column: object, labels: tuple[object, ...]) -> Floats:
    places = {label: place for place, label in enumerate(labels)}
    return np.array([places[item] for item in np.asarray(column).tolist()], dtype=np.float64)
