"""Results on disk: CSV files that know their parameters, and the unfinished ones beside them."""

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.reproduction import Cell, Reproduction, Row, Value

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "papers"
MARK, LOSSES = "# parameters: ", "# losses: "
PUBLISHED, SYNTHETIC = "published", "synthetic"


def csv_path(folder: Path, reproduction: Reproduction) -> Path:
    """Where the rows stand."""
    return folder / f"{reproduction.id}.csv"


@dataclass(frozen=True)
class Held:
    """What a file holds."""

    parameters: dict[str, Any]
    losses: dict[str, float]
    rows: list[Row]

    @property
    def synthetic(self) -> bool:
        """Whether the rows come from stand-ins."""
        return bool(self.parameters.get("data") == SYNTHETIC)


def write_csv(path: Path, held: Held) -> None:
    """All at once: a reader finds the old file or the new one."""
    rows, text = held.rows, io.StringIO(newline="")
    text.write(MARK + json.dumps(held.parameters, sort_keys=True) + "\n")
    text.write(LOSSES + json.dumps(held.losses, sort_keys=True) + "\n")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    unfinished = path.with_suffix(".csv.new")
    unfinished.write_text(text.getvalue())
    os.replace(unfinished, path)


def read_csv(path: Path) -> Held:
    """The parameters, the losses and the rows."""
    with path.open(newline="") as file:
        first, second = file.readline(), file.readline()
        if not first.startswith(MARK) or not second.startswith(LOSSES):
            raise ValueError(f"{path.name} must begin with its parameters and losses")
        rows = [{name: parsed(text) for name, text in row.items()} for row in csv.DictReader(file)]
    return Held(json.loads(first.removeprefix(MARK)), json.loads(second.removeprefix(LOSSES)), rows)


def parsed(text: str) -> Value:
    """A whole number, a number, nothing, or words."""
    if not text:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def wanted(reproduction: Reproduction, data: str) -> dict[str, Any]:
    """The parameters that a finished file must have, as JSON gives them back."""
    kept: dict[str, Any] = json.loads(json.dumps({**reproduction.parameters, "data": data}))
    return kept


def finished(folder: Path, reproduction: Reproduction, data: str) -> bool:
    """Whether the file is there, with these parameters; rows from published data also serve where there are none."""
    path = csv_path(folder, reproduction)
    if not path.exists():
        return False
    held = read_csv(path).parameters
    return any(held == wanted(reproduction, kind) for kind in dict.fromkeys((data, PUBLISHED)))


class Unfinished:
    """The cells that are done so far: one line of JSON each, flushed as it is written."""

    def __init__(self, folder: Path, reproduction: Reproduction, data: str) -> None:
        self.path = folder / f"{reproduction.id}.unfinished.jsonl"
        self.head = json.dumps(wanted(reproduction, data), sort_keys=True)

    def read(self) -> dict[Cell, list[Row]]:
        """What an interrupted run left; nothing, if its parameters were others. A torn last line is dropped."""
        if not self.path.exists():
            return {}
        head, *lines = self.path.read_text().split("\n")
        if head != self.head:
            return {}
        return {tuple(kept["cell"]): kept["rows"] for kept in _whole(lines)}

    def start(self, done: Mapping[Cell, list[Row]]) -> None:
        """Begin the file anew with what is done; all at once, so that none of it is lost on the way."""
        begun = self.path.with_suffix(".jsonl.new")
        begun.write_text("\n".join([self.head, *(_cell_line(cell, rows) for cell, rows in done.items()), ""]))
        os.replace(begun, self.path)

    def add(self, cell: Cell, rows: list[Row]) -> None:
        """One more cell."""
        with self.path.open("a") as file:
            file.write(_cell_line(cell, rows) + "\n")


def _cell_line(cell: Cell, rows: list[Row]) -> str:
    return json.dumps({"cell": cell, "rows": rows})


def _whole(lines: Sequence[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            return
