"""How a question is asked, and its answer shown: itself on standard output, what a user should know beside it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from dampen._validate import plain
from dampen.cli import records
from dampen.cli.payment import NOTHING_REMEMBERS, payer
from dampen.privacy import Release
from dampen.questions.record import RECORD, Posed, asking

Json = Annotated[bool, typer.Option("--json", help="Print the release as JSON.")]


class Asker:
    """Who asks, and how the answer is shown. Whoever cannot pay is refused here, before any data is read."""

    def __init__(
        self, verb: str, ledger: Path | None, scope: list[str] | None, note: str | None, as_json: bool, *,
        epsilon: str, delta: str = "0",
    ) -> None:  # fmt: skip
        self.payer = payer(ledger, scope, epsilon=epsilon, delta=delta)
        self.note, self.epsilon = verb if note is None else note, epsilon
        self.as_json, self.remembered = as_json, ledger is not None

    def ask(self, question: str, *data: Any, **public: Any) -> tuple[Posed[Any], Any]:
        """Pose a question and pay for it: the question, and its release."""
        with asking(self.payer, self.note), records.progress():
            posed = RECORD[question].pose(*data, epsilon=self.epsilon, **public)
        return posed, posed.release(self.payer, self.note)

    def tell(self, question: str, *data: Any, remarks: tuple[str, ...] = (), **public: Any) -> Posed[Any]:
        """Ask, pay and print; the question comes back."""
        posed, release = self.ask(question, *data, **public)
        show(release, as_json=self.as_json, remembered=self.remembered, remarks=remarks)
        return posed


def show(release: Release, *, as_json: bool, remembered: bool, remarks: tuple[str, ...] = ()) -> None:
    """Print a release: its value, or one value or label and value per line, or all of it as JSON."""
    if as_json:
        typer.echo(as_text(release, release.value))
    else:
        value = release.value
        lines = [f"{label}\t{each}" for label, each in value.items()] if isinstance(value, Mapping) else value
        typer.echo("\n".join(map(str, lines if isinstance(lines, list | tuple) else (lines,))))
    for remark in (*remarks, *(() if remembered else (NOTHING_REMEMBERS,))):
        typer.echo(remark, err=True)


def as_text(release: Release, value: Any) -> str:
    """A release as JSON."""
    loss = {"epsilon": plain(release.loss.epsilon), "delta": plain(release.loss.delta)}
    loss |= {"adjacency": release.loss.adjacency.value, "unit": release.loss.unit}
    return json.dumps({"value": value, "loss": loss, "mechanism": release.mechanism}, default=str)
