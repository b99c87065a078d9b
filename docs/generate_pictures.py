"""Draw the pictures of the documentation: ``python -m docs.generate_pictures``."""

from pathlib import Path

import dampen
from dampen.mechanisms import LocalDampening, PairwiseDampening, PermuteAndFlip
from dampen.sensitivity import RungTable

HERE = Path(__file__).parent
CITIES = ("Aldby", "Brook", "Carn", "Dunmore")


def draw_law(path: Path) -> None:
    """Which city spends most? The law of three mechanisms, on made-up data."""
    frame = dampen.Frame(CITIES, bound=2000, adjacency=dampen.Adjacency.ADD_REMOVE)
    rungs = RungTable([[20, 25, 22, 30], [40, 45, 42, 55]], bound=2000)
    problem = dampen.SelectionProblem(frame, [5200, 4900, 4100, 900], rungs).as_public()
    figure = dampen.plots.law(problem, [PermuteAndFlip(1), LocalDampening(1), PairwiseDampening(1)])
    figure.savefig(path, dpi=90, metadata={"Software": None})


if __name__ == "__main__":
    draw_law(HERE / "law.png")
