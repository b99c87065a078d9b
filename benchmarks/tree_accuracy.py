"""How often classifiers are right: dampen's, diffprivlib's tree and forest, and DP-EBM, on the same folds.

Run ``python -m benchmarks.tree_accuracy`` from the project's root with ``DAMPEN_DATA`` set. A run cuts each table into
ten folds; every classifier is fitted on nine and answers the tenth, ten times. A figure is the mean over the runs, with
the standard error of that mean. Results are kept after every step, and a run that was broken off goes on where it was
(``--fresh`` begins anew). benchmarks/README.md says what was seen.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from tempfile import TemporaryDirectory
from typing import Any

from rich.progress import Progress

from benchmarks.coded_tables import CodedTable, coded
from benchmarks.contestants import PeerMissing
from benchmarks.folds import FOLDS, mean_accuracy
from benchmarks.peer_process import PeerProcess
from benchmarks.targets import Target
from dampen import Budget
from dampen.learn import PrivateClassifier, PrivateForestClassifier, PrivateScorecard, PrivateTreeClassifier
from dampen.learn.joint_model import joint_is_better

TABLES = ("adult", "nltcs", "acs")
"""Where all classifiers take part."""
OTHERS = ("mushroom", "wall_following", "pendigits", "wine_white")
"""Where :class:`PrivateClassifier` does alone."""
EPSILONS = ("0.01", "0.1", "0.5", "1", "2")
PROMISED = EPSILONS[1:]
"""Where tree and forest are held against diffprivlib's."""
DEPTHS = (2, 5)
LEAST = {
    "adult": {"0.01": 0.80, "0.1": 0.832, "1": 0.853},
    "nltcs": {"0.01": 0.788, "0.1": 0.810, "1": 0.819},
    "acs": {"0.01": 0.930, "0.1": 0.936, "1": 0.938},
    "mushroom": {"1": 0.993},
}
"""What PrivateClassifier has to reach with its number of records declared."""
LEAST_SCORECARD = {"adult": {"0.3": 0.849, "1": 0.853}}
"""What PrivateScorecard has to reach."""
LEAST_UNDECLARED = {"adult": 0.79, "acs": 0.928}
"""And without, at epsilon 0.01."""
MAY_LOSE = ("0.01", "0.1")
"""Where a joint model may be behind the decision table, by 0.002 at most."""
HIGHER = 1e-9
RESULTS = Path(__file__).parent / "results" / "tree_accuracy.json"
RUNS, INFORMATION_RUNS = 10, 2


@dataclass(frozen=True)
class Cell:
    """One classifier at one epsilon; ``depth`` is ``None`` where it decides itself."""

    who: str
    epsilon: str
    depth: int | None = None

    @property
    def promised(self) -> bool:
        """Whether a promise is about it; the others are for information."""
        if self.depth is not None:
            return self.epsilon in PROMISED
        return self.who == SCORECARD or (self.who != FOREST and self.epsilon in LEAST["adult"])

    def name(self, table: str) -> str:
        """How results are kept."""
        return f"{table}, {self.who}, depth {self.depth}, epsilon {self.epsilon}"


TREE, FOREST, TABLE, UNDECLARED = "tree", "forest", "PrivateClassifier", "PrivateClassifier, undeclared"
SCORECARD, DECISION = "PrivateScorecard", "PrivateClassifier, kind='table'"
PEER_TREE, PEER_FOREST, EBM = "diffprivlib tree", "diffprivlib forest", "DP-EBM"
OURS = [
    *(Cell(who, epsilon, depth) for who in (TREE, FOREST) for epsilon in EPSILONS for depth in DEPTHS),
    *(Cell(who, epsilon) for who in (FOREST, TABLE) for epsilon in EPSILONS),
    Cell(UNDECLARED, "0.01"),
    *(Cell(SCORECARD, epsilon) for epsilon in ("0.3", "1")),
    *(Cell(DECISION, epsilon) for epsilon in LEAST["adult"]),
]
DIFFPRIVLIB = [
    Cell(who, epsilon, depth) for who in (PEER_TREE, PEER_FOREST) for epsilon in EPSILONS for depth in DEPTHS
]
INTERPRET = [Cell(EBM, epsilon) for epsilon in EPSILONS]

Kept = dict[str, list[float]]
"""By the name of a cell its accuracy in each run."""


