"""Subjects of other libraries, in the environment of each: a line of JSON in, a line of JSON out.

Started with the name of a subject. A line in is ``[data, count]``, answered by so many outputs. Nothing of dampen is
imported here.
"""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

Draw = Callable[[Any], Any]
Batch = Callable[[Any, int], list[Any]]


def noisy_max() -> Draw:
    """OpenDP: whole scores that move by 1, under rho."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    measurement: Draw = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=1.0)
    return measurement


def noisy_max_pure() -> Draw:
    """OpenDP: whole scores that move by 1, under epsilon."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    measurement: Draw = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=1.0)
    return measurement


def _count_names() -> Draw:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    counts = dp.t.make_count_by(dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance())
    measurement: Draw = counts >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
    return measurement


def laplace_threshold() -> Draw:
    """OpenDP: counts by name, those below 5 left out."""
    measurement = _count_names()
    return lambda data: sorted(measurement(data).items())


def laplace_thresholds() -> Batch:
    """The same, many at once: every name has noise of its own, so many names that occur once are as many draws."""
    measurement = _count_names()

    def batch(data: Any, count: int) -> list[Any]:
        if len(data) != 1:
            return [sorted(measurement(data).items()) for _ in range(count)]
        told = measurement([f"{data[0]}{place}" for place in range(count)])
        found = (told.get(f"{data[0]}{place}") for place in range(count))
        return [[] if value is None else [[data[0], value]] for value in found]

    return batch


def truncated_count() -> Draw:
    """OpenDP: rows of persons cut to one in each of four groups, the groups made one, and counted under rho."""
    import polars as pl

    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    schema = {"id": pl.Int64, "g": pl.Int64}
    one_in_each_group = pl.int_range(pl.len()).over("id", "g") < 1
    in_four_groups = pl.struct("g").rank("dense").over("id") < 5
    rows = pl.LazyFrame(schema=schema).filter(one_in_each_group).filter(in_four_groups)
    counts = rows.with_columns(g=pl.lit(0, dtype=pl.Int64)).group_by("g").agg(dp.len(scale=1.0))
    query = pl.LazyFrame({"g": [0]}, schema={"g": pl.Int64}).join(counts, on="g", how="left")
    domain = dp.lazyframe_domain([dp.series_domain(name, dp.atom_domain(T="i64")) for name in schema])
    distance = dp.symmetric_id_distance(identifier=pl.col("id"))
    measurement: Any = dp.m.make_private_lazyframe(domain, distance, dp.zero_concentrated_divergence(), query)

    def draw(persons: list[int]) -> int:
        held = [(person, group) for person in persons for group in range(4)]
        return int(measurement(pl.LazyFrame(held, schema=schema, orient="row")).collect()["len"].item())

    return draw


def longest_group() -> Draw:
    """OpenDP: sums by group of values from -10 to 10, with noise of scale 10; a group has one row at most."""
    import polars as pl

    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    schema: Any = {"A": pl.String, "B": pl.Int32}
    summed: Any = pl.col("B").dp.sum((-10, 10), scale=10.0)  # type: ignore[attr-defined]
    query = pl.LazyFrame(schema=schema).group_by("A").agg(summed)
    columns = [dp.series_domain("A", dp.atom_domain(T=str)), dp.series_domain("B", dp.atom_domain(T="i32"))]
    margin = dp.polars.Margin(by=["A"], max_length=1, max_groups=1, invariant="keys")
    domain = dp.with_margin(dp.lazyframe_domain(columns), margin)
    measurement: Any = dp.m.make_private_lazyframe(domain, dp.symmetric_distance(), dp.max_divergence(), query)

    def draw(values: list[int]) -> int:
        held = [("a", value) for value in values]
        return int(measurement(pl.LazyFrame(held, schema=schema, orient="row")).collect()["B"].item())

    return draw


def diffprivlib_laplace() -> Draw:
    """diffprivlib: Laplace noise in floats."""
    from diffprivlib.mechanisms import Laplace

    return Laplace(epsilon=1, sensitivity=1).randomise  # type: ignore[no-any-return]


def diffprivlib_gaussian() -> Draw:
    """diffprivlib: Gaussian noise in floats."""
    from diffprivlib.mechanisms import GaussianAnalytic

    return GaussianAnalytic(epsilon=1, delta=1e-5, sensitivity=1).randomise  # type: ignore[no-any-return]


def diffprivlib_geometric() -> Draw:
    """diffprivlib: whole noise."""
    from diffprivlib.mechanisms import Geometric

    return Geometric(epsilon=1, sensitivity=1).randomise  # type: ignore[no-any-return]


def dp_ebm(outputs: Callable[[Any], Any]) -> Draw:
    """interpret: a classifier of one column within public bounds; ``outputs`` are read off it."""
    import numpy as np
    from interpret.privacy import DPExplainableBoostingClassifier

    def draw(data: Any) -> Any:
        column, classes = data
        model = DPExplainableBoostingClassifier(
            feature_types=["continuous"], epsilon=1.0, delta=1e-5, privacy_bounds={0: (0, 1)}, n_jobs=1, max_rounds=2
        )
        return outputs(model.fit(np.array(column)[:, None], np.array(classes)))

    return draw


def dp_ebm_scores() -> Draw:
    """What predictions are made of."""
    return dp_ebm(lambda model: [round(float(each), 9) for each in model.term_scores_[0][1:4]])


def dp_ebm_weight() -> Draw:
    """The attribute bag_weights_."""
    return dp_ebm(lambda model: float(model.bag_weights_[0]))


SUBJECTS: dict[str, Callable[[], Draw]] = {
    function.__name__: function
    for function in (
        noisy_max,
        noisy_max_pure,
        laplace_threshold,
        truncated_count,
        longest_group,
        diffprivlib_laplace,
        diffprivlib_gaussian,
        diffprivlib_geometric,
        dp_ebm_scores,
        dp_ebm_weight,
    )
}


BATCHES: dict[str, Callable[[], Batch]] = {"laplace_threshold": laplace_thresholds}


def batch_of(name: str) -> Batch:
    """Many draws of a subject at once; one after another, where it knows no better way."""
    if name in BATCHES:
        return BATCHES[name]()
    draw = SUBJECTS[name]()
    return lambda data, count: [draw(data) for _ in range(count)]


def main() -> None:
    """Answer line by line."""
    batch = batch_of(sys.argv[1])
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        data, count = json.loads(line)
        print(json.dumps(batch(data, count)), flush=True)


if __name__ == "__main__":
    main()
