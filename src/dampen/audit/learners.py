"""Likelihood ratios that are learned from draws: how much more an output looks like one data set than like the other.

By the lemma of Neyman and Pearson no event tells two laws apart better than "the likelihood ratio is at least t".
Nobody knows the ratio of a black box; these are guesses of it: by histograms, by the nearest neighbours, by logistic
regression. A bad guess gives a weak event, never a wrong verdict: what counts is measured on other draws.
"""

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Any

import numpy as np

from dampen.audit.events import encode
from dampen.audit.features import AT_LEAST, Feature, LabelFeature, binary_form, short
from dampen.audit.outputs import Outputs
from dampen.vectors import Floats, Integers

BARS = 48
"""A histogram has so many bars, of about the same number of draws, beside values that are frequent by themselves."""
MOST_POINTS = 20_000
"""So many draws of each data set are learned from where it takes longer with more."""
NEIGHBOURS = 31
MOST_REFERENCES = 4_000
"""So many draws of each data set are neighbours to others."""
MOST_DIMENSIONS = 8
"""Neighbours are far away in more dimensions, and take long to find."""
ROUNDS = 12
"""Steps of Newton's method."""
RIDGE = 1e-3


def log_ratios(on_x: Any, on_y: Any) -> Floats:
    """ln of how much more often something was seen on x, with half a count more each: nothing is impossible."""
    on_x, on_y = np.asarray(on_x, dtype=np.float64), np.asarray(on_y, dtype=np.float64)
    ratios: Floats = np.log((on_x + 0.5) / (on_x.sum() + 1)) - np.log((on_y + 0.5) / (on_y.sum() + 1))
    return ratios


# Histograms


def _edges(values: Floats) -> Floats:
    """Bars of equal shares; a frequent value is a bar of its own."""
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return np.zeros(1)
    known, times = np.unique(finite, return_counts=True)
    alone = known if len(known) <= BARS else known[times * BARS >= len(finite)]
    shares = np.quantile(finite, np.linspace(0, 1, BARS + 1))
    return np.unique(np.concatenate([shares, alone, np.nextafter(alone, np.inf)]))


def _bars(edges: Floats, values: Floats) -> Integers:
    bars: Integers = np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values, side="right"))
    return bars


def _histogram(values_x: Floats, values_y: Floats) -> tuple[Floats, Floats]:
    """The edges of bars, and the ratio of each; the last one is of those without a number, NaN if there are none."""
    edges = _edges(np.concatenate([values_x, values_y]))
    on_x, on_y = (np.bincount(_bars(edges, values), minlength=len(edges) + 2) for values in (values_x, values_y))
    ratios = log_ratios(on_x, on_y)
    ratios[-1] = ratios[-1] if on_x[-1] + on_y[-1] else np.nan
    return edges, ratios


def by_histogram(feature: Feature, x: Outputs, y: Outputs) -> Feature:
    """The ratio of the bar that a number lies in."""
    edges, ratios = _histogram(feature.values(x), feature.values(y))
    return Feature(
        f"the ratio of {feature.name}",
        lambda outputs: ratios[_bars(edges, feature.values(outputs))],
        partial(_tell_ranges, feature.name, edges, ratios),
    )


def _tell_ranges(name: str, edges: Floats, ratios: Floats, relation: str, value: float) -> str:
    """The bars that are meant, neighbours put together; only the first ones of many."""
    inside = ratios >= value if relation == AT_LEAST else ratios <= value
    ends = [-np.inf, *edges.tolist(), np.inf]
    ranges: list[list[float]] = []
    for place in np.flatnonzero(inside[:-1]):
        if ranges and ranges[-1][1] == ends[place]:
            ranges[-1][1] = ends[place + 1]
        else:
            ranges.append([ends[place], ends[place + 1]])
    told = [f"[{short(low)}, {short(high)})" for low, high in ranges[:3]]
    told += [f"one of {len(ranges) - 3} more ranges"] if len(ranges) > 3 else []
    return f"{name} {'is missing or ' if inside[-1] else ''}lies in {' or '.join(told) or 'no range'}"


def by_label(feature: LabelFeature, x: Outputs, y: Outputs) -> Feature:
    """The ratio of a label; NaN for those that were not seen."""
    codes, (in_x, in_y) = encode([feature.labels(x), feature.labels(y)])
    counts = [np.bincount(some[some >= 0], minlength=len(codes)) for some in (in_x, in_y)]
    ratios: dict[Hashable, float] = dict(zip(codes, log_ratios(*counts).tolist(), strict=True))

    def values(outputs: Outputs) -> Floats:
        labels = feature.labels(outputs)
        return np.fromiter((ratios.get(label, np.nan) for label in labels), np.float64, len(labels))

    return Feature(f"the ratio of {feature.name}", values, partial(_tell_labels, feature, ratios))


def _tell_labels(feature: LabelFeature, ratios: dict[Hashable, float], relation: str, value: float) -> str:
    some = [label for label, ratio in ratios.items() if (ratio >= value if relation == AT_LEAST else ratio <= value)]
    if len(some) <= 3:
        return f"{feature.name} is {' or '.join(map(feature.text, some))}"
    return f"{feature.name} is one of {len(some)} values, such as {feature.text(some[0])}"


