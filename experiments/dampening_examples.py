"""Examples 1 to 8 of the local dampening paper, judged by brute force over all graphs near the example graph."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import Exponential, LocalDampening, PermuteAndFlip, SelectionMechanism
from dampen.queries import degree_problem
from dampen.sensitivity import RungTable
from dampen.vectors import Floats
from experiments.dampening_figure_10 import Statistics, simulated
from experiments.example_graph import (
    EXAMPLE,
    NODES,
    SHARED,
    A,
    B,
    Edges,
    V,
    element_sensitivities,
    graph_of,
    local_sensitivity,
    scores,
    worst_loss,
)
from experiments.pictures import BLUE, GREEN, GREY, RED, YELLOW
from experiments.reproduction import (
    DAMPENING,
    Cell,
    Claim,
    Findings,
    Losses,
    Reproduction,
    Row,
    markdown,
    number,
    one,
    rounded,
    shown,
    where,
)

EPSILON = 2
"""Of Examples 5, 6 and 8."""
SHIFT = 7
"""Of Example 8."""
BOUND = "7.5"
"""The global sensitivity in graphs of eight nodes (Example 2)."""
RUNS = 4000


def posed(utilities: Sequence[float], rungs: RungTable) -> SelectionProblem:
    """Which candidate is best?"""
    return SelectionProblem(Frame(range(len(utilities)), rungs.bound, Adjacency.EDGE), list(utilities), rungs)


def flat_problem(edges: Edges, distances: int = 2) -> SelectionProblem:
    """Example 5: all nodes have the local sensitivity of the graph, by brute force, and then the bound."""
    rows = [[local_sensitivity(edges, t)] * NODES for t in range(distances)]
    return posed(scores(edges), RungTable(rows, bound=BOUND))


def global_problem(edges: Edges) -> SelectionProblem:
    """Example 6: the exponential mechanism's question."""
    return SelectionProblem(Frame(range(NODES), BOUND, Adjacency.EDGE), list(scores(edges)))


def inversion_problem() -> SelectionProblem:
    """Example 7: utilities 3 and 4, rungs 1, 2 and 4, 4."""
    return posed([3.0, 4.0], RungTable([[1, 4], [2, 4]], bound=4))


def law(mechanism: SelectionMechanism, problem: SelectionProblem) -> Floats:
    """Probabilities."""
    return np.exp(np.asarray(mechanism.log_probabilities(problem), dtype=np.float64))


def score(mechanism: LocalDampening, problem: SelectionProblem, place: int) -> float:
    """The dampened score of one candidate."""
    return float(np.asarray(mechanism.scores(problem))[place])


def local_dampening(shift: int = 0) -> LocalDampening:
    """As in the examples: the exponential law at epsilon 2."""
    return LocalDampening(EPSILON, law=Exponential, shift=shift)


def by_degree() -> float:
    """The straw man: the chance of a by permute-and-flip on degrees."""
    return float(law(PermuteAndFlip(EPSILON), degree_problem(graph_of(EXAMPLE).degrees()))[A])


def by_level() -> float:
    """The default of ``dampen.top_nodes``: how often it finds a hub, per hub; seeded simulation."""
    found = simulated(Statistics.of(graph_of(EXAMPLE)), "level", 1, Fraction(EPSILON), np.random.default_rng(0), RUNS)
    return float(np.isin(found, (A, B)).mean()) / 2


