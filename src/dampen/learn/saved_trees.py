"""The tests of blind trees as JSON, and back: whoever reads them trusts nothing, for compiled loops check nothing."""

from typing import Any

import numpy as np

from dampen.learn.random_trees import NOTHING, RandomTrees
from dampen.learn.schema import Categorical, Numeric, Schema

DEEPEST = 16
"""Trees are complete: so many levels have 65,536 leaves each."""


def trees_as_plain(trees: RandomTrees) -> dict[str, Any]:
    """The tests as JSON takes them."""
    return {
        "depth": trees.depth,
        "attributes": trees.attributes.tolist(),
        "points": trees.points.tolist(),
        "right": [[np.flatnonzero(codes).tolist() for codes in tree] for tree in trees.right],
    }


def trees_from_plain(plain: dict[str, Any], schema: Schema) -> RandomTrees:
    """The tests out of what :func:`trees_as_plain` wrote; ``ValueError`` where they are not tests of the schema."""
    found, depth, count = list(schema.attributes.values()), int(plain["depth"]), len(plain["right"])
    if not 0 <= depth <= DEEPEST or count < 1:
        raise ValueError
    widest = max([len(a.values) for a in found if isinstance(a, Categorical)], default=0)
    shape = count, 2**depth - 1
    attributes = np.array(plain["attributes"], dtype=np.int32).reshape(shape)
    if ((attributes < NOTHING) | (attributes >= len(found))).any():
        raise ValueError
    right = np.zeros((*shape, widest), dtype=bool)
    for tree, places in enumerate(plain["right"]):
        for place, codes in enumerate(places):
            if codes and min(codes) < 0:
                raise ValueError
            right[tree, place, codes] = True
    numeric = np.array([isinstance(attribute, Numeric) for attribute in found])
    return RandomTrees(depth, numeric, attributes, np.array(plain["points"], dtype=np.float64).reshape(shape), right)
