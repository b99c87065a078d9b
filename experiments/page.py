"""docs/papers.md, made from the CSV files: a summary, one section for each figure and table, and the errata."""

from collections.abc import Iterable
from pathlib import Path

from experiments.errata import errata_table
from experiments.registry import REPRODUCTIONS
from experiments.reproduction import Claim, Paper, Reproduction, Verdict, markdown
from experiments.results import Held, csv_path, read_csv

HEAD = """# The papers, reproduced

Every figure and table of the papers that this library draws on, computed anew: what the paper claims, what its
algorithm gives, whether that is private, and what our versions give at the same budget. Nothing here is a release: all
numbers come from exact laws or from seeded simulation on published data, and running it again gives the same files.

```console
$ make reproduce                        # all of it, in less than an hour; resumes where it was interrupted
$ python -m experiments --list
$ python -m experiments dampening_figure_9
```

This page is generated from the files in `docs/papers`. Without the data sets ([where to get them](datasets.md)) the
same commands use stand-ins of the same shape, for a look at the code; no number of this page comes from them.

We have the texts of the papers, not their pictures. So claims are those that the text makes of a figure. Pages are
the printed ones: of the thesis by its lists of contents, figures and tables, of the group-by paper as p. 271 to 276 of
its proceedings. The texts of the other two do not tell where a page ends, so their claims are found by section, and by
the number of an example, figure or table. Bars in pictures are 95 % intervals of seeded runs; lines without them are
exact laws.

A verdict is computed: *not private* if on a pair of neighbours the published algorithm loses more than it promises, or
takes a number for public that differs between them (Fig. 11), else *reproduced* if all claims hold within the digits
that are printed, else *not reproduced*. The claims are judged one by one as well.
"""


def papers_page(folder: Path) -> str:
    """The whole page."""
    held = [(each, read_csv(csv_path(folder, each))) for each in REPRODUCTIONS.values()]
    parts = [HEAD, "## Verdicts\n\n" + _summary(held)]
    for paper in dict.fromkeys(each.paper for each in REPRODUCTIONS.values()):
        parts.append(_paper(paper))
        parts += [section(each, found, folder) for each, found in held if each.paper == paper]
    parts.append(errata_table())
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _summary(held: Iterable[tuple[Reproduction, Held]]) -> str:
    lines = []
    for each, found in held:
        claims = each.claims(found.rows)
        lines.append(
            [
                each.paper.title,
                f"[{each.title}](#{anchor(each)})",
                each.subject,
                each.verdict(found.rows, found.losses).value,
                f"{sum(claim.holds for claim in claims)} of {len(claims)}",
            ]
        )
    return markdown(["paper", "", "subject", "verdict", "claims that hold"], lines, left=4)


def _paper(paper: Paper) -> str:
    return f"## {paper.title}\n\n{paper.citation}."


def anchor(reproduction: Reproduction) -> str:
    """The name of the section, as browsers know it."""
    kept = [c for c in heading(reproduction).lower() if c.isalnum() or c in " -_"]
    return "".join(kept).replace(" ", "-")


def heading(reproduction: Reproduction) -> str:
    """``Fig. 9 (dampening): ...``."""
    return f"{reproduction.title} ({reproduction.paper.key}): {reproduction.subject}"


def section(reproduction: Reproduction, held: Held, folder: Path) -> str:
    """One figure or table."""
    rows, losses = held.rows, held.losses
    claims, verdict = reproduction.claims(rows), reproduction.verdict(rows, losses)
    findings = reproduction.findings(rows, losses)
    parts = [f"### {heading(reproduction)}"]
    if held.synthetic:
        parts.append("*From synthetic stand-ins of the same shape, not from the published data.*")
    if (folder / f"{reproduction.id}.png").exists():
        parts.append(f"![{reproduction.title}: {reproduction.subject}](papers/{reproduction.id}.png)")
    parts.append(f"Verdict: **{verdict.value}**{_aside(verdict, claims)}.")
    parts.append(_claims(claims))
    parts.append(
        f"- Published algorithm: {findings.published}.\n"
        f"- Private? {findings.privacy}.\n"
        f"- Our sound version: {findings.sound}.\n"
        f"- Our default at the same budget: {findings.default}.\n"
        f"- Straw man: {findings.straw_man}."
    )
    parts.append(reproduction.details(rows, losses))
    parts.append(
        f"[Rows](papers/{reproduction.id}.csv); code `experiments/{reproduction.id}.py`; "
        f"`python -m experiments {reproduction.id}`."
    )
    return "\n\n".join(part for part in parts if part)


def _aside(verdict: Verdict, claims: list[Claim]) -> str:
    held = sum(claim.holds for claim in claims)
    return "" if verdict is Verdict.REPRODUCED else f" ({held} of {len(claims)} claims hold)"


def _claims(claims: list[Claim]) -> str:
    lines = [
        [
            claim.text,
            claim.where,
            claim.found,
            Verdict.REPRODUCED.value if claim.holds else Verdict.NOT_REPRODUCED.value,
        ]
        for claim in claims
    ]
    return markdown(["the paper claims", "where", "found here", ""], lines, left=4)