def takes_part(cell: Cell, name: str, table: CodedTable, wanted: Sequence[str]) -> bool:
    """Whether a cell is measured: the decision table is where a joint model is taken, and else has the same law."""
    if wanted and cell.who not in wanted:
        return False
    if cell.who == DECISION:
        return joint_is_better(table.schema, Fraction(cell.epsilon), len(table.classes) * (FOLDS - 1) // FOLDS)
    return name in TABLES or (cell.who == TABLE and cell.promised)


def maker(cell: Cell, table: CodedTable) -> Callable[[int], Any]:
    """One of dampen's classifiers as :func:`mean_accuracy` takes it."""
    public: dict[str, Any] = {"schema": table.schema, "budget": Budget(epsilon=10**6)}
    if cell.who == TREE:
        return lambda _: PrivateTreeClassifier(cell.epsilon, cell.depth or 0, **public)
    if cell.who == FOREST:
        return lambda _: PrivateForestClassifier(cell.epsilon, max_depth=cell.depth, **public)
    if cell.who == SCORECARD:
        return lambda _: PrivateScorecard(cell.epsilon, **public)
    public |= {"kind": "table"} if cell.who == DECISION else {}
    declared = cell.who != UNDECLARED
    return lambda rows: PrivateClassifier(cell.epsilon, expected_records=rows if declared else None, **public)


class Board:
    """What is known so far, kept in a file."""

    def __init__(self, path: Path, fresh: bool) -> None:
        self._path = path
        self.kept: Kept = json.loads(path.read_text()) if path.exists() and not fresh else {}

    def missing(self, cells: list[Cell], table: str, run: int) -> list[Cell]:
        """The cells that this run has not been through; those without a promise have few runs."""
        wanted = cells if run < INFORMATION_RUNS else [cell for cell in cells if cell.promised]
        return [cell for cell in wanted if len(self.kept.get(cell.name(table), [])) <= run]

    def note(self, cell: Cell, table: str, accuracy: float) -> None:
        """Keep one run's accuracy."""
        self.kept.setdefault(cell.name(table), []).append(accuracy)
        self._path.parent.mkdir(exist_ok=True)
        self._path.write_text(json.dumps(self.kept, indent=1))

    def shown(self, cell: Cell, table: str) -> str:
        """Mean and standard error."""
        found = self.kept.get(cell.name(table), [])
        if len(found) < 2:
            return "-" if not found else f"{found[0]:.4f}"
        return f"{mean(found):.4f} ±{stdev(found) / sqrt(len(found)):.4f}"

    def mean(self, cell: Cell, table: str) -> float | None:
        """The mean over the runs, if there was one."""
        found = self.kept.get(cell.name(table))
        return mean(found) if found else None


def start_peers(folder: Path) -> tuple[PeerProcess | None, PeerProcess | None]:
    """diffprivlib and DP-EBM, where they can be started; missing ones are named."""

    def started(environment: str, module: str) -> PeerProcess | None:
        try:
            return PeerProcess(environment, f"benchmarks.{module}", folder)
        except PeerMissing as missing:
            print(missing)
            return None

    return started(".venv-diffprivlib", "diffprivlib_trees"), started(".venv-interpret", "interpret_worker")


def one_run(
    table: str, made: CodedTable, ours: list[Cell], run: int, board: Board, peers: tuple[PeerProcess | None, ...]
) -> None:
    """Classifiers on the folds of one run; DP-EBM works beside the others."""
    trees, ebm = peers if table in TABLES else (None, None)
    asked = board.missing(INTERPRET, table, run) if ebm else []
    for cell in asked:
        ebm.put(table, cell.epsilon, run)  # type: ignore[union-attr]
    for cell in board.missing(ours, table, run):
        board.note(cell, table, mean_accuracy(maker(cell, made), made.values, made.classes, run))
    for cell in board.missing(DIFFPRIVLIB, table, run) if trees else []:
        model = cell.who.removeprefix("diffprivlib ")
        accuracy = trees.ask("accuracy", table, model, cell.depth, cell.epsilon, run)  # type: ignore[union-attr]
        board.note(cell, table, accuracy)
    for cell in asked:
        board.note(cell, table, ebm.answer())  # type: ignore[union-attr]


def targets(board: Board) -> list[Target]:
    """The promises of this page."""

    def ahead(table: str, one: Cell, other: Cell) -> dict[str, float]:
        first, second = board.mean(one, table), board.mean(other, table)
        return {} if first is None or second is None else {one.name(table): first - second}

    def trees(names: tuple[str, ...]) -> dict[str, float]:
        found: dict[str, float] = {}
        for table in names:
            for cell in [cell for cell in OURS if cell.depth and cell.epsilon in PROMISED]:
                found |= ahead(table, cell, Cell(f"diffprivlib {cell.who}", cell.epsilon, cell.depth))
        return found

    def reached(who: str, least: dict[str, dict[str, float]]) -> dict[str, float]:
        found = dict[str, float]()
        for table, promised in least.items():
            for epsilon, accuracy in promised.items():
                seen = board.mean(Cell(who, epsilon), table)
                found |= {} if seen is None else {Cell(who, epsilon).name(table): seen - accuracy}
        return found

    joint: dict[str, float] = {}
    for table in (*TABLES, *OTHERS):
        for epsilon in MAY_LOSE:
            joint |= ahead(table, Cell(TABLE, epsilon), Cell(DECISION, epsilon))
    beside: dict[str, float] = {}
    for table in TABLES:
        for epsilon in EPSILONS:
            beside |= ahead(table, Cell(TABLE, epsilon), Cell(EBM, epsilon))
    undeclared = {table: {"0.01": accuracy} for table, accuracy in LEAST_UNDECLARED.items()}
    return [
        Target("tree and forest above diffprivlib's on Adult and NLTCS", HIGHER, trees(TABLES[:2]), at_least=True),
        Target("on ACS not lower by more than 0.002", -0.002, trees(TABLES[2:]), at_least=True),
        Target("PrivateClassifier reaches what is promised", 0, reached(TABLE, LEAST), at_least=True),
        Target("PrivateScorecard reaches what is promised", 0, reached(SCORECARD, LEAST_SCORECARD), at_least=True),
        Target("undeclared too, at epsilon 0.01", 0, reached(UNDECLARED, undeclared), at_least=True),
        Target("a joint model loses at most 0.002 to the decision table", -0.002, joint, at_least=True),
        Target("PrivateClassifier above DP-EBM", HIGHER, beside, at_least=True),
    ]


def report(board: Board, tables: list[str]) -> None:
    """Print a table for each data set, and the verdicts."""
    cells = [*OURS, *DIFFPRIVLIB, *INTERPRET]
    rows = dict.fromkeys((cell.who, cell.depth) for cell in cells)
    epsilons = sorted({cell.epsilon for cell in cells}, key=float)
    for table in tables:
        print(f"\n| {table} | {' | '.join(epsilons)} |\n" + "|---" * (1 + len(epsilons)) + "|")
        for who, depth in rows:
            figures = [board.shown(Cell(who, epsilon, depth), table) for epsilon in epsilons]
            if any(figure != "-" for figure in figures):
                print(f"| {who}{'' if depth is None else f', depth {depth}'} | {' | '.join(figures)} |")
    print()
    for target in targets(board):
        print(target.line())


def main() -> None:
    """Measure what is missing, print, and keep as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--quick", action="store_true", help="two runs")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    parser.add_argument("--data", nargs="+", default=[*TABLES, *OTHERS], choices=[*TABLES, *OTHERS])
    parser.add_argument(
        "--who", nargs="+", choices=sorted({cell.who for cell in OURS}), help="these classifiers alone, without peers"
    )
    chosen = parser.parse_args()
    runs, board = 2 if chosen.quick else chosen.runs, Board(RESULTS, chosen.fresh)
    with TemporaryDirectory() as folder, Progress() as progress:
        bar = progress.add_task("runs", total=runs * len(chosen.data))
        made = {table: coded(table) for table in chosen.data}
        for table in chosen.data:
            made[table].write(Path(folder) / f"{table}.npz")
        there = (None, None) if chosen.who else start_peers(Path(folder))
        for run in range(runs):
            for table in chosen.data:
                ours = [cell for cell in OURS if takes_part(cell, table, made[table], chosen.who or ())]
                one_run(table, made[table], ours, run, board, there)
                progress.advance(bar)
        for peer in filter(None, there):
            peer.close()
    report(board, chosen.data)


if __name__ == "__main__":
    main()
