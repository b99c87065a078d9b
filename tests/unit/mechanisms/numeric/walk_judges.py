"""Judges of walks up a ladder: the loss of two laws by a search over all outputs, by its closed form, and by levels."""

from itertools import combinations

import numpy as np

from dampen import GrowthLaw
from dampen.vectors import Floats
from tests.audit.universes.subgraphs import COUNTS, local_sensitivities, shapes_around
from tests.unit.mechanisms.numeric.judges import World


def log_density(z: Floats, place: float, epsilon: float, growth: GrowthLaw) -> Floats:
    """Of a walk from m = place: ln of (epsilon / 2) exp(-epsilon (mu - m)) / (alpha mu^(d - 1)), mu where |z| leads."""
    d, alpha = growth.power, float(growth.alpha)
    mu = (place**d + d / alpha * np.abs(z)) ** (1 / d)
    return np.asarray(np.log(epsilon / 2) - epsilon * (mu - place) - np.log(alpha * mu ** (d - 1)))


def loss_by_search(place: float, distance: float, other: float, epsilon: float, growth: GrowthLaw) -> float:
    """The largest absolute log-ratio of two densities, so far apart, over outputs near and far."""
    far = np.concatenate([[0.0], 10 ** np.linspace(-6, 14, 4000) * (1 + distance)])
    z = np.concatenate([-far, far, distance - far, distance + far, np.linspace(0, distance, 500)])
    ratios = log_density(z, place, epsilon, growth) - log_density(z - distance, other, epsilon, growth)
    return float(np.abs(ratios).max())


def loss_by_formula(place: float, distance: float, other: float, epsilon: float, growth: GrowthLaw) -> float:
    """The same by Lemma 2 of docs/proofs/ladder_walk.md, each direction at the output where it is largest."""
    low, high = sorted((place, other))
    end = _end(high, distance, growth)
    light_over_heavy = epsilon * (end - high) + (growth.power - 1) * np.log(end / low)
    end = _end(low, distance, growth)
    slid = epsilon * (end - low) + (growth.power - 1) * np.log(end / high)
    return float(max(light_over_heavy, epsilon * (high - low), slid if end > high else 0.0))


def _end(place: float, distance: float, growth: GrowthLaw) -> float:
    """mu with R(mu) = R(place) + distance."""
    d = growth.power
    return float(place * np.exp(np.log1p(d * distance / float(growth.alpha) / place**d) / d))


def worst_loss(world: World, places: list[float], epsilon: float, growth: GrowthLaw) -> float:
    """Over all neighbours."""
    cases = {(places[x], abs(int(world.values[x] - world.values[y])), places[y]) for x, y in world.pairs}
    return max(loss_by_formula(*case, epsilon, growth) for case in cases)


def level_by_search(rungs: list[int], growth: GrowthLaw) -> float:
    """The largest (L_t / alpha)^(1 / (d - 1)) - t."""
    return max(float((rung / float(growth.alpha)) ** (1 / (growth.power - 1))) - t for t, rung in enumerate(rungs))


def values_of(pattern: str, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """A count of every labelled graph, and which of them are neighbours."""
    pairs = list(combinations(range(nodes), 2))
    codes = np.arange(2 ** len(pairs))
    edge = {pair: (codes >> place) & 1 for place, pair in enumerate(pairs)}
    degrees = [sum(edge[pair] for pair in pairs if node in pair) for node in range(nodes)]
    if pattern == "3-star":
        values = sum(degree * (degree - 1) * (degree - 2) for degree in degrees) // 6
    else:
        cliques = combinations(range(nodes), 4)
        values = sum(np.prod([edge[pair] for pair in combinations(four, 2)], axis=0) for four in cliques)
    neighbours = np.zeros((len(codes), len(codes)), dtype=bool)
    for place in range(len(pairs)):
        neighbours[codes, codes ^ (1 << place)] = True
    return np.asarray(values), neighbours


def shapes_world(count: str, nodes: int) -> World:
    """The same data space with one graph of each shape: counts do not depend on the names of nodes."""
    shapes = shapes_around(nodes)
    places = {x: place for place, x in enumerate(shapes)}
    values = {x: COUNTS[count][0](x) for x in shapes}
    rungs = local_sensitivities(values, shapes)
    pairs = [(places[x], places[y]) for x, around in shapes.items() for y in around]
    return World(np.array(list(values.values())), np.array([rungs[x] for x in shapes]).T, pairs)
