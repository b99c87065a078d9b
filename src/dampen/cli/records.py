"""What every verb that reads one column of records shares."""

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[Path, typer.Argument(help="CSV (with a header line) or Parquet file, one row per record.")]
Column = Annotated[str, typer.Option(help="Column to read.")]
DropMissing = Annotated[bool, typer.Option("--drop-missing", help="Leave out missing values instead of refusing them.")]


def missing_rule(drop: bool) -> str:
    """What happens to missing values."""
    return "drop" if drop else "refuse"