def by_value(feature: Feature, x: Outputs, y: Outputs) -> Feature:
    """The ratio of each single value, NaN for those that were not seen: for numbers of which many come again."""
    in_x, in_y = feature.values(x), feature.values(y)
    both = np.concatenate([in_x, in_y])
    known = np.append(np.unique(both[~np.isnan(both)]), np.nan)
    counts = (np.bincount(np.searchsorted(known, some), minlength=len(known)) for some in (in_x, in_y))
    ratios = np.append(log_ratios(*counts)[:-1], np.nan)

    def values(outputs: Outputs) -> Floats:
        some = feature.values(outputs)
        places = np.searchsorted(known, some)
        return np.where(known[places] == some, ratios[places], np.nan)

    def tell(relation: str, value: float) -> str:
        meant = known[ratios >= value] if relation == AT_LEAST else known[ratios <= value]
        return f"{feature.name} is one of {len(meant)} values, such as {short(float(meant[0]))}"

    return Feature(f"the ratio of the values of {feature.name}", values, tell)


def by_all_histograms(features: list[Feature], x: Outputs, y: Outputs) -> Feature:
    """The sum of the ratios of several numbers: the ratio itself, where they are independent."""
    known = [(feature, *_histogram(feature.values(x), feature.values(y))) for feature in features]

    def values(outputs: Outputs) -> Floats:
        return sum(
            (ratios[_bars(edges, feature.values(outputs))] for feature, edges, ratios in known), np.zeros(len(outputs))
        )

    return _ratio(f"histograms of {len(known)} entries", values)


def _ratio(how: str, values: Callable[[Outputs], Floats]) -> Feature:
    name = f"the logarithm of the likelihood ratio by {how}"
    return Feature(name, values, lambda relation, value: f"{name} is {relation} {value:.4g}")


# Points


class Points:
    """Some numbers of each output as a point, scaled by what was seen; a missing number lies in the middle."""

    def __init__(self, features: list[Feature], x: Outputs, y: Outputs) -> None:
        self.features = features
        raw = np.concatenate([self._raw(x), self._raw(y)])
        self.centre = np.array([_median(column) for column in raw.T])
        spread = np.array([_median(column) for column in np.abs(raw - self.centre).T])
        self.scale = np.where(spread > 0, spread, 1.0)

    def _raw(self, outputs: Outputs) -> Floats:
        values = np.stack([feature.values(outputs) for feature in self.features], axis=1)
        return np.where(np.isfinite(values), values, np.nan)

    def of(self, outputs: Outputs) -> Floats:
        """The points of outputs. Numbers far out are drawn in, so that they do not outweigh all others."""
        points = np.nan_to_num((self._raw(outputs) - self.centre) / self.scale)
        near: Floats = np.sign(points) * np.log1p(np.abs(points))
        return near


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else 0.0


def _pick(points: Floats, most: int, rng: np.random.Generator) -> Floats:
    return points if len(points) <= most else points[rng.choice(len(points), most, replace=False)]


def by_neighbours(features: list[Feature], x: Outputs, y: Outputs, rng: np.random.Generator) -> Feature:
    """How many more of the nearest draws are of x than of y."""
    from scipy.spatial import cKDTree

    points = Points(features, x, y)
    some = [_pick(points.of(outputs), MOST_REFERENCES, rng) for outputs in (x, y)]
    tree, first = cKDTree(np.concatenate(some)), len(some[0])
    nearest = min(NEIGHBOURS, len(some[0]) + len(some[1]))

    def values(outputs: Outputs) -> Floats:
        _, places = tree.query(points.of(outputs), k=[*range(1, nearest + 1)])
        of_x = (places < first).sum(axis=1)
        ratios: Floats = np.log(of_x + 0.5) - np.log(nearest - of_x + 0.5)
        return ratios

    return _ratio(f"the {nearest} nearest draws", values)


def by_regression(features: list[Feature], x: Outputs, y: Outputs, rng: np.random.Generator) -> Feature:
    """The linear guess of the ratio that fits best."""
    points = Points(features, x, y)
    some = [_pick(points.of(outputs), MOST_POINTS, rng) for outputs in (x, y)]
    weights = _fit(_with_one(np.concatenate(some)), np.repeat([1.0, 0.0], list(map(len, some))))
    return _ratio(
        f"logistic regression on {len(features)} numbers", lambda outputs: _with_one(points.of(outputs)) @ weights
    )


def _with_one(points: Floats) -> Floats:
    return np.column_stack([points, np.ones(len(points))])


def _fit(inputs: Floats, answers: Floats) -> Floats:
    """Newton's method for the logistic regression of answers, held back a little where inputs depend on one another."""
    weights = np.zeros(inputs.shape[1])
    held = RIDGE * len(inputs) * np.eye(inputs.shape[1])
    for _ in range(ROUNDS):
        guesses = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (answers - guesses) - held @ weights
        curve = (inputs * (guesses * (1 - guesses))[:, None]).T @ inputs + held
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def learned_ratios(
    features: list[Feature], labels: list[LabelFeature], x: Outputs, y: Outputs, rng: np.random.Generator
) -> Iterator[Feature]:
    """All guesses of the likelihood ratio from the numbers and labels of outputs; the first numbers matter most."""
    for feature in features:
        yield by_histogram(feature, x, y)
    for feature in features[:MOST_DIMENSIONS]:
        yield by_value(feature, x, y)
        yield by_value(binary_form(feature), x, y)
    for label in labels:
        yield by_label(label, x, y)
    if len(features) > 1:
        yield by_all_histograms(features, x, y)
        yield by_regression(features, x, y, rng)
    if features:
        yield by_neighbours(features[:MOST_DIMENSIONS], x, y, rng)
