"""Forests that choose by dampening: every way answers, learns what can be learned, and keeps its rows apart."""

import numpy as np
import pytest

from dampen import Category
from dampen.learn import Schema
from experiments.dampened_forests import WAYS, Trial

SCHEMA = Schema({name: Category(["no", "yes"]) for name in "abc"}, classes=range(2))


def trial(rows: int = 4000) -> Trial:
    """The class is what most of three flags say, so that any half of them tells much of it."""
    flags = np.random.default_rng(3).integers(2, size=(3, rows))
    words = np.array(["no", "yes"], dtype=object)
    asked = {name: words[[0, 1]] for name in "abc"}
    known = {name: words[row] for name, row in zip("abc", flags, strict=True)}
    return Trial(SCHEMA, known, (flags.sum(axis=0) > 1).astype(np.int64), asked)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_learns_a_majority(way: str) -> None:
    shares = WAYS[way](trial(), "50", 0)
    assert shares.shape == (2, 2)
    assert shares.argmax(axis=1).tolist() == [0, 1]
