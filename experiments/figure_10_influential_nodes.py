"""Figure 10 of the local dampening paper: how many of the true top k by ego betweenness a private top k finds.

Run ``python -m experiments.figure_10_influential_nodes`` from the project's root with ``DAMPEN_DATA`` set. It writes a
JSON file and, where matplotlib is installed, a picture. What came out stands in docs/reproductions.md.

NOT PRIVATE. The paper takes the largest degree K for public and computes the global sensitivity max(K (K - 1) / 4, K)
from it. K is read from the data here, as the paper did, which no release may do: ``dampen.top_nodes`` uses n - 1 unless
a bound is given, and then cuts every graph down to it. The graphs are published, everything is seeded and simulated,
and nothing is paid.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from dampen import Graph, datasets
from dampen.applications.level_nodes import level_sums
from dampen.mechanisms import Exponential, LaplaceTopK, LocalDampening, PermuteAndFlip, ShiftedLocalDampening, TopK
from dampen.problem import SelectionProblem
from dampen.queries import degree_problem, ego_betweenness_problem
from dampen.queries.level import clipped_h, kth_largest_degree, level_plan, level_problem, level_rates
from dampen.vectors import Floats, Integers
from experiments.pictures import pyplot

GRAPHS = ("enron", "dblp", "github")
SIZES = (5, 10, 20)
EPSILONS = tuple(f"1e{place}" for place in range(-3, 5))
FINE_EPSILONS = (*(f"{digit}e{place}" for place in range(-3, 4) for digit in (1, 3)), "1e4")
METHODS = {
    "exponential": "EMPrivTopk",
    "permute_and_flip": "PFPrivTopk",
    "local_dampening": "LDPrivTopk",
    "shifted": "SLDPrivTopk",
    "degree": "degree (ours)",
    "level": "level (ours)",
}
"""The four of the paper, and two of this library's."""
RUNS = 100
RESULTS = Path(__file__).resolve().parent / "results"


@dataclass
class Statistics:
    """What every draw reads: computed once for each graph."""

    graph: Graph
    degrees: Integers
    problem: SelectionProblem
    sums: dict[Any, Integers] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph) -> "Statistics":
        """Ego betweenness with the paper's global sensitivity: that of degrees up to K + 1, K the largest found."""
        degrees = graph.degrees()
        problem = ego_betweenness_problem(graph.ego_betweenness(), degrees, max_degree=int(degrees.max()) + 1)
        return cls(graph, degrees, problem.as_public())

    @property
    def global_sensitivity(self) -> float:
        """The paper's: max(K (K - 1) / 4, K) with K the largest degree of the data."""
        bound = self.problem.frame.bound
        assert bound is not None
        return float(bound)

    def true_top(self, k: int) -> Integers:
        """The k nodes of largest ego betweenness."""
        return np.argsort(-np.asarray(self.problem.groups, dtype=np.float64), kind="stable")[:k]


def overlaps(stats: Statistics, method: str, k: int, epsilon: str, rng: np.random.Generator, runs: int) -> Floats:
    """The share of the true top k in each of so many private ones."""
    chosen = simulated(stats, method, k, Fraction(epsilon), rng, runs)
    return np.asarray(np.isin(chosen, stats.true_top(k)).mean(axis=1))


def simulated(
    stats: Statistics, method: str, k: int, epsilon: Fraction, rng: np.random.Generator, runs: int
) -> Integers:
    """Rows of k nodes, drawn by a mechanism's simulation."""
    if method == "level":
        return np.concatenate([_by_level(stats, k, epsilon, rng) for _ in range(runs)])
    if method == "degree":
        return LaplaceTopK(k, epsilon, movers=2).simulate(degree_problem(stats.degrees).as_public(), rng, runs)
    share = epsilon / k
    forms: dict[str, Callable[[], TopK]] = {
        "exponential": lambda: TopK(k, Exponential(share)),
        "permute_and_flip": lambda: TopK(k, PermuteAndFlip(share), peeled=True),
        "local_dampening": lambda: TopK(k, LocalDampening(share, law=Exponential)),
        "shifted": lambda: TopK(k, ShiftedLocalDampening(share, horizon=stats.graph.nodes, law=Exponential)),
    }
    return forms[method]().simulate(stats.problem, rng, runs)


def _by_level(stats: Statistics, k: int, epsilon: Fraction, rng: np.random.Generator) -> Integers:
    """One list of the level method: h, the plan for it, and the list; the sums of each step are kept."""
    n, (for_h, for_list) = stats.graph.nodes, level_rates(epsilon)
    noisy = kth_largest_degree(stats.degrees, k) + seeded_discrete_laplace(for_h, rng)
    plan = level_plan(clipped_h(noisy, n), epsilon=for_list, k=k, n=n)
    key = "degree" if plan.by_degree else plan.step
    if key not in stats.sums:
        stats.sums[key] = level_sums(stats.graph.offsets, stats.graph.neighbours, plan)
    problem = level_problem(stats.sums[key], stats.degrees, plan).as_public()
    return LaplaceTopK(k, for_list, movers=2, drift=plan.drift).simulate(problem, rng, 1)


def seeded_discrete_laplace(rate: Fraction, rng: np.random.Generator) -> int:
    """P proportional to exp(-rate |z|): the difference of two geometric numbers."""
    stop = -np.expm1(-float(rate))
    return int(rng.geometric(stop)) - int(rng.geometric(stop))