LOSS = "worst loss over all neighbours, local dampening"
MEASURES: dict[tuple[int, str], tuple[float | None, Callable[[], float]]] = {
    (1, "EBC(a), Fig. 1a"): (7.5, lambda: scores(SHARED)[A]),
    (1, "EBC(a) without the edge a b, Fig. 1a"): (15, lambda: scores(SHARED - {(A, B)})[A]),
    (1, "EBC(a), Fig. 1b"): (6.5, lambda: scores(EXAMPLE)[A]),
    (1, "EBC(a) lost with the edge a v0, Fig. 1b"): (3, lambda: scores(EXAMPLE)[A] - scores(EXAMPLE - {(A, V[0])})[A]),
    (2, "local sensitivity, Fig. 1a"): (7.5, lambda: local_sensitivity(SHARED, 0)),
    (2, "sensitivity of v0, Fig. 1a"): (1, lambda: element_sensitivities(SHARED, 0)[V[0]]),
    (3, "local sensitivity at distance 0, Fig. 2a"): (3, lambda: local_sensitivity(EXAMPLE, 0)),
    (3, "local sensitivity at distance 1, Fig. 2a"): (5, lambda: local_sensitivity(EXAMPLE, 1)),
    (4, "sensitivity of v4 at distance 0, Fig. 2a"): (2, lambda: element_sensitivities(EXAMPLE, 0)[V[4]]),
    (5, "dampened score of a"): (1.7, lambda: dampened(EXAMPLE, (3, 5))),
    (5, "P(a), local dampening"): (0.32, lambda: float(law(local_dampening(), printed_flat())[A])),
    (5, "P(v0), local dampening"): (0.06, lambda: float(law(local_dampening(), printed_flat())[V[0]])),
    (6, "P(a), exponential mechanism"): (0.22, lambda: float(law(Exponential(EPSILON), global_problem(EXAMPLE))[A])),
    (6, "P(v0), exponential mechanism"): (
        0.09,
        lambda: float(law(Exponential(EPSILON), global_problem(EXAMPLE))[V[0]]),
    ),
    (7, "dampened score of r1"): (2, lambda: score(LocalDampening(1), inversion_problem(), 0)),
    (7, "dampened score of r2"): (1, lambda: score(LocalDampening(1), inversion_problem(), 1)),
    (8, "sensitivity of a at distance 0"): (3, lambda: element_sensitivities(EXAMPLE, 0)[A]),
    (8, "sensitivity of a at distance 1"): (5, lambda: element_sensitivities(EXAMPLE, 1)[A]),
    (8, "sensitivity of v0 at distance 0"): (2, lambda: element_sensitivities(EXAMPLE, 0)[V[0]]),
    (8, "dampened score of a, shifted by 7"): (0.1, lambda: score(local_dampening(SHIFT), printed_own(), A)),
    (8, "dampened score of v0, shifted by 7"): (-2, lambda: score(local_dampening(SHIFT), printed_own(), V[0])),
    (8, "P(a), shifted by 7"): (0.472, lambda: float(law(local_dampening(SHIFT), printed_own())[A])),
    (8, "P(v0), shifted by 7"): (0.0046, lambda: float(law(local_dampening(SHIFT), printed_own())[V[0]])),
    (0, LOSS): (None, lambda: worst_loss(local_dampening(), flat_problem)),
    (0, "P(a), exact sensitivities"): (None, lambda: float(law(local_dampening(), flat_problem(EXAMPLE))[A])),
    (0, "P(a), degrees"): (None, by_degree),
    (0, "P(a), level"): (None, by_level),
}
"""By example and quantity: what the paper prints, and how it is computed. What is no example's is counted as 0."""


def printed_flat() -> SelectionProblem:
    """Example 5 with the rungs as printed, 3 and 5."""
    return posed(scores(EXAMPLE), RungTable([[3] * NODES, [5] * NODES], bound=BOUND))


def printed_own() -> SelectionProblem:
    """Example 8 with the rungs as printed: 3 and 5 for a and b, 2 for the others, then 5."""
    return posed(scores(EXAMPLE), RungTable([[3] * 2 + [2] * 6, [5] * NODES], bound=BOUND))


def dampened(edges: Edges, rungs: tuple[float, ...]) -> float:
    """The dampened score of a by these flat rungs."""
    problem = posed(scores(edges), RungTable([[rung] * NODES for rung in rungs], bound=BOUND))
    return score(local_dampening(), problem, A)


def agrees(printed: float, found: float) -> bool:
    """Whether the printed digits are those of what is found."""
    digits = len(f"{printed:g}".partition(".")[2])
    return abs(found - printed) <= 0.5 * 10.0**-digits + 1e-9


