"""The rules that every mechanism keeps, each a function of a mechanism on trial; ``RULES`` is their one list.

A rule that is broken raises ``ContractBroken`` with one sentence. A rule that cannot be tried raises ``LeftOut``.
"""

import copy
import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import permutations
from typing import Any, NoReturn

import numpy as np

from dampen import entropy
from dampen._validate import Number
from dampen.accounting import Budget
from dampen.audit import cells
from dampen.audit.counts import audit_counts
from dampen.audit.draws import audit_draw
from dampen.audit.exact import audit_selection
from dampen.audit.law_checks import selection_law
from dampen.audit.listening import Heard, listening
from dampen.audit.numeric import audit_numeric
from dampen.audit.report import AuditReport
from dampen.audit.trials import SECRET, Case, cases_of, secret_problem
from dampen.errors import (
    BudgetExceeded,
    ContractBroken,
    DampenError,
    DataError,
    FrameLeak,
    NotPublic,
    ParameterError,
    ReleaseFailed,
)
from dampen.mechanisms import CountsMechanism, NumericMechanism, SelectionMechanism
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.privacy import Adjacency, PrivacyLoss, Release
from dampen.problem import Frame, SelectionProblem
from dampen.vectors import Floats, Runs

Tried = SelectionMechanism | NumericMechanism | CountsMechanism
Make = Callable[[Number], Any]
NO_EPSILON: tuple[Any, ...] = (0, -1, "abc", float("nan"), float("inf"), True, None)
LONGEST_MESSAGE = 300
NEAR = 40
"""Simulated numbers so near to the value are told apart."""
SEED = 20240229
CLOSE = 1e-9
"""Two computations of one law may differ by so much: the rounding of floats."""


class LeftOut(Exception):
    """Why a rule was not tried."""


