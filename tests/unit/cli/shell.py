"""The command as a user types it, in this process: what it tells, or in which sentence it refuses."""

import json
from typing import Any

from typer.testing import CliRunner, Result

from dampen.cli.app import app
from dampen.errors import DampenError

SURE = "1000000"
"""An epsilon at which any answer but the best has a probability of exp(-1024)."""
REMEMBERS = "note: nothing remembers this spending; asking again spends again. See --budget.\n"
LONGEST = 300


def tell(*words: object, stdin: str | bytes | None = None) -> Result:
    """What the command says, without failing."""
    done = CliRunner().invoke(app, [*map(str, words)], env={"COLUMNS": "200"}, input=stdin)
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def tell_json(*words: object) -> dict[str, Any]:
    """The same with ``--json``."""
    found: dict[str, Any] = json.loads(tell(*words, "--json").stdout)
    return found


def refusal(*words: object, stdin: str | bytes | None = None) -> str:
    """The one short sentence in which the command refuses; nothing is printed before it."""
    done = CliRunner().invoke(app, [*map(str, words)], env={"COLUMNS": "200"}, input=stdin)
    assert isinstance(done.exception, DampenError), (done.output, done.exception)
    assert done.output == ""
    [line] = str(done.exception).splitlines()
    assert len(line) < LONGEST
    return line


def misuse(*words: object) -> str:
    """What is said where words are missing, or unknown: wrong usage, exit code 2."""
    done = CliRunner().invoke(app, [*map(str, words)], env={"COLUMNS": "200"})
    assert done.exit_code == 2, (done.output, done.exception)
    assert done.stdout == ""
    return done.output
