"""Rows of two persons, cut down so that no person has more than a cap of them: the ordered greedy. Not private.

A row, such as an edge or a message, has two ends, and whoever is at an end is to be hidden with all own rows. Rows are
gone through in a public order of all pairs of ids, a keyed hash, and one is kept if both its ends have kept fewer than
the cap so far. A person more or less, with all rows, then moves the number of rows kept by 0 to the cap
(docs/proofs/edge_race.md).

That holds because the order of two rows is a matter of their own ids alone. The order in which a file lists them, or
ids that are counted anew once somebody has left, would move any number of rows.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dampen.errors import DataError
from dampen.graphs.building import FEWEST_DEALT, as_uints, pieces_of
from dampen.graphs.stretches import SLOTS_AT_ONCE
from dampen.graphs.threads import as_threads, run_parts

if TYPE_CHECKING:
    from dampen.graphs.edge_kernels import Uints

MOST_ROWS = 2**31 - 1
"""What a person has kept is counted in 32 bits."""

BUCKET, MOST_BITS = 2**17, 10
"""Rows in a bucket, which stay in the cache while it is sorted; buckets are told apart by so many bits at most."""


def order_rows(src: Any, dst: Any, *, threads: int | None = None) -> "tuple[Uints, Uints]":
    """Both ids of every row, the smaller first, the rows in the public order. Rows of one pair stand together.

    >>> [ids.tolist() for ids in order_rows([2, 0, 0], [1, 1, 3])]
    [[1, 0, 0], [2, 1, 3]]
    """
    from dampen.graphs.greedy_kernels import read_pairs

    dealt = len(src) >= FEWEST_DEALT
    places, starts = _deal_places(src, dst) if dealt else (_write_places(src, dst), [])
    low, high = np.empty(len(places), dtype=np.uint32), np.empty(len(places), dtype=np.uint32)

    def sort(bucket: tuple[int, int]) -> None:
        own = slice(*bucket)
        places[own].sort()
        read_pairs(places[own], low[own], high[own])

    if dealt:
        run_parts(lambda: sort, list(pairwise(starts)), threads=as_threads(threads), title="order of rows")
    else:  # a thread would take longer to start
        sort((0, len(src)))
    return low, high


def _write_places(src: Any, dst: Any) -> Any:
    """The public places of all rows, in the order of the rows."""
    from dampen.graphs.greedy_kernels import write_places

    places = np.empty(len(src), dtype=np.uint64)
    write_places(as_uints(src), as_uints(dst), places)
    return places


def _deal_places(src: Any, dst: Any) -> tuple[Any, list[int]]:
    """The public places of all rows, those of each bucket together; and where buckets start."""
    from dampen.graphs.greedy_kernels import count_places, deal_places

    shift = 64 - max(1, min(MOST_BITS, (len(src) // BUCKET).bit_length()))
    sizes = np.zeros(1 << 64 - shift, dtype=np.int64)
    for tails, heads in pieces_of(src, dst):
        count_places(tails, heads, shift, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    places, fill = np.empty(len(src), dtype=np.uint64), starts[:-1].copy()
    for tails, heads in pieces_of(src, dst):
        deal_places(tails, heads, shift, fill, places)
    return places, starts.tolist()


def count_rows_kept(
    src: Any, dst: Any, caps: Sequence[int], *, nodes: int, threads: int | None = None
) -> tuple[int, ...]:
    """How many rows are kept under each cap. Ids are below ``nodes``, and as the data has them.

    >>> count_rows_kept([0, 0, 0, 1], [1, 2, 3, 2], (1, 2, 4), nodes=4)
    (1, 3, 4)
    """
    _require_few(len(src))
    return count_in_order(*order_rows(src, dst, threads=threads), caps, nodes=nodes, threads=threads)


def count_in_order(
    low: "Uints", high: "Uints", caps: Sequence[int], *, nodes: int, threads: int | None = None
) -> tuple[int, ...]:
    """The same of rows that stand in a public order already; here ids tell persons apart, and nothing else.

    A row from an id to itself needs room there alone. A pass for every sixteen caps below the largest number of rows
    that anybody has: from there on all rows are kept.
    """
    from dampen.graphs.greedy_kernels import AT_ONCE, count_kept

    _require_few(len(low))
    most = _most_rows(low, high, nodes)
    below = sorted({cap for cap in caps if cap < most})
    found = dict.fromkeys(caps, len(low))

    def worker() -> Callable[[list[int]], Iterator[None]]:
        def count(part: list[int]) -> Iterator[None]:
            padded, counts = np.zeros(AT_ONCE, dtype=np.int32), np.zeros(AT_ONCE, dtype=np.int64)
            padded[: len(part)] = part
            kept = np.zeros((nodes, AT_ONCE), dtype=np.int32)
            for tails, heads in pieces_of(low, high, SLOTS_AT_ONCE // AT_ONCE):
                count_kept(tails, heads, padded, kept, counts)
                yield
            found.update(zip(part, counts.tolist(), strict=False))

        return count

    parts = [below[first : first + AT_ONCE] for first in range(0, len(below), AT_ONCE)]
    run_parts(worker, parts, threads=as_threads(threads), title="rows of each node")
    return tuple(found[cap] for cap in caps)


def _require_few(rows: int) -> None:
    if rows > MOST_ROWS:
        raise DataError(f"data whose rows have two persons each must be at most {MOST_ROWS} rows")


def _most_rows(low: "Uints", high: "Uints", nodes: int) -> int:
    """The largest number of rows that anybody has; one to oneself is one."""
    from dampen.graphs.greedy_kernels import count_ends

    rows = np.zeros(nodes, dtype=np.int64)
    for tails, heads in pieces_of(low, high):
        count_ends(tails, heads, rows)
    return int(rows.max(initial=0))