SECTIONS = {1: "1", 2: "1", 3: "2.2", 4: "3.1", 5: "3.4", 6: "3.6.1", 7: "4.1", 8: "4.2"}
"""Of each example."""


class DampeningExamples(Reproduction):
    """All numbers of Examples 1 to 8."""

    id = "dampening_examples"
    paper = DAMPENING
    title = "Examples 1-8"
    subject = "ego betweenness and dampening on a graph of eight nodes"
    parameters: ClassVar[Mapping[str, Any]] = {"epsilon": EPSILON, "shift": SHIFT, "runs": RUNS}

    def cells(self) -> Sequence[Cell]:
        """One for each example."""
        return [(example,) for example in (*range(1, 9), 0)]

    def measure(self, cell: Cell) -> list[Row]:
        """Printed beside found."""
        return [
            {"example": example, "quantity": quantity, "printed": printed, "found": rounded(compute())}
            for (example, quantity), (printed, compute) in MEASURES.items()
            if example == cell[0]
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """One for each example."""
        return [
            Claim(
                f"Example {example}: " + ", ".join(f"{shown(row['printed'])}" for row in held),
                f"section {SECTIONS[example]}, Example {example}",
                ", ".join(shown(row["found"]) for row in held),
                all(agrees(number(row, "printed"), number(row, "found")) for row in held),
            )
            for example in range(1, 9)
            if (held := where(rows, example=example))
        ]

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Local dampening of the example graph and all its neighbours, with exact local sensitivities."""
        return number(one(rows, quantity=LOSS), "found") <= EPSILON

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """The chance of one of the two hubs, at epsilon 2."""
        found = {str(row["quantity"]): number(row, "found") for row in rows}
        return Findings(
            published=f"each hub is chosen with a chance of {found['P(a), local dampening']:.2f} by local dampening at "
            "epsilon 2, as printed. The score of a in Example 8 is -1/6 by the definition, and its chances are "
            f"{found['P(a), shifted by 7']:.3f} and {found['P(v0), shifted by 7']:.3f}",
            privacy=f"yes: the worst loss over all 28 neighbours of the graph is {found[LOSS]:.2f} at epsilon 2",
            sound=f"the same with the exact sensitivities at every distance: {found['P(a), exact sensitivities']:.2f}",
            default=f"`dampen.top_nodes`: {found['P(a), level']:.2f} for each hub (of at most 0.5)",
            straw_man=f"permute-and-flip on degrees: {found['P(a), degrees']:.2f}",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """All numbers."""
        lines = [
            [str(row["example"]), str(row["quantity"]), shown(row["printed"], 4), shown(row["found"], 4)]
            for row in rows
            if row["example"]
        ]
        return markdown(["example", "quantity", "printed", "found"], lines, left=2)

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """The chance of a hub by each mechanism, printed and found."""
        figure, panel = plt.subplots(figsize=(6.8, 3.2))
        bars = {
            "P(a), exponential mechanism": ("Example 6\nexponential", BLUE),
            "P(a), local dampening": ("Example 5\ndampening", RED),
            "P(a), shifted by 7": ("Example 8\nshifted by 7", RED),
            "P(a), degrees": ("degrees\n(straw man)", YELLOW),
            "P(a), level": ("level\n(default)", GREEN),
        }
        for place, (name, (_, colour)) in enumerate(bars.items()):
            row = one(rows, quantity=name)
            if row["printed"] is not None:
                panel.bar(place - 0.2, row["printed"], 0.38, color=GREY, label=None if place else "printed")
            panel.bar(place + 0.2, row["found"], 0.38, color=colour, label=None if place else "found")
        panel.set_xticks(range(len(bars)), [label for label, _ in bars.values()], fontsize=8)
        panel.set_ylabel("chance of hub a, epsilon 2")
        panel.legend(frameon=False, fontsize=9)
        panel.grid(alpha=0.3, axis="y")
        figure.tight_layout()
        return figure
