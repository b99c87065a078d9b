"""The steps of the tour, in words and tables of the terminal."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

import dampen
from dampen._validate import plain
from dampen.audit import AuditReport, add_remove_neighbours, audit_selection, multisets
from dampen.cli.ledger_view import draw_summary
from dampen.cli.tour.page import tour_page
from dampen.mechanisms import PairwiseDampening, PermuteAndFlip
from dampen.privacy import Amount
from dampen.problem import Frame, SelectionProblem
from dampen.sensitivity import RungTable

CITIES = ("Aldby", "Brook", "Carn", "Dunmore", "Elm", "Fairlee", "Glen", "Hythe")
VOTES = (212, 204, 187, 120, 96, 41, 12, 3)
TEAMS = ("board", "lab", "sales")
AGES = tuple(int(age) for age in np.linspace(18, 71, 300) ** 1.05 % 90)
BAR = 40
"""How many characters a probability of 1 would be drawn with."""


def show_tour() -> None:
    """Print the tour, step by step."""
    console = Console()
    budget = dampen.Budget(epsilon="3/2")
    console.print("[bold]dampen: private answers with noise fitted to the data at hand[/bold]\n")
    for number, step in enumerate(STEPS, start=1):
        console.print(f"[bold cyan]{number}. {step.__doc__}[/bold cyan]")
        step(console, budget)
        console.print(
            f"[dim]budget: spent epsilon {_epsilon(budget.spent)} of {_epsilon(budget.limit)},"
            f" {_epsilon(budget.remaining)} left[/dim]\n"
        )


def tour_as_html() -> str:
    """The tour as pictures, in one page that opens without a network."""
    return tour_page(problem_of_votes(), audit_of_votes())


def problem_of_votes() -> SelectionProblem:
    """Which city has the most votes? The votes are made up."""
    frame = Frame(CITIES, bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    return SelectionProblem(frame, VOTES).as_public()


def choose_a_city(console: Console, budget: dampen.Budget) -> None:
    """Which city has the most votes? One voter must not be able to change the answer noticeably."""
    scores = dict(zip(CITIES, VOTES, strict=True))
    epsilon = "1/4"
    answer = dampen.select(scores, sensitivity=1, monotone=True, epsilon=epsilon, budget=budget)
    console.print(f"true answer: {CITIES[int(np.argmax(VOTES))]} (shown because these votes are made up)")
    console.print(f"private answer at epsilon {epsilon}: [bold]{answer}[/bold]")
    problem = problem_of_votes()
    console.print(f"\nThe law of that answer, next to one at epsilon 1/100 ({BAR} blocks are a probability of 1):")
    draw_laws(console, problem, (epsilon, "1/100"))


def draw_laws(console: Console, problem: SelectionProblem, epsilons: tuple[str, ...]) -> None:
    """A small bar chart of exact laws, for public problems."""
    problem.require_public("draw_laws")
    table = Grid(box=None, pad_edge=False)
    table.add_column("candidate")
    laws = []
    for epsilon in epsilons:
        table.add_column(f"epsilon {epsilon}", min_width=BAR // 2)
        laws.append(np.exp(np.asarray(PermuteAndFlip(epsilon).log_probabilities(problem))))
    block = "█" if console.encoding.lower().startswith("utf") else "#"
    for place, candidate in enumerate(problem.frame.candidates):
        table.add_row(candidate, *(f"{law[place]:6.4f} {block * round(BAR * law[place])}" for law in laws))
    console.print(table)


def find_the_median(console: Console, budget: dampen.Budget) -> None:
    """What is the median age? Any age from 0 to 120 may come out; how far is it from the true one?"""
    answer = dampen.median(AGES, bounds=(0, 120), step=1, epsilon="1/4", budget=budget)
    console.print(f"true median: {sorted(AGES)[len(AGES) // 2]}; private at epsilon 1/4: [bold]{answer}[/bold]")


def describe_a_table(console: Console, budget: dampen.Budget) -> None:
    """The same from a table: what is publicly known of it is said once, then it is asked. How good is an answer?"""
    teams = [TEAMS[0 if place % 10 == 0 else 1 + place % 2] for place in range(len(AGES))]
    staff = dampen.Table(
        {"age": AGES, "team": teams},
        columns={"age": dampen.Number(0, 120, step=1), "team": dampen.Category(*TEAMS)},
        budget=budget,
    )
    age = staff.where(team="lab").median("age", epsilon="1/4")
    console.print(f"median age of the lab at epsilon 1/4: [bold]{age.value}[/bold]; {age.error()}")
    console.print("Every team for one price, a mean each:")
    for team, mean in staff.by("team").mean("age", epsilon="1/4").items():
        true = [age for age, each in zip(AGES, teams, strict=True) if each == team]
        console.print(
            f"{team}: [bold]{mean.value:.1f}[/bold] (true: {sum(true) / len(true):.1f}, of {len(true)}); {mean.error()}"
        )


def use_the_data_at_hand(console: Console, budget: dampen.Budget) -> None:
    """Which city spends most? Why fear the worst case when the data at hand is far from it?"""
    spending = [5200, 4900, 4100, 900]
    rungs = RungTable([[20, 25, 22, 30], [40, 45, 42, 55]], bound=2000)
    frame = Frame(CITIES[:4], bound=2000, adjacency=dampen.Adjacency.ADD_REMOVE)
    problem = SelectionProblem(frame, spending, rungs).as_public()
    console.print("One person moves a sum by at most 2000 in the worst case, but by 20 to 30 in this data.")
    for mechanism in (PermuteAndFlip(1), PairwiseDampening(1)):
        chance = float(np.exp(np.asarray(mechanism.log_probabilities(problem))[0]))
        error = dampen.accuracy.expected_error(mechanism, problem)
        console.print(f"{mechanism!r}: right with probability {chance:.3f}, expected error {error:.0f}")


def check_the_promise(console: Console, budget: dampen.Budget) -> None:
    """Is that really private? Every election of up to 12 voters among three cities, and every neighbour of it."""
    console.print(str(audit_of_votes()))


def audit_of_votes() -> AuditReport:
    """What permute-and-flip is claimed to cost, held against all of these elections."""
    frame = Frame(CITIES[:3], bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)

    def votes(x: tuple[str, ...]) -> SelectionProblem:
        return SelectionProblem(frame, [x.count(city) for city in frame.candidates])

    universe, neighbours = multisets(CITIES[:3], largest=12), add_remove_neighbours(CITIES[:3])
    return audit_selection(PermuteAndFlip("1/4"), votes, universe, neighbours)


def find_the_hubs(console: Console, budget: dampen.Budget) -> None:
    """Who holds a network together? Edges are private now, so this graph has a budget of its own."""
    hubs, people = range(4), range(4, 400)
    graph = dampen.Graph.from_edges([person % 4 for person in people], people, nodes=400)
    own = dampen.Budget(epsilon=2)
    answer = dampen.top_nodes(graph, 4, epsilon=2, budget=own)
    console.print(f"four people know 99 others each: {tuple(hubs)}; private at epsilon 2: [bold]{answer}[/bold]")
    console.print(f"The graph's budget: spent epsilon {_epsilon(own.spent)} of {_epsilon(own.limit)}.")


def run_out(console: Console, budget: dampen.Budget) -> None:
    """What happens when the budget runs out?"""
    scores = dict(zip(CITIES, VOTES, strict=True))
    for epsilon in ("1/2", "1/10"):
        try:
            answer = dampen.select(scores, sensitivity=1, monotone=True, epsilon=epsilon, budget=budget)
            console.print(f"asked at epsilon {epsilon}: {answer}")
        except dampen.errors.BudgetExceeded as refusal:
            console.print(f"asked at epsilon {epsilon}: [red]{refusal}[/red]")


def survive_a_crash(console: Console, budget: dampen.Budget) -> None:
    """And when the machine dies? A budget in a file is charged before anything is drawn, and forgets nothing."""
    scores = dict(zip(CITIES, VOTES, strict=True))
    loss = dampen.PrivacyLoss("1/4", adjacency=dampen.Adjacency.ADD_REMOVE)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "study.db"
        ann = dampen.Budget.open(file, epsilon=2).scope("analyst", "ann", epsilon=1)
        dampen.select(scores, sensitivity=1, monotone=True, epsilon="1/2", budget=ann, note="best city")
        ann.reserve(loss, note="the power fails here")
        ann.close()
        reopened = dampen.Budget.open(file)
        draw_summary(console, reopened, most=5)
        console.print(f"verify: {'intact' if reopened.verify() else 'not intact'}")
        reopened.close()


STEPS: tuple[Callable[[Console, dampen.Budget], None], ...] = (
    choose_a_city,
    find_the_median,
    describe_a_table,
    use_the_data_at_hand,
    check_the_promise,
    find_the_hubs,
    run_out,
    survive_a_crash,
)
"""The tour, in order; a step's docstring is its heading."""


def _epsilon(amount: Amount) -> str:
    return plain(amount.epsilon or Fraction(0))
