"""Joint counts of pairs of tests, against asking every record every test and multiplying matrices."""

import numpy as np
import pytest

from dampen.tables.pair_counts import Block, Slots, pair_counts

BLOCKS = (Block(0, 4, True), Block(4, 7, False), Block(7, 8, False), Block(8, 10, True), Block(10, 11, True))


def passed(slots: Slots, blocks: tuple[Block, ...]) -> np.ndarray:
    """Who passes which test: the first one of a block and, if nested, all after it."""
    bits = np.zeros((len(slots), blocks[-1].end), dtype=np.float32)
    for record, row in enumerate(slots):
        for block, slot in zip(blocks, row, strict=True):
            if slot >= 0:
                bits[record, slot : block.end if block.nested else slot + 1] = 1
    return bits


@pytest.mark.parametrize("records", [0, 1, 7, 400])
def test_counts_are_the_products_of_answers(records: int) -> None:
    rng = np.random.default_rng(records)
    slots = np.column_stack([rng.integers(block.start - 1, block.end, records) for block in BLOCKS]).astype(np.int32)
    for column, block in enumerate(BLOCKS):
        slots[slots[:, column] < block.start, column] = -1
    groups = rng.integers(0, 5, records)
    found = list(pair_counts(slots, BLOCKS, groups, 6))
    bits = passed(slots, BLOCKS)
    assert len(found) == 6
    for group, joint in enumerate(found):
        inside = bits[groups == group]
        assert (np.triu(joint) == np.triu(inside.T @ inside)).all()


def test_tests_of_one_kind_only() -> None:
    slots, groups = np.array([[0, 2], [1, 3], [-1, 2]], dtype=np.int32), np.array([0, 0, 0])
    for nested in (True, False):
        blocks = (Block(0, 2, nested), Block(2, 4, nested))
        bits = passed(slots, blocks)
        [joint] = pair_counts(slots, blocks, groups, 1)
        assert (np.triu(joint) == np.triu(bits.T @ bits)).all()
