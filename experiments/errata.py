"""Statements of the papers that do not hold as printed, in one table, each with what stands in their place."""

from dataclasses import dataclass

from experiments.reproduction import DAMPENING, GROUP_BY, LLS, SNM, Paper, markdown


@dataclass(frozen=True)
class Erratum:
    """A statement, what was found, what the library has instead, and where that can be checked."""

    paper: Paper
    statement: str
    found: str
    instead: str
    evidence: str


ERRATA = (
    Erratum(
        DAMPENING,
        "Definition 6 (section 3.2.1), second condition, has x on both sides",
        "not sufficient for privacy",
        "the condition between neighbours",
        "`DampeningAsPrinted`, [proof](proofs/admissibility.md)",
    ),
    Erratum(
        DAMPENING,
        "Lemma 3 (section 3.2.2): min(LS, bound) is bounded",
        "not for element sensitivities, which tend to bounds of their own",
        "the bound holds for all from a public distance on",
        "[proof](proofs/shifted_local_dampening.md)",
    ),
    Erratum(
        DAMPENING,
        "Lemma 4, Theorems 3 and 4 (sections 3.3, 3.5, 4.3): dampened scores have sensitivity 1",
        "true; one case is missing in the proof",
        "`LocalDampening`, `ShiftedLocalDampening`",
        "[proof](proofs/local_dampening.md)",
    ),
    Erratum(
        DAMPENING,
        "Lemma 6 (section 4.4.1): which order of gaps is better",
        "reversed for a shift upwards",
        "Corollary 2 holds",
        "[Fig. 7](papers/dampening_figure_7.csv)",
    ),
    Erratum(
        DAMPENING,
        "Example 8 (section 4.2): a score of 0.1, chances 0.472 and 0.0046",
        "-1/6, 0.338 and 0.054",
        "",
        "[Examples](papers/dampening_examples.csv)",
    ),
    Erratum(
        DAMPENING,
        "Lemma 10 (section 5.2.2): sensitivity of labels at distance 0",
        "safe, up to three times too large",
        "exact formula of nine terms",
        "[proof](proofs/percentile.md)",
    ),
    Erratum(
        DAMPENING,
        "Lemma 11 and Algorithm 2 (section 5.2.2): sensitivity of labels at a distance",
        "too small; shifted dampening with it loses 1.4 epsilon and more",
        "the same exact formula",
        "`DampeningByAlgorithm2`",
    ),
    Erratum(
        DAMPENING,
        "Section 6.5: global sensitivities of Enron and DBLP",
        "exchanged",
        "",
        "[Fig. 10](papers/dampening_figure_10.csv)",
    ),
    Erratum(
        DAMPENING,
        "Algorithm 5's condition `a < tau` (information gain, section 7.3)",
        "not safe if a record is added or removed",
        "a closed form",
        "`DampeningByGuardedCandidates`, [proof](proofs/split.md)",
    ),
    Erratum(
        DAMPENING,
        "Global sensitivity of information gain from the private number of records",
        "a private number is no parameter",
        "a public `max_records`",
        "`InformationGainWithPrivateSize`, [proof](proofs/split.md)",
    ),
    Erratum(
        SNM,
        "Theorem 2.22 (p. 31-33): alpha for Student's t does not contain epsilon",
        "a factor is missing",
        "`SmoothStudentT`",
        "`SmoothNoisyMaxStudent`",
    ),
    Erratum(
        SNM,
        "Theorem 4.2, Corollaries 4.3 to 4.6 (p. 47-50): smooth noisy max is private",
        "all noises are rescaled at once; a loss of 3 epsilon with two candidates",
        "`ParetoNoisyMax`, `SmoothExponential`, `StableArgmax`, `PermuteAndFlip` on counts",
        "`SmoothNoisyMaxStudent`, `SmoothNoisyMaxLaplace`, `SmoothNoisyMaxLaplaceLogNormal`",
    ),
    Erratum(
        SNM,
        "Lemma 4.7, Theorem 4.9 (p. 50-53): bounds on errors",
        "a factor is missing; upper bounds are compared, not errors",
        "exact laws (`dampen.accuracy`)",
        "[proof](proofs/pareto_noisy_max.md)",
    ),
    Erratum(
        SNM,
        "Lemmas 5.3 and 5.4 (p. 55-57): the 0/1 percentile is safe for 2 j + 1 steps",
        "too long by one step or more",
        "`percentile_hit_problem`",
        "`StableArgmaxByLemma53`",
    ),
    Erratum(
        SNM,
        "Lemma 6.3 (p. 62-64), Theorem 7.3 (p. 70-71): distances of other 0/1 utilities",
        "too long by one step or more",
        "exact distances",
        "[proof](proofs/majority.md), [proof](proofs/split.md)",
    ),
    Erratum(
        SNM,
        "Theorem 7.2 (p. 69-70): the exponential mechanism with smooth sensitivity is not private",
        "true; with a smaller beta it is, with a delta",
        "`SmoothExponential`",
        "`ExponentialWithSmoothSensitivity`",
    ),
    Erratum(
        SNM,
        "Sections 6.3 and 7.3 (p. 64-66, 71-74): one smooth sensitivity, of the whole data set, at every node or leaf",
        "no bound there; the loss has no limit",
        "distances of the records at hand; permute-and-flip on counts",
        "`SplitBySensitivityOfTheWhole`, `LeafLabelBySensitivityOfTheWhole`",
    ),
    Erratum(
        SNM,
        "Table 3 (p. 57): size of PATENT; p. 72: size of Pen-digits",
        "27,948,226 tuples; 10,992 records",
        "",
        "[Table 3](papers/snm_table_3.csv), [Table 5](papers/snm_table_5.csv)",
    ),
    Erratum(
        GROUP_BY,
        "TRIODE (p. 272): sensitivity 2 / (2 n - 1)",
        "it is 1; the loss is about ten times the claim",
        "the right bound; randomised response",
        "`TriodeByItsPrintedSensitivity`, [proof](proofs/triode.md)",
    ),
    Erratum(
        GROUP_BY,
        "TRIODE-H (p. 273): the score of a person",
        "the same for all people of a fragment",
        "randomised response",
        "[proof](proofs/triode_h.md)",
    ),
    Erratum(
        GROUP_BY,
        "TRIODE-H (p. 274): picks from 0 to l, and epsilon for each stage of each group",
        "one pick too many; the stages and groups of a release add up",
        "one price for the whole release",
        "`TriodeHAsPrinted`, `GroupByWithEveryStageAtEpsilon`",
    ),
    Erratum(
        LLS,
        "Theorem 8 (section 3.1): two conditions per data set suffice",
        "not with parameters of their own; true with one for both ends of a pair",
        "exact condition of a pair (`ExactPairLaplace`)",
        "`NoiseByTheorem8`",
    ),
    Erratum(
        LLS,
        "Proposition 11 (section 3.2): private for every structure of levels",
        "only one level per step",
        "`LargestLocalSensitivities`",
        "`LargestLocalSensitivitiesAsPrinted`",
    ),
    Erratum(
        LLS,
        "Algorithm 1's gap rule (section 3.2)",
        "unnecessary; it freezes the noise near its largest value",
        "none",
        "[Fig. 3](papers/lls_figure_3.csv)",
    ),
    Erratum(
        LLS,
        "Section 5.3: 5/2 a bounds the sensitivity of 2-triangles",
        "a square is missing: (5 a^2 - a) / 2",
        "`k_triangle_problem`",
        "`TwoTrianglesByTheSmallBound`",
    ),
    Erratum(
        LLS,
        "Smooth sensitivity with ln(1 / delta) for every epsilon",
        "up to epsilon 11 at delta 1e-6",
        "`SmoothLaplace`, ln(2 / delta) and a largest epsilon",
        "`SmoothLaplaceBeyondItsRange`",
    ),
    Erratum(
        LLS,
        "Smooth sensitivity, ladder functions, noisy local sensitivity as building blocks",
        "right with the constants of this library",
        "`SmoothLaplace`, `Ladder`, `NoisyLocalSensitivity`",
        "[numbers](numbers.md)",
    ),
)


def errata_table() -> str:
    """The section of docs/papers.md."""
    lines = [[e.paper.title, e.statement, e.found, e.instead or "-", e.evidence] for e in ERRATA]
    table = markdown(["paper", "statement", "found", "here instead", "evidence"], lines, left=5)
    return (
        "## Errata\n\nStatements that the library depends on and that do not hold as printed, or hold with a "
        "remark. Names in "
        "the last column are classes of `experiments/refuted/__init__.py`: each carries a pair of neighbours on "
        "which the "
        f"statement fails, and a test computes it anew.\n\n{table}"
    )
