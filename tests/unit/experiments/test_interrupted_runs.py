"""A run that is told to stop takes its workers along, however it is told, and the next one goes on where it stopped."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments import __main__ as command
from experiments.results import read_csv

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import os, sys, time
from pathlib import Path
from experiments.reproduction import DAMPENING, Reproduction
from experiments.runner import compute, ended_by_signals

HERE = Path(sys.argv[1])


class Slow(Reproduction):
    "The first cell takes no time, the others wait until they are let go."

    id, paper, title, subject, parameters = "slow", DAMPENING, "Fig. 0", "slowness", {}
    claims = private = findings = None

    def cells(self):
        return [(1,), (2,), (3,)]

    def measure(self, cell):
        (HERE / f"pid_{cell[0]}").write_text(str(os.getpid()))
        while cell[0] > 1 and not (HERE / "go").exists():
            time.sleep(0.01)
        return [{"cell": cell[0]}]


if __name__ == "__main__":
    with ended_by_signals():
        compute(Slow(), HERE, jobs=int(sys.argv[2]))
"""


def started(folder: Path, jobs: int) -> "subprocess.Popen[str]":
    """A run of a slow figure, in a process of its own."""
    script = folder / "slow_figure.py"
    script.write_text(SCRIPT)
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "src")))
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(jobs)],
        env={**os.environ, "PYTHONPATH": paths},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def holds(condition: Callable[[], bool]) -> bool:
    """Whether it comes true while one can wait."""
    for _ in range(6000):
        if condition():
            return True
        time.sleep(0.01)
    return False


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def pids(folder: Path) -> list[int]:
    """The processes that have begun the second and the third cell."""
    return [int(text) for n in (2, 3) if (path := folder / f"pid_{n}").exists() and (text := path.read_text())]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to processes")
@pytest.mark.parametrize(
    "name", ["SIGKILL", pytest.param("SIGTERM", marks=pytest.mark.long), pytest.param("SIGINT", marks=pytest.mark.long)]
)
def test_workers_end_with_the_run_and_the_next_one_goes_on(name: str, tmp_path: Path) -> None:
    """Ctrl-C reaches the workers as well, the others do not."""
    run, kept = started(tmp_path, jobs=2), tmp_path / "slow.unfinished.jsonl"
    try:
        assert holds(lambda: len(pids(tmp_path)) == 2 and kept.read_text().count("\n") == 2), "one cell is done"
        workers = pids(tmp_path)
        assert all(alive(pid) for pid in workers)
        send = os.killpg if name == "SIGINT" else os.kill
        send(run.pid, getattr(signal, name))
        errors = run.communicate(timeout=60)[1]
        assert holds(lambda: not any(alive(pid) for pid in workers)), "no worker stays behind"
    finally:
        (tmp_path / "go").touch()
        run.kill()
    assert run.returncode == {"SIGTERM": 143, "SIGINT": -2, "SIGKILL": -9}[name]
    assert errors.count("Traceback") == (name == "SIGINT"), "workers say nothing"
    (tmp_path / "pid_1").unlink()
    assert "Traceback" not in started(tmp_path, jobs=1).communicate(timeout=60)[1]
    assert not (tmp_path / "pid_1").exists(), "the first cell is not computed again"
    assert [row["cell"] for row in read_csv(tmp_path / "slow.csv").rows] == [1, 2, 3]
    assert not kept.exists()


@pytest.mark.parametrize(("number", "code"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_the_command_says_that_it_can_go_on(
    number: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(*_: object, **__: object) -> bool:
        signal.raise_signal(getattr(signal, number))
        return True

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(command, "compute", interrupted)
    with pytest.raises(SystemExit) as stop:
        command.main(["snm_table_3", "--out", str(tmp_path)])
    assert stop.value.code == code
    assert capsys.readouterr().out.strip().endswith("interrupted; the same command goes on from here")
    assert signal.getsignal(signal.SIGTERM) is before
