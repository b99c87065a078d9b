"""Write the table of docs/choose_a_mechanism.md from exact laws: ``python -m docs.generate_mechanisms``."""

from collections.abc import Callable, Iterator
from pathlib import Path

from dampen import Adjacency, CountsFrame, CountsProblem, Graph, StandIn, compare
from dampen._validate import Number
from dampen.front.compare import Comparison
from dampen.queries import triangle_problem
from dampen.writing import round_up

PAGE = Path(__file__).parent / "choose_a_mechanism.md"
START, END = "<!-- made by docs.generate_mechanisms -->\n", "<!-- end -->\n"
EPSILONS: tuple[Number, ...] = ("0.1", 1, 4)
PAY = [1000 + i * i * 7 % 3000 + i % 40 * 20 for i in range(2000)]
FEW = range(1000, 4000, 10)
NODES = 120
DELTA = "1e-6"


def graph() -> Graph:
    """Every node with some others, by arithmetic alone."""
    pairs = [(i, j) for i in range(NODES) for j in range(i) if (i * i + i * j + j * j) % 13 == 0]
    return Graph.from_edges(*zip(*pairs, strict=True), nodes=NODES)


def counts_of_everybody() -> CountsProblem:
    """Counts of which one person may move all by 1."""
    frame = CountsFrame(300, 300, Adjacency.ADD_REMOVE, largest=1)
    return CountsProblem(frame, [0] * 300).as_public()


def case(values: object, question: str, **public: object) -> Comparison:
    """A question on public values."""
    return compare(StandIn(values).as_public(), question, epsilons=EPSILONS, **public)  # type: ignore[arg-type]


CASES: dict[str, tuple[str, Callable[[], Comparison]]] = {
    "median of 2,000 salaries, steps of 50": (
        "distance: Exponential",
        lambda: case(PAY, "median", bounds=(0, 10_000), step=50),
    ),
    "median of 300 salaries, steps of 1": ("distance: Exponential", lambda: case(FEW, "median", bounds=(0, 10_000))),
    "99th percentile of 2,000 salaries": (
        "distance: Exponential",
        lambda: case(PAY, "percentile", p=99, bounds=(0, 10_000), step=50),
    ),
    "most frequent of 5 labels: 105, 100, 95": (
        "Exponential",
        lambda: case(["a"] * 105 + ["b"] * 100 + ["c"] * 95, "most_common", categories=tuple("abcde")),
    ),
    "3 most frequent of 5 labels: 105, 100, ... 85": (
        "TopK of Exponential",
        lambda: case(
            [label for label, count in zip("abcde", range(105, 80, -5), strict=True) for _ in range(count)],
            "top_categories",
            k=3,
            categories=tuple("abcde"),
        ),
    ),
    "count of 2,000": ("Laplace", lambda: case(PAY, "count")),
    "histogram of 20 bars": ("LaplaceCounts", lambda: case(PAY, "histogram", bounds=(0, 9_500), step=500, delta=DELTA)),
    "300 counts, one person in all, delta 1e-6": (
        "LaplaceCounts",
        lambda: compare(counts_of_everybody(), epsilons=EPSILONS, delta=DELTA),
    ),
    "sum of 2,000 salaries": ("Laplace", lambda: case(PAY, "sum", bounds=(0, 10_000))),
    "mean of 2,000 salaries": ("Laplace", lambda: case(PAY, "mean", bounds=(0, 10_000))),
    "variance of 2,000 salaries": ("Laplace", lambda: case(PAY, "variance", bounds=(0, 10_000))),
    "triangles of a graph of 120 nodes": (
        "Laplace",
        lambda: compare(triangle_problem(graph()).as_public(), epsilons=EPSILONS),
    ),
}
"""What is asked; the mechanism of the textbook, and the comparison."""


def table() -> str:
    """Which mechanism to take, and its mean error beside that of the textbook's."""
    lines = ["| question | epsilon | take | mean error | textbook | mean error |", "|---|---|---|---|---|---|"]
    lines += [line for asked, (usual, make) in CASES.items() for line in _rows(asked, usual, make())]
    return "\n".join(lines) + "\n"


def _rows(asked: str, usual: str, found: Comparison) -> Iterator[str]:
    means = {each.name: [None if error is None else error.mean for error in each.errors] for each in found.contenders}
    for place, epsilon in enumerate(EPSILONS):
        best = found.best(epsilon)
        told, textbook = (_told(means[name][place]) for name in (best, usual))
        yield f"| {asked if not place else ''} | {epsilon} | {best} | {told} | {usual} | {textbook} |"


def _told(mean: float | None) -> str:
    if mean is None:
        return "none"
    return "below 0.001" if mean < 0.001 else round_up(float(f"{mean:.2g}"))


def page() -> str:
    """The page with its table made anew."""
    text = PAGE.read_text()
    before, _, rest = text.partition(START)
    return f"{before}{START}{table()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page())
