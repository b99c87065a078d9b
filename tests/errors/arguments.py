"""Bad arguments: containers and objects that hold secrets, and plain values that mean nothing."""

from collections import namedtuple
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import dampen
from dampen.mechanisms import Exponential, Laplace, LaplaceTopK, NoisyLocalSensitivity, PermuteAndFlip
from dampen.sensitivity import Constant
from tests.errors import objects
from tests.errors.questions import SECRET_NUMBER, SECRET_TEXT, good_columns

Row = namedtuple("Row", "cost ward")
NUMBERS = [SECRET_NUMBER, SECRET_NUMBER + 1, 5, -SECRET_NUMBER, 3]
TEXTS = [SECRET_TEXT, "SECRETabc", SECRET_TEXT, "x", "y"]

CONTAINERS: dict[str, Callable[[], Any]] = {
    "numbers": lambda: list(NUMBERS),
    "texts": lambda: list(TEXTS),
    "nested": lambda: [[SECRET_TEXT], [[SECRET_NUMBER]]],
    "empty list": list,
    "two numbers": lambda: (SECRET_NUMBER, -SECRET_NUMBER),
    "two equal numbers": lambda: [SECRET_NUMBER, SECRET_NUMBER],
    "two texts": lambda: (SECRET_TEXT, "SECRETabc"),
    "number and text": lambda: (0, SECRET_TEXT),
    "huge numbers": lambda: (0, SECRET_NUMBER**100),
    "row": lambda: Row(SECRET_NUMBER, SECRET_TEXT),
    "set": lambda: {SECRET_TEXT, SECRET_NUMBER},
    "dict": lambda: {"nowhere": SECRET_NUMBER},
    "dict of numbers": lambda: {SECRET_NUMBER: SECRET_TEXT},
    "dict of a Series": lambda: {"ward": pd.Series(TEXTS)},
    "dict of a list": lambda: {"ward": list(TEXTS)},
    "dict of a tuple": lambda: {"ward": tuple(TEXTS)},
    "dict of an object": lambda: {"ward": objects.Raising()},
    "dict of missing": lambda: {"ward": None},
    "generator": lambda: (number for number in NUMBERS),
    "array": lambda: np.array(NUMBERS),
    "array of two texts": lambda: np.array(TEXTS[:2]),
    "array of objects": lambda: np.array([SECRET_TEXT, SECRET_NUMBER], dtype=object),
    "table": lambda: np.array([NUMBERS, NUMBERS]),
    "scalar array": lambda: np.array(SECRET_NUMBER),
    "masked array": lambda: np.ma.array(np.array(NUMBERS), mask=np.array(NUMBERS) == 5),
    "void": lambda: np.array([(SECRET_NUMBER, 1)], dtype=[("a", int), ("b", int)])[0],
    "Series": lambda: pd.Series(NUMBERS, name=SECRET_TEXT),
    "Series of texts": lambda: pd.Series(TEXTS),
    "Series of two": lambda: pd.Series([SECRET_NUMBER, -SECRET_NUMBER]),
    "Series of Int64": lambda: pd.Series([SECRET_NUMBER, None], dtype="Int64"),
    "categories": lambda: pd.Series(TEXTS, dtype="category"),
    "mask": lambda: pd.Series(TEXTS) == SECRET_TEXT,
    "index": lambda: pd.Index(TEXTS),
    "frame": lambda: pd.DataFrame({"cost": NUMBERS, "ward": TEXTS}),
    "polars Series": lambda: pl.Series(NUMBERS),
    "polars mask": lambda: pl.Series(TEXTS) == SECRET_TEXT,
    "polars expression": lambda: pl.col("ward") == SECRET_TEXT,
    "polars frame": lambda: pl.DataFrame({"cost": NUMBERS, "ward": TEXTS}),
    "lazy frame": lambda: pl.LazyFrame({"cost": NUMBERS}),
    "pyarrow array": lambda: pa.array(NUMBERS),
    "pyarrow table": lambda: pa.table({"cost": NUMBERS}),
    "relation": lambda: duckdb.sql(f"select {SECRET_NUMBER} as cost, '{SECRET_TEXT}' as ward"),
    "whole data": lambda: {name: column[:5] for name, column in good_columns().items()},
}
"""Containers that hold secrets: the data itself, a part of it, or something made of it."""

OBJECTS: dict[str, Callable[[], Any]] = {
    "telling": objects.Telling,
    "raising": objects.Raising,
    "raising equality": objects.RaisingEquality,
    "raising number": lambda: objects.RaisingNumber(1),
    "raising list": objects.RaisingList,
    "raising mapping": lambda: objects.RaisingItems(ward="a"),
    "telling text": lambda: objects.TellingText("nowhere"),
    "telling enum": lambda: objects.TellingEnum.MEMBER,
    "function": lambda: objects.mishap,
    "class": lambda: objects.Telling,
    "raising class": lambda: objects.Raising,
    "exception": lambda: ValueError(SECRET_TEXT),
    "module": lambda: objects,
}
"""Objects whose text or behaviour tells secrets."""

PLAIN: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "-1": lambda: -1,
    "5": lambda: 5,
    "101": lambda: 101,
    "2.5": lambda: 2.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "1j": lambda: 1j,
    "-1/3": lambda: Fraction(-1, 3),
    "sNaN": lambda: Decimal("sNaN"),
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "empty text": lambda: "",
    "text": lambda: "nowhere",
    "long text": lambda: "x" * 5000,
    "two lines": lambda: "a\nb",
    "surrogate": lambda: "\udc80",
    "bytes": lambda: b"nowhere",
    "date": lambda: date(2024, 2, 29),
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
    "numpy number": lambda: np.float32("nan"),
    "range": lambda: range(5, 0, -1),
    "empty range": lambda: range(0),
    "object": object,
    "replace": lambda: dampen.Adjacency.REPLACE,
    "edge": lambda: dampen.Adjacency.EDGE,
    "budget class": lambda: dampen.Budget,
    "dearer": lambda: PermuteAndFlip(3),
    "exponential": lambda: Exponential,
    "of numbers": lambda: Laplace(1),
    "of lists": lambda: LaplaceTopK(2, 1, movers=2),
    "of second order": lambda: NoisyLocalSensitivity(1, "0.01"),
    "sensitivity": lambda: Constant(1, size=7),
}
"""Plain values. None is a secret, so all may be shown."""

SPOILED = {**CONTAINERS, **OBJECTS, **PLAIN}

READINGS = ("categories", "candidates", "nodes", "columns")
"""Parameters that say how data is read: some values are good arguments to which no data fits."""
HOSTILE = (*OBJECTS, "dict of an object")
"""Nobody can say what is wrong with an object that raises: that is for the curator to find out."""
