"""The cap race: a cap by permute-and-flip, and the total under it with staircase noise."""

from dataclasses import dataclass
from typing import Any

from dampen.entropy import Entropy
from dampen.mechanisms.caps.errors import CapAccuracy
from dampen.mechanisms.caps.laws import Balls
from dampen.mechanisms.caps.race import RaceMechanism
from dampen.mechanisms.numeric.staircase import StaircaseNoise
from dampen.problem import CapFrame, CapProblem


@dataclass(frozen=True, init=False, repr=False)
class CapRace(RaceMechanism):
    """The sum of totals per person, each cut at a cap that is chosen privately and told with the answer.

    Definition
    ----------
    A ``share`` of epsilon pays for the cap, drawn as by :class:`LimitRace`, and the rest for the sum: with t the cap,
    the sum of min(total, t) over all people, plus noise as of :class:`Staircase` with step t. The pair (cap, answer) is
    released.

    Guarantee
    ---------
    epsilon-differential privacy for a person with all rows (docs/proofs/cap_race.md), whether one is added, removed or
    replaced: no factor 2. The error told is that of the noise; of what was cut off only is told how many people may
    have more than the cap.

    Differs from the paper
    ----------------------
    No paper is followed; the selection and the noise are published, their use together is not.

    Numerics
    --------
    Exponents are fractions and all coins exact: nothing is rounded, and no float is involved. The law of the cap is
    certified to more than 30 digits.

    Cost
    ----
    One coin for each cap and one noise. How long the noise takes follows its size, as with every draw by coins.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.CapFrame(dampen.Adjacency.ADD_REMOVE, caps=16)
    >>> totals = [3] * 500
    >>> above = [sum(total > cap for total in totals) for cap in frame.caps]
    >>> sums = [sum(min(total, cap) for total in totals) for cap in frame.caps]
    >>> problem = dampen.CapProblem(frame, above, sums).as_public()
    >>> np.exp(CapRace(epsilon=1).log_cap_probabilities(problem)).round(3).tolist()
    [0.0, 0.0, 0.867, 0.11, 0.023]
    >>> places, answers = CapRace(epsilon=1).simulate(problem, np.random.default_rng(0), size=1000)
    >>> bool(abs(np.median(answers) - 1500) < 5)
    True

    References
    ----------
    McKenna and Sheldon, Permute-and-flip: a new mechanism for differentially private selection, NeurIPS 2020. Geng and
    Viswanath, The optimal noise-adding mechanism in differential privacy, ISIT 2014. Dong, Fang, Yi, Tao and
    Machanavajjhala, R2T: instance-optimal truncation for differentially private query evaluation with foreign keys,
    SIGMOD 2022, has the question and another answer.
    """

    def cap_law(self, problem: CapProblem, flint: Any) -> Balls:
        """Not private. That of the race."""
        return self.race(problem.frame).law(problem, flint)

    def draw_cap(self, problem: CapProblem, source: Entropy) -> int:
        """By the race. Nobody has paid for it here."""
        return self.race(problem.frame).draw(problem, source)

    def noise(self, frame: CapFrame, cap: int) -> StaircaseNoise:
        """Steps as wide as the cap, at the rest of epsilon."""
        return StaircaseNoise.of(self.epsilon * (1 - self.share), cap)

    def capped_accuracy(self, frame: CapFrame, cap: int) -> CapAccuracy:
        """The noise under this cap, and the people who may have more."""
        return CapAccuracy(
            self.noise(frame, cap), frame.resolution, (self.race(frame).beyond(frame, cap),), *frame.words
        )
