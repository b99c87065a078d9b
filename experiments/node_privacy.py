"""How far off is the number of edges, where an edge is hidden, and where a node is hidden with all its edges?

``python -m experiments.node_privacy`` with ``DAMPEN_DATA`` set. Errors are those of the exact laws, as shares of the
number of edges: the median, and what is exceeded with probability 5 %.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dampen import Graph, datasets
from dampen.mechanisms import EdgeRace
from dampen.mechanisms.numeric.noises import Geometric, PublicNoise
from dampen.problem import CapProblem
from dampen.queries import kept_edges_problem

GRAPHS = {"Enron": "enron", "GitHub": "github", "Gowalla": "gowalla", "DBLP": "dblp", "Facebook": "facebook"}
EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(3))
CHANCES = (0.5, 0.95)
Errors = tuple[int, ...]
"""The median error, and what 95 % are at most."""


def chance_within(noise: PublicNoise, off: int, error: int) -> float:
    """P(|off + Z| <= error) for symmetric noise Z."""

    def at_most(x: int) -> float:
        tail = float(np.exp(noise.log_tail(np.array([x + 1 if x >= 0 else -x]))[0])) / 2
        return 1 - tail if x >= 0 else tail

    return at_most(error - off) - at_most(-error - off - 1)


def errors_within(law: Callable[[int], float]) -> Errors:
    """The least errors within which an answer is with the chances above; ``law`` tells the chance of an error."""
    found = []
    for chance in CHANCES:
        high = 1
        while law(high) < chance:
            high *= 2
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if law(middle) >= chance else (middle, high)
        found.append(high)
    return tuple(found)


def race_errors(problem: CapProblem, epsilon: Fraction) -> Errors:
    """Of the edge race: over all caps, what is left out and the noise together."""
    race, sums = EdgeRace(epsilon), problem.sums or ()
    likely = np.exp(race.log_cap_probabilities(problem))
    parts = [
        (chance, race.noise(problem.frame, cap), kept - sums[-1])
        for chance, cap, kept in zip(likely.tolist(), problem.frame.caps, sums, strict=True)
    ]
    return errors_within(lambda error: sum(chance * chance_within(noise, off, error) for chance, noise, off in parts))


def noise_errors(rate: Fraction) -> Errors:
    """Of discrete Laplace noise alone."""
    noise = Geometric(rate)
    return errors_within(lambda error: chance_within(noise, 0, error))


def in_percent(errors: Errors, edges: int) -> str:
    """The median and, in brackets, the 95 %, as shares."""
    shares = (100 * error / edges for error in errors)
    median, most = (f"{share:.0f}" if share >= 10 else f"{share:.2g}" for share in shares)
    return f"{median} ({most})"


def row(name: str) -> str:
    """One graph: the edge race at every epsilon, then noise for a node that may be linked to all others."""
    graph: Graph = getattr(datasets, f"load_{GRAPHS[name]}")()
    problem, edges = kept_edges_problem(graph), len(graph.neighbours) // 2
    race = [race_errors(problem, epsilon) for epsilon in EPSILONS]
    plain = [noise_errors(epsilon / (graph.nodes - 1)) for epsilon in EPSILONS]
    told = (in_percent(each, edges) for each in (*race, *plain))
    return f"| {name} | {graph.nodes:,} | {edges:,} | {graph.degrees().max():,} | {' | '.join(told)} |"


if __name__ == "__main__":
    print("edges alone, median and 95 %:", [noise_errors(epsilon) for epsilon in EPSILONS])
    print("\n".join(map(row, GRAPHS)))