@dataclass(frozen=True)
class Trial:
    """A mechanism, how to make it at another epsilon where that is known, and the cases that it may be tried on."""

    mechanism: Any
    make: Make | None = None
    given: tuple[Case, ...] = ()
    _refusals: list[str] = field(default_factory=list)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Those that it takes. Whether it takes one must not depend on the data."""
        taken = tuple(case for case in self.given or cases_of(self.mechanism.takes) if self._takes(case))
        if not taken:
            reason = self._refusals[0]
            raise ParameterError(f"problem_of, universe and neighbours must be given: no case fits ({reason})")
        return taken

    @cached_property
    def reports(self) -> tuple[AuditReport, ...]:
        """What exact audits of all cases found."""
        kinds: tuple[tuple[type[Any], Callable[..., AuditReport]], ...] = (
            (SelectionMechanism, audit_selection),
            (NumericMechanism, audit_numeric),
            (CountsMechanism, audit_counts),
        )
        audit = next(audit for kind, audit in kinds if isinstance(self.mechanism, kind))
        return tuple(audit(self.mechanism, case.problem_of, case.data_sets, case.neighbours) for case in self.cases)

    def spied(self, draw: Callable[[Any, Any], Any]) -> Any:
        """A copy of the mechanism that draws so."""
        kind = type(self.mechanism)
        spy = copy.copy(self.mechanism)
        # The name stays: a release tells it.
        heir = type(kind.__name__, (kind,), {"draw": lambda _, problem, source: draw(problem, source)})
        object.__setattr__(spy, "__class__", heir)
        return spy

    def _takes(self, case: Case) -> bool:
        refused = {place: why for place in range(len(case.data_sets)) if (why := self.refusal(case.problem(place)))}
        if refused and len(refused) < len(case.data_sets):
            broken(self, f"must take all data sets of a frame or none, but refuses some of {case.name!r}")
        self._refusals.extend(refused.values())
        return not refused

    def refusal(self, problem: Any) -> str:
        """Why a problem is not taken; nothing where it is."""
        try:
            self.mechanism.require(problem)
            self.mechanism.privacy(problem.frame)
            if isinstance(self.mechanism, SelectionMechanism):
                self.mechanism.log_probabilities(problem)
        except (ParameterError, DataError) as refusal:
            return str(refusal)
        return ""


def broken(trial: Trial, sentence: str) -> NoReturn:
    """Say which rule is broken; never with the error that showed it, which may know data."""
    raise ContractBroken(f"{type(trial.mechanism).__name__} {sentence}") from None


# Parameters


def refuses_what_is_no_epsilon(trial: Trial) -> None:
    """What is no positive number is refused as epsilon, in one line."""
    if trial.make is None:
        raise LeftOut("a mechanism was given, not how to make one")
    for wrong in NO_EPSILON:
        _require_refusal(trial, partial(trial.make, wrong), ParameterError, f"refuse {wrong!r} as epsilon")


def is_told_by_its_parameters(trial: Trial) -> None:
    """Mechanisms of equal parameters are equal, those of others are not, and a copy is the same."""
    if trial.mechanism != copy.deepcopy(trial.mechanism):
        broken(trial, "must equal its copy: it is told by its parameters alone")
    if trial.make is not None:
        one, same, other = trial.make(0.1), trial.make("1/10"), trial.make(0.2)
        if one != same or hash(one) != hash(same) or one == other or repr(one) == repr(other):
            broken(trial, "must equal, and print as, another one of the same parameters and of no others")


# The price


def prices_a_frame(trial: Trial) -> None:
    """``privacy`` takes a frame alone and tells its adjacency and unit: a price that looks at data is no price."""
    if len(inspect.signature(trial.mechanism.privacy).parameters) != 1:
        broken(trial, "must have a privacy(frame) that takes a frame alone")
    for case in trial.cases:
        problem = case.problem()
        loss = trial.mechanism.privacy(problem.frame)
        if not isinstance(loss, PrivacyLoss):
            broken(trial, "must return a PrivacyLoss from privacy(frame)")
        if (loss.adjacency, loss.unit) != (problem.frame.adjacency, problem.frame.unit):
            broken(trial, "must tell the adjacency and the unit of the frame in privacy(frame)")
        try:
            trial.mechanism.privacy(problem)
        except Exception:
            continue
        broken(trial, "must not price a problem: privacy(frame) takes a frame, which holds no data")


def refuses_other_problems(trial: Trial) -> None:
    """What is no problem of its kind is refused before anything is paid."""
    budget = Budget(epsilon=10)
    release = partial(trial.mechanism.release, str(SECRET), budget=budget)
    _require_refusal(trial, release, ParameterError, "refuse what is no problem")
    if budget.spent.epsilon:
        broken(trial, "must refuse what is no problem before it pays")


# The law


def states_a_law(trial: Trial) -> None:
    """``log_probabilities`` is a law on every data set: numbers, one for each outcome, that sum to 1."""
    try:
        len(trial.reports)
    except FrameLeak as leak:
        broken(trial, f"must price neighbours alike: {leak}")
    except ParameterError as no_law:
        broken(trial, f"must state a law: {no_law}")


def loses_no_more_than_it_claims(trial: Trial) -> None:
    """No pair of neighbours of any case loses more than ``privacy`` claims, by exact laws."""
    for case, report in zip(trial.cases, trial.reports, strict=True):
        if not report.passed:
            worst = f"ln P moves by {report.worst_log_ratio:.6g} between {report.worst_pair}"
            claim = f"its price, {report.claim}, but breaks its {', '.join(report.breaches)}"
            broken(trial, f"must not lose more than {claim}: {worst} of {case.name!r}")


def draws_from_its_law(trial: Trial) -> None:
    """``draw`` follows ``log_probabilities``: over all short paths of bits, or by a sample at a level of 1e-6."""
    for case in trial.cases[:2]:
        _require_draws(trial, case.problem().as_public(), case.name)


def _require_draws(trial: Trial, problem: Any, name: str) -> None:
    try:
        report = audit_draw(trial.mechanism, problem)
    except ParameterError as unfit:
        raise LeftOut(str(unfit)) from None
    except Exception as error:
        broken(trial, f"must draw whatever bits it is given; on {name!r} it raises {type(error).__name__}")
    if not report.passed:
        found = f"{report.worst_outcome!r} is drawn with {report.drawn:.4g} and claimed with {report.claimed:.4g}"
        broken(trial, f"must draw from the law that it states, but on {name!r} {found}")


def reads_runs_as_what_they_stand_for(trial: Trial) -> None:
    """Equal candidates written as a run have the law, and the draws, of the same candidates written out."""
    if not isinstance(trial.mechanism, SelectionMechanism):
        raise LeftOut("it chooses no candidates")
    runs = Runs([3, 1], [1, 3])
    together, apart = (SelectionProblem(Frame(range(4), 1, Adjacency.ADD_REMOVE), u) for u in (runs, np.asarray(runs)))
    if trial.refusal(together):
        raise LeftOut("it takes no runs")
    laws = [np.asarray(trial.mechanism.log_probabilities(problem)) for problem in (together, apart)]
    if laws[0].shape != laws[1].shape or np.abs(laws[0] - laws[1]).max() > CLOSE:
        broken(trial, "must read a run as the equal candidates it stands for; their laws differ")
    _require_draws(trial, together.as_public(), "runs")


def is_not_moved_by_what_utilities_share(trial: Trial) -> None:
    """A number added to all utilities changes nothing, and candidates in another order have their old chances."""
    mechanism = trial.mechanism
    if not isinstance(mechanism, UtilityMechanism):
        raise LeftOut("it is no UtilityMechanism, which scores by the utility alone")
    frame, order = Frame(range(4), 1, Adjacency.ADD_REMOVE), [2, 0, 3, 1]
    for utilities in (np.array([3, 1, 0, 1]), np.array([0.75, 0.5, -0.25, 0.5])):
        law, moved, turned = (
            np.asarray(mechanism.log_probabilities(SelectionProblem(frame, u)))
            for u in (utilities, utilities + 1024, utilities[order])
        )
        if np.abs(law - moved).max() > CLOSE:
            broken(trial, "must not change its law when all utilities are raised by one number")
        if np.abs(law[order] - turned).max() > CLOSE:
            broken(trial, "must give every candidate its chance wherever it stands")


# Simulation


def simulates_what_is_public(trial: Trial) -> None:
    """``simulate`` refuses a problem that is not marked public, and follows the law on one that is."""
    mechanism, problem = trial.mechanism, trial.cases[0].problem()
    rng = np.random.default_rng(SEED)
    what = "refuse to simulate a problem that is not marked public"
    _require_refusal(trial, partial(mechanism.simulate, problem, rng, 1), NotPublic, what)
    law, place_of = _law_and_places(mechanism, problem.as_public())
    table = cells.gather(law)
    answers = mechanism.simulate(problem.as_public(), rng, cells.draws_needed(len(table.shares)))
    if table.p_value(np.bincount(place_of(np.asarray(answers)), minlength=len(law))) < cells.ALPHA:
        broken(trial, "must simulate the law that it states")


def _law_and_places(mechanism: Any, problem: Any) -> tuple[Floats, Callable[[Any], Any]]:
    """The probability of each place, and the places of simulated answers; the last place is for all that is far."""
    if isinstance(mechanism, SelectionMechanism):
        return np.exp(selection_law(mechanism, problem, problem)), partial(_ranks, len(problem.frame.candidates))
    near = np.arange(-NEAR, NEAR + 1)
    if isinstance(mechanism, CountsMechanism):
        told = np.repeat(problem.counts[None], len(near), axis=0)
        told[:, 0] += near
        chances, middle = mechanism.entry_log_probabilities(problem, told)[:, 0], problem.counts[0]
    else:
        chances, middle = mechanism.log_probabilities(problem, problem.steps + near), problem.steps

    def place_of(answers: Any) -> Any:
        steps = answers[:, 0] if answers.ndim == 2 else np.rint(answers / float(problem.frame.resolution))
        return np.where(np.abs(steps - middle) <= NEAR, steps - middle + NEAR, len(near)).astype(np.int64)

    return np.append(np.exp(chances), max(1 - float(np.exp(chances).sum()), 0.0)), place_of


def _ranks(candidates: int, picks: Any) -> Any:
    """The places of candidates, or of ordered lists of them, among the outcomes."""
    if picks.ndim == 1:
        return picks
    ranks = {chosen: rank for rank, chosen in enumerate(permutations(range(candidates), picks.shape[1]))}
    return np.array([ranks[tuple(pick)] for pick in picks.tolist()])


# The release


def takes_no_seed(trial: Trial) -> None:
    """``release`` takes a problem, a budget and a note: nobody chooses its randomness."""
    wanted = ["problem", "budget", "note"]
    if list(inspect.signature(trial.mechanism.release).parameters) != wanted:
        broken(trial, "must have a release(problem, *, budget, note) and no other argument: there is no seed")


def pays_first(trial: Trial) -> None:
    """Where the budget is too small nothing is drawn, no entropy is opened and nothing is charged."""
    problem, drawn = trial.cases[0].problem(), []
    loss = trial.mechanism.privacy(problem.frame)
    budget = _budget(loss, half=True)

    def draw(problem: Any, source: Any) -> Any:
        drawn.append("drawn")
        return trial.mechanism.draw(problem, source)

    with _watched_entropy(lambda: drawn.append("opened")):
        release = partial(trial.spied(draw).release, problem, budget=budget)
        _require_refusal(trial, release, BudgetExceeded, "pay before it releases")
    if drawn:
        broken(trial, "must pay before it draws, and draws what the budget then refuses to pay for")
    if budget.spent != _budget(loss, half=True).spent:
        broken(trial, "must not charge what it does not release")


def keeps_the_charge_of_a_failure(trial: Trial) -> None:
    """A draw that fails after it was paid for keeps the charge and raises ``ReleaseFailed``, which tells nothing."""

    def fail(*_: Any) -> Any:
        raise OSError(f"no entropy for {SECRET}")

    _require_kept_charge(trial, trial.spied(fail))
    with _watched_entropy(fail):
        _require_kept_charge(trial, trial.mechanism)


def _require_kept_charge(trial: Trial, failing: Any) -> None:
    problem = trial.cases[0].problem()
    loss = trial.mechanism.privacy(problem.frame)
    budget = _budget(loss)
    try:
        failing.release(problem, budget=budget)
    except ReleaseFailed as failure:
        printed = "".join(traceback.format_exception(failure))
        if "no entropy" in printed or str(SECRET) in printed:
            broken(trial, "must not show why a draw failed: that may know data")
    except Exception as error:
        broken(trial, f"must turn a failed draw into ReleaseFailed; it raises {type(error).__name__}")
    else:
        broken(trial, "must release what draw draws from the system's entropy, and releases though these fail")
    if not _is_spent(budget, loss):
        broken(trial, "must keep the charge of a draw that failed")


def releases_what_it_drew(trial: Trial) -> None:
    """A release is a ``Release`` of what was drawn, at the price of the frame; nothing else of it knows data."""
    case, told = trial.cases[0], set()
    drawn = trial.mechanism.draw(case.problem(), entropy.system_entropy())
    mechanism = trial.spied(lambda problem, source: drawn)
    for place in (0, -1):
        problem = case.problem(place)
        loss = trial.mechanism.privacy(problem.frame)
        budget = _budget(loss)
        release = mechanism.release(problem, budget=budget, note="a note")
        if not isinstance(release, Release):
            broken(trial, f"must release a Release; it returns a {type(release).__name__}")
        if release.value != trial.mechanism.answer(problem.frame, drawn):
            broken(trial, "must release what was drawn, and nothing in its place")
        if release.loss != loss or not _is_spent(budget, loss):
            broken(trial, "must charge and tell the loss of privacy(frame), no more and no less")
        if (release.mechanism, release.note) != (repr(trial.mechanism), "a note"):
            broken(trial, "must tell itself and the caller's note in its release")
        told.add(str(release.as_dict()))
    if len(told) > 1:
        broken(trial, "must tell nothing in a release but its value that depends on the data")


def is_silent_and_keeps_nothing(trial: Trial) -> None:
    """A release prints, logs and warns of nothing, and leaves nothing of the data in the mechanism."""
    secret = secret_problem(trial.mechanism.takes)
    problem = trial.cases[0].problem() if trial.refusal(secret) else secret
    loss, before = trial.mechanism.privacy(problem.frame), repr(sorted(vars(trial.mechanism).items()))
    with listening() as heard:
        trial.mechanism.release(problem, budget=_budget(loss))
    _require_silence(trial, heard)
    if repr(sorted(vars(trial.mechanism).items())) != before or trial.mechanism.privacy(problem.frame) != loss:
        broken(trial, "must keep nothing of what it released: a mechanism holds parameters, never data")


def _require_silence(trial: Trial, heard: Heard) -> None:
    if heard:
        broken(trial, f"must be silent: a release {' and '.join(heard)}")


RULES: dict[str, Callable[[Trial], None]] = {
    rule.__name__.replace("_", " "): rule
    for rule in (
        refuses_what_is_no_epsilon,
        is_told_by_its_parameters,
        prices_a_frame,
        takes_no_seed,
        pays_first,
        keeps_the_charge_of_a_failure,
        releases_what_it_drew,
        is_silent_and_keeps_nothing,
        refuses_other_problems,
        states_a_law,
        simulates_what_is_public,
        is_not_moved_by_what_utilities_share,
        loses_no_more_than_it_claims,
        draws_from_its_law,
        reads_runs_as_what_they_stand_for,
    )
}
"""By name, in the order in which they are tried."""


def _budget(loss: PrivacyLoss, *, half: bool = False) -> Budget:
    """One that can pay this loss and no more, or half of it."""
    share = 2 if half else 1
    if loss.epsilon is None:
        assert loss.rho is not None
        return Budget(rho=loss.rho / share)
    return Budget(epsilon=loss.epsilon / share, delta=loss.delta, composition="basic")


def _is_spent(budget: Budget, loss: PrivacyLoss) -> bool:
    if loss.epsilon is None:
        return budget.spent.rho == loss.rho
    return (budget.spent.epsilon, budget.spent.delta) == (loss.epsilon, loss.delta)


def _require_refusal(trial: Trial, use: Callable[[], object], kind: type[DampenError], what: str) -> None:
    """Demand an error of this kind, in one line that shows no data."""
    message = ""
    try:
        use()
    except kind as refusal:
        message = str(refusal)
    except Exception as error:
        broken(trial, f"must {what} with {kind.__name__}; it raises {type(error).__name__}")
    else:
        broken(trial, f"must {what}, and does not")
    if len(message.splitlines()) != 1 or len(message) >= LONGEST_MESSAGE:
        broken(trial, f"must refuse in one line of fewer than {LONGEST_MESSAGE} characters")
    if str(SECRET) in message:
        broken(trial, "must not show data in a refusal")


@contextmanager
def _watched_entropy(opened: Callable[[], object]) -> Iterator[None]:
    """Tell whenever the system's entropy is opened or read, by whatever name it was imported."""
    names: Sequence[str] = ("__init__", "bits", "words")
    kept = {name: getattr(entropy.SystemEntropy, name) for name in names}

    def watched(name: str) -> Callable[..., Any]:
        def told(self: Any, *arguments: Any) -> Any:
            opened()
            return kept[name](self, *arguments)

        return told

    for name in names:
        setattr(entropy.SystemEntropy, name, watched(name))
    try:
        yield
    finally:
        for name in names:
            setattr(entropy.SystemEntropy, name, kept[name])
