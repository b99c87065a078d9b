"""The edge race: rows of two people each, of which nobody has more than a cap among those kept."""

from dataclasses import dataclass
from fractions import Fraction

from dampen._validate import Number
from dampen.errors import ParameterError
from dampen.mechanisms.caps.cap_race import CapRace
from dampen.mechanisms.caps.errors import EdgeAccuracy
from dampen.privacy import PrivacyLoss
from dampen.problem import CapFrame
from dampen.problem.caps import NODE, PERSON, SPREADS


@dataclass(frozen=True, init=False, repr=False)
class EdgeRace(CapRace):
    """The number of rows that belong to two people each, as messages and edges do, privately for every person.

    Definition
    ----------
    E_t is the number of rows kept when they are met in a public order and one is kept if both its people have kept
    fewer than t. As :class:`CapRace`, with q_j = (E_2t - E_t) / t in place of the people above the cap t = t_j, and
    E_t in place of the sum. q_j moves by a number between -1 and 2 when a person leaves with all rows: the frame's
    spread is 3, and 6 where a person gets other rows.

    Guarantee
    ---------
    epsilon-differential privacy for a person with all rows (docs/proofs/edge_race.md), if the order of the rows is a
    function of public things and of the ids of the two people alone.

    Differs from the paper
    ----------------------
    The order is public and met row by row, as by Day, Li and Lyu; the choice of the cap is not theirs.

    Numerics
    --------
    As of :class:`CapRace`: exact.

    Cost
    ----
    As of :class:`CapRace`.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from fractions import Fraction
    >>> frame = dampen.CapFrame(dampen.Adjacency.ADD_REMOVE, caps=8, spread=3)
    >>> kept = [300, 550, 800, 800, 800]
    >>> scores = [Fraction(more - now, cap) for now, more, cap in zip(kept, kept[1:], frame.caps)]
    >>> problem = dampen.CapProblem(frame, scores, kept[:-1]).as_public()
    >>> np.exp(EdgeRace(epsilon=1).log_cap_probabilities(problem)).round(3).tolist()
    [0.0, 0.0, 0.816, 0.184]

    References
    ----------
    Day, Li and Lyu, Publishing graph degree distribution with node differential privacy, SIGMOD 2016. Kasiviswanathan,
    Nissim, Raskhodnikova and Smith, Analyzing graphs with node differential privacy, TCC 2013.
    """

    def __init__(self, epsilon: Number, share: Number = Fraction(2, 5), kappa: Number = 1, threshold: int = 0) -> None:
        super().__init__(epsilon, share, kappa, threshold)

    def privacy(self, frame: CapFrame) -> PrivacyLoss:
        """Epsilon, for a person with all rows."""
        least = SPREADS[frame.adjacency]
        if frame.spread < least:
            raise ParameterError(f"EdgeRace needs a frame of spread {least} under {frame.adjacency.name}")
        return super().privacy(frame)

    def capped_accuracy(self, frame: CapFrame, cap: int) -> EdgeAccuracy:
        """The noise under this cap, and what twice the cap would keep."""
        side = self.race(frame).beyond(frame, cap)
        whose = frame.unit if frame.unit == NODE else PERSON
        return EdgeAccuracy(self.noise(frame, cap), frame.resolution, (side,), person=whose)