def measured(
    name: str, stats: Statistics, sizes: tuple[int, ...], epsilons: tuple[str, ...], runs: int, seed: int
) -> Iterator[dict[str, Any]]:
    """One row for each k, method and epsilon; a stream of random numbers of its own for each."""
    for k in sizes:
        for place, method in enumerate(METHODS):
            for epsilon in epsilons:
                key = [seed, GRAPHS.index(name), k, place, epsilons.index(epsilon)]
                found = overlaps(stats, method, k, epsilon, np.random.default_rng(key), runs)
                yield {
                    "graph": name,
                    "k": k,
                    "method": method,
                    "epsilon": float(epsilon),
                    "overlap": round(float(found.mean()), 4),
                    "error": round(float(found.std(ddof=1) / runs**0.5), 4) if runs > 1 else None,
                }


def reached(rows: list[dict[str, Any]], graph: str, k: int, method: str, overlap: float) -> float | None:
    """The least epsilon from which on the mean overlap is at least this."""
    curve = sorted(
        (row["epsilon"], row["overlap"])
        for row in rows
        if (row["graph"], row["k"], row["method"]) == (graph, k, method)
    )
    below = [epsilon for epsilon, found in curve if found < overlap]
    return min((epsilon for epsilon, _ in curve if not below or epsilon > max(below)), default=None)


def draw(rows: list[dict[str, Any]], path: Path) -> bool:
    """One panel for each graph and k; says so in one line, and returns False, where matplotlib is missing."""
    plt = pyplot()
    if plt is None:
        return False
    graphs, sizes = list(dict.fromkeys(r["graph"] for r in rows)), list(dict.fromkeys(r["k"] for r in rows))
    figure, axes = plt.subplots(
        len(graphs), len(sizes), figsize=(3.6 * len(sizes) + 0.6, 2.7 * len(graphs) + 0.8), sharex=True, sharey=True,
        squeeze=False,
    )  # fmt: skip
    for line, graph in zip(axes, graphs, strict=True):
        for panel, k in zip(line, sizes, strict=True):
            _panel(panel, [r for r in rows if (r["graph"], r["k"]) == (graph, k)])
            panel.set_title(f"{LABELS[graph]}, k = {k}", fontsize=10)
        line[0].set_ylabel("mean overlap")
    for panel in axes[-1]:
        panel.set_xlabel("epsilon, for the whole list")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(METHODS), fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return True


LABELS = {"enron": "Enron", "dblp": "DBLP", "github": "GitHub"}
LOOKS = {
    "exponential": ("tab:blue", "o", "--"),
    "permute_and_flip": ("tab:orange", "^", "--"),
    "local_dampening": ("tab:gray", "s", "--"),
    "shifted": ("tab:red", "D", "-"),
    "degree": ("tab:olive", "x", ":"),
    "level": ("tab:green", "*", "-"),
}


def _panel(panel: Any, rows: list[dict[str, Any]]) -> None:
    for method, label in METHODS.items():
        curve = [row for row in rows if row["method"] == method]
        colour, marker, line = LOOKS[method]
        x, y = [row["epsilon"] for row in curve], [row["overlap"] for row in curve]
        panel.plot(x, y, color=colour, marker=marker, linestyle=line, markersize=4, linewidth=1.3, label=label)
    panel.set_xscale("log")
    panel.set_ylim(-0.03, 1.03)
    panel.grid(alpha=0.3)


def table(rows: list[dict[str, Any]], epsilons: tuple[float, ...]) -> str:
    """The curves as a Markdown table, at some of the epsilons."""
    head = "| graph | k | method | " + " | ".join(f"{epsilon:g}" for epsilon in epsilons) + " |"
    lines = [head, "|---|---:|---|" + "---:|" * len(epsilons)]
    for graph, k, method in dict.fromkeys((row["graph"], row["k"], row["method"]) for row in rows):
        curve = {
            row["epsilon"]: row["overlap"]
            for row in rows
            if (row["graph"], row["k"], row["method"]) == (graph, k, method)
        }
        shown = " | ".join(f"{curve[epsilon]:.2f}" for epsilon in epsilons)
        lines.append(f"| {LABELS[graph]} | {k} | `{method}` | {shown} |")
    return "\n".join(lines)


def arguments(given: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Figure 10 of the local dampening paper. Not private: see the module.")
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--k", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--fine", action="store_true", help="two values of epsilon for each power of ten")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the JSON file and the picture")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> None:
    """Measure, write and show."""
    options = arguments(given)
    epsilons = FINE_EPSILONS if options.fine else EPSILONS
    rows: list[dict[str, Any]] = []
    sensitivities = {}
    with Progress(transient=True) as progress:
        total = len(options.graphs) * len(options.k) * len(METHODS) * len(epsilons)
        task = progress.add_task("Figure 10", total=total)
        for name in options.graphs:
            stats = Statistics.of(getattr(datasets, f"load_{name}")())
            sensitivities[name] = stats.global_sensitivity
            for row in measured(name, stats, tuple(options.k), epsilons, options.runs, options.seed):
                rows.append(row)
                progress.update(task, advance=1, description=f"{LABELS[name]}, k = {row['k']}, {row['method']}")
    options.out.mkdir(parents=True, exist_ok=True)
    kept = {"runs": options.runs, "seed": options.seed, "global_sensitivity": sensitivities, "rows": rows}
    (options.out / "figure_10.json").write_text(json.dumps(kept, indent=1) + "\n")
    draw(rows, options.out / "figure_10.png")
    print(
        "NOT PRIVATE: the largest degree is read from the data, as in the paper. Global sensitivities:", sensitivities
    )
    print(table(rows, tuple(float(epsilon) for epsilon in EPSILONS)))


if __name__ == "__main__":
    main()
