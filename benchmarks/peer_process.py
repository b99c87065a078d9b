"""A peer in an environment of its own: a line of JSON in, a line of JSON out, in order."""

import json
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.contestants import PeerMissing

ROOT = Path(__file__).resolve().parent.parent


class PeerProcess:
    """Runs ``python -m module path`` with the Python of an environment; questions may be put ahead of answers."""

    def __init__(self, environment: str, module: str, path: Path) -> None:
        python = ROOT / environment / "bin" / "python"
        if not python.exists():
            raise PeerMissing(f"there is no {environment}: make bench-{environment.removeprefix('.venv-')}")
        command = [str(python), "-W", "ignore", "-m", module, str(path)]
        self._running = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.answer() != "ready":
            raise PeerMissing(f"{module} does not start; make it anew: make clean bench")

    def put(self, *question: Any) -> None:
        """Ask without waiting."""
        assert self._running.stdin is not None
        print(json.dumps(question), file=self._running.stdin, flush=True)

    def answer(self) -> Any:
        """The answer to the first question that has none yet."""
        assert self._running.stdout is not None
        line = self._running.stdout.readline()
        return json.loads(line) if line else None

    def ask(self, *question: Any) -> Any:
        """Ask and wait."""
        self.put(*question)
        return self.answer()

    def close(self) -> None:
        """End it."""
        assert self._running.stdin is not None
        self._running.stdin.close()
        self._running.wait()
