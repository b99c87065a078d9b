"""Ctrl-C and SIGTERM, sent to real processes at many moments: one line, the right code, no folder, true accounts."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dampen import Budget
from dampen.cli import interrupts, main
from dampen.errors import BudgetError, EngineError

if TYPE_CHECKING:
    from tests.conftest import RunPython

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent to processes")

STOPS = [signal.SIGINT, signal.SIGTERM]
ONE_STOP = [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
"""Where both take the same way, one of them stands for the other in the default run."""
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
LONGEST = 60
"""Seconds; a process that takes so long has hung."""
SOME_MOMENTS = [(0, signal.SIGINT), (0.03, signal.SIGTERM), (0.1, signal.SIGINT), (0.4, signal.SIGTERM)]
"""Seconds after the start at which a signal comes in the default run."""
MANY = 400
"""Names of one file of 20 MB: a read that nobody waits for."""

START = """
from dampen.cli import main
print("started", flush=True)
main()
"""

AT_IMPORT = """
import os, sys
module, number = sys.argv.pop(1), int(sys.argv.pop(1))

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, Finder())
from dampen.cli import main
main()
"""
"""Sends the signal when the module is first asked for."""

NEVER_DRAW = """
import time
from dampen import entropy
entropy.system_entropy = lambda: time.sleep(300)
"""

AT_LLVM = """
import os, sys
from dampen.cli import interrupts
from llvmlite.binding import ffi
given = ffi.lib.LLVMPY_DisposeString

class Interrupted:
    def __call__(self, *arguments):
        found = given(*arguments)
        if not interrupts._importing(sys._getframe()):
            os.kill(os.getpid(), 2)
        return found

ffi.lib._fntab["LLVMPY_DisposeString"] = Interrupted()
from dampen.cli import main
main()
"""
"""Sends Ctrl-C whenever LLVM has freed a string."""

AT_STEP = """
import os, sys
step, number = sys.argv.pop(1), int(sys.argv.pop(1))
from dampen.accounting import store
store.reach = lambda name: os.kill(os.getpid(), number) if name == step else None
from dampen.cli import main
main()
"""

AT_DRAW = """
import time
from dampen import entropy

def wait():
    print("drawing", flush=True)
    time.sleep(300)

entropy.system_entropy = wait
from dampen.cli import main
main()
"""

COUNT_LONG_AFTER_PAYMENT = """
from dampen.accounting import store
from dampen.tables.engines.duckdb import DuckEngine
fetch, paid = DuckEngine.fetch, []

def count_long(self, query, **tables):
    if not paid:
        return fetch(self, query, **tables)
    print("counting", flush=True)
    return fetch(self, "select sum(a.range * b.range) from range(10000000) a, range(10000000) b")

DuckEngine.fetch = count_long
store.reach = lambda name: paid.append(name) if name == "after COMMIT" else None
from dampen.cli import main
main()
"""

IN_A_FINALIZER = """
import os, sys
number = int(sys.argv.pop(1))
from dampen.cli import tables

class Dying:
    def __del__(self):
        os.kill(os.getpid(), number)
        os.getpid()

opened = tables.path_of
def killing(*arguments):
    Dying()
    return opened(*arguments)

tables.path_of = killing
from dampen.cli import main
main()
"""


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    place = tmp_path / "temporary"
    place.mkdir()
    return place


@pytest.fixture(scope="module")
def long_table() -> Iterator[str]:
    """Files that take longer to read than anybody waits: one of them under many names."""
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "part0.csv"
        some = "".join(f"{n},{'Oslo' if n % 3 else 'Bonn'}\n" for n in range(1000))
        first.write_text("pay,city\n" + 2000 * some)
        for place in range(1, MANY):
            first.with_name(f"part{place}.csv").symlink_to(first)
        yield str(first.with_name("part*.csv"))


@pytest.fixture
def table(tmp_path: Path) -> str:
    (tmp_path / "t.csv").write_text("pay\n1\n2\n3\n")
    return str(tmp_path / "t.csv")


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    Budget.open(tmp_path / "study.db", epsilon=1).close()
    return str(tmp_path / "study.db")


def median(file: str, ledger: str | None = None, epsilon: str = "1/4") -> list[str]:
    asked = ["percentile", file, "--column", "pay", "--p", "50", "--bounds", "0", "1000", "--step", "1"]
    return [*asked, "--epsilon", epsilon, *(() if ledger is None else ("--budget", ledger))]


@contextmanager
def running(code: str, *arguments: str, temporary: Path) -> Iterator["subprocess.Popen[str]"]:
    """The command in a process of its own, after some code of the test's."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ended(process: "subprocess.Popen[str]", temporary: Path) -> tuple[int, str, str]:
    """How it ended: its code and what it told. It never leaves anything in the temporary folder."""
    told, errors = process.communicate(timeout=LONGEST)
    assert list(temporary.iterdir()) == [], errors
    return process.returncode, told, errors


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def holds(condition: Callable[[], bool], process: "subprocess.Popen[str]") -> bool:
    """Whether it comes true while the process runs."""
    for _ in range(100 * LONGEST):
        if condition():
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    return False


def account(ledger: str) -> tuple[str, list[str]]:
    """What is spent, and how the charges ended."""
    with closing(Budget.open(ledger)) as opened:
        return str(opened.spent.epsilon), [entry.note for entry in opened.history() if entry.kind == "outcome"]


# While modules load


@pytest.mark.parametrize(
    ("delay", "number"),
    [
        pytest.param(delay, number, marks=[] if (delay, number) in SOME_MOMENTS else [pytest.mark.long])
        for delay in (0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8)
        for number in STOPS
    ],
)
def test_at_start_up_nothing_is_told_but_one_line(
    delay: float, number: signal.Signals, long_table: str, temporary: Path
) -> None:
    with running(START, *median(long_table), temporary=temporary) as process:
        assert first_line(process) == "started"
        time.sleep(delay)
        process.send_signal(number)
        code, told, errors = ended(process, temporary)
    assert told == ""
    if errors == "":  # so early that nobody listens yet
        assert code in (130, -signal.SIGTERM)
        return
    assert code == CODES[number]
    assert errors in ("dampen: interrupted\n", f"dampen: {interrupts.UNPAID}\n")


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
@pytest.mark.parametrize("module", ["typer", "numpy", "rich", "cryptography", "dampen.cli.payment", "dampen.cli.train"])
def test_an_import_at_start_up_ends_at_once(module: str, number: signal.Signals, table: str, temporary: Path) -> None:
    with running(AT_IMPORT, module, str(int(number)), *median(table), temporary=temporary) as process:
        assert ended(process, temporary) == (CODES[number], "", "dampen: interrupted\n")


@pytest.mark.parametrize(
    ("module", "number"),
    [
        ("duckdb", signal.SIGINT),
        ("_duckdb", signal.SIGTERM),
        pytest.param("duckdb", signal.SIGTERM, marks=pytest.mark.long),
        pytest.param("_duckdb", signal.SIGINT, marks=pytest.mark.long),
    ],
)
def test_an_import_while_the_command_works_is_not_cut_in_two(
    module: str, number: signal.Signals, long_table: str, ledger: str, temporary: Path
) -> None:
    with running(AT_IMPORT, module, str(int(number)), *median(long_table, ledger), temporary=temporary) as process:
        code, told, errors = ended(process, temporary)
    assert (code, told) == (CODES[number], "")
    assert errors in ("dampen: interrupted\n", f"dampen: {interrupts.UNPAID}\n")
    assert account(ledger) == ("0", [])


@pytest.mark.parametrize("module", [pytest.param("numba", marks=pytest.mark.long), "llvmlite", "numba.core.types"])
def test_an_import_of_numba_is_not_cut_in_two(module: str, tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\n0,1\n1,2\n2,3\n")
    asked = ["top-nodes", str(tmp_path / "edges.csv"), "--src", "a", "--dst", "b", "--nodes", "4", "--k", "1"]
    asked += ["--method", "permute-and-flip", "--epsilon", "1"]
    with running(NEVER_DRAW + AT_IMPORT, module, "2", *asked, temporary=temporary) as process:
        code, told, errors = ended(process, temporary)
    assert (code, told) == (130, "")
    assert errors in [f"dampen: {fate}\n" for fate in (interrupts.PLAIN, interrupts.UNPAID, interrupts.PAID)]


def test_what_llvm_was_given_is_not_freed_twice(tmp_path: Path, temporary: Path) -> None:
    """The signal comes when LLVM has freed what it was given, and llvmlite has not noted so yet."""
    (tmp_path / "edges.csv").write_text("a,b\n0,1\n1,2\n2,3\n")
    asked = ["top-nodes", str(tmp_path / "edges.csv"), "--src", "a", "--dst", "b", "--nodes", "4", "--k", "1"]
    asked += ["--method", "permute-and-flip", "--epsilon", "1"]
    with running(NEVER_DRAW + AT_LLVM, *asked, temporary=temporary) as process:
        code, told, errors = ended(process, temporary)
    assert (code, told) == (130, "")
    assert errors in [f"dampen: {fate}\n" for fate in (interrupts.PLAIN, interrupts.UNPAID)]


def test_before_it_can_answer_signals_the_command_imports_nothing(run_python: "RunPython") -> None:
    code = """
        import sys
        before = set(sys.modules)
        from dampen.cli import main
        print(*sorted(set(sys.modules) - before))
    """
    assert run_python(code).stdout.split() == ["dampen", "dampen.cli"]


# While a file is read


@pytest.mark.parametrize(
    ("times", "number"),
    [
        (1, signal.SIGINT),
        (3, signal.SIGTERM),
        pytest.param(1, signal.SIGTERM, marks=pytest.mark.long),
        pytest.param(3, signal.SIGINT, marks=pytest.mark.long),
    ],
)
def test_a_long_read_ends_without_a_charge(
    times: int, number: signal.Signals, long_table: str, ledger: str, temporary: Path
) -> None:
    """Also when the signal comes several times: to the process, to its group."""
    with running(START, *median(long_table, ledger), temporary=temporary) as process:
        assert holds(lambda: any(temporary.glob(f"*/table{MANY - 1}.csv")), process)
        time.sleep(0.3)
        for _ in range(times):
            process.send_signal(number)
            time.sleep(0.01)
        code, told, errors = ended(process, temporary)
    assert (code, errors) == (CODES[number], f"dampen: {interrupts.UNPAID}\n")
    assert told == "started\n"
    assert account(ledger) == ("0", [])


@pytest.mark.parametrize("number", ONE_STOP)
def test_a_pipe_that_does_not_end_is_left_without_a_charge(
    number: signal.Signals, ledger: str, temporary: Path
) -> None:
    with running(START, *median("-", ledger), temporary=temporary) as process:
        assert process.stdin is not None
        process.stdin.write("pay\n1\n")
        process.stdin.flush()
        assert holds(lambda: any(temporary.glob("*/stdin.csv")), process)
        time.sleep(0.3)
        process.send_signal(number)
        assert process.wait(LONGEST) == CODES[number], "before anybody closes the pipe"
        _, told, errors = ended(process, temporary)
    assert (told, errors) == ("started\n", f"dampen: {interrupts.UNPAID}\n")
    assert account(ledger) == ("0", [])


@pytest.mark.parametrize("number", ONE_STOP)
def test_an_interrupt_that_a_finalizer_loses_comes_again(
    number: signal.Signals, long_table: str, temporary: Path
) -> None:
    with running(IN_A_FINALIZER, str(int(number)), *median(long_table), temporary=temporary) as process:
        assert ended(process, temporary) == (CODES[number], "", f"dampen: {interrupts.UNPAID}\n")


# Around the payment


@pytest.mark.parametrize("number", STOPS)
def test_after_the_payment_the_charge_stands(number: signal.Signals, table: str, ledger: str, temporary: Path) -> None:
    with running(AT_DRAW, *median(table, ledger), temporary=temporary) as process:
        assert first_line(process) == "drawing"
        process.send_signal(number)
        assert ended(process, temporary) == (CODES[number], "", f"dampen: {interrupts.PAID}\n")
    assert account(ledger) == ("1/4", ["failed"])


def test_a_budget_that_nobody_remembers_is_told_of_too(table: str, temporary: Path) -> None:
    with running(AT_DRAW, *median(table), temporary=temporary) as process:
        assert first_line(process) == "drawing"
        process.send_signal(signal.SIGINT)
        assert ended(process, temporary) == (130, "", f"dampen: {interrupts.PAID}\n")


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGTERM])
@pytest.mark.parametrize("step", ["before BEGIN", "after INSERT", "before COMMIT", "after COMMIT"])
def test_while_it_pays_the_command_does_not_stop_half_way(
    step: str, number: signal.Signals, table: str, ledger: str, temporary: Path
) -> None:
    with running(AT_STEP, step, str(int(number)), *median(table, ledger), temporary=temporary) as process:
        assert ended(process, temporary) == (CODES[number], "", f"dampen: {interrupts.PAID}\n")
    assert account(ledger) == ("1/4", [])


def test_what_is_refused_while_a_signal_waits_was_not_charged(table: str, ledger: str, temporary: Path) -> None:
    asked = median(table, ledger, epsilon="2")
    with running(AT_STEP, "before BEGIN", "15", *asked, temporary=temporary) as process:
        assert ended(process, temporary) == (143, "", f"dampen: {interrupts.UNPAID}\n")
    assert account(ledger) == ("0", [])


def test_a_tree_that_counts_after_it_paid_is_stopped(ledger: str, tmp_path: Path, temporary: Path) -> None:
    """With so many records it looks at attributes, and these it counts after the payment."""
    numbers = {"kind": "number", "bounds": [0, 1000], "bins": 4}
    schema = {"attributes": {"pay": numbers, "rent": numbers}, "classes": ["Oslo", "Bonn"]}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    (tmp_path / "t.csv").write_text("pay,rent,city\n" + 5000 * "1,2,Oslo\n900,3,Bonn\n")
    asked = ["train", str(tmp_path / "t.csv"), "--target", "city", "--schema", str(tmp_path / "schema.json")]
    asked += ["--kind", "tree", "--depth", "2", "--epsilon", "1", "--budget", ledger]
    with running(COUNT_LONG_AFTER_PAYMENT, *asked, temporary=temporary) as process:
        assert first_line(process) == "counting"
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        assert ended(process, temporary) == (143, "", f"dampen: {interrupts.PAID}\n")
    assert account(ledger) == ("1", ["failed"])


def test_the_demo_leaves_no_folder(temporary: Path) -> None:
    with running(AT_STEP, "after COMMIT", "15", "demo", temporary=temporary) as process:
        code, told, errors = ended(process, temporary)
    assert (code, errors) == (143, "dampen: interrupted\n")
    assert "And when the machine dies?" in told


# What is left alone


IGNORED = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
"""


@pytest.mark.parametrize("number", ONE_STOP)
def test_signals_that_were_switched_off_stay_so(
    number: signal.Signals, table: str, ledger: str, temporary: Path
) -> None:
    """As nohup and scripts do for what they start in the background."""
    asked = median(table, ledger)
    with running(IGNORED + AT_STEP, "after COMMIT", str(int(number)), *asked, temporary=temporary) as process:
        code, told, errors = ended(process, temporary)
    assert code == 0
    assert errors.startswith("error: at most ")
    assert errors.count("\n") == 1
    assert 0 <= int(told) <= 1000
    assert account(ledger) == ("1/4", ["done"])


def run(monkeypatch: pytest.MonkeyPatch, work: Callable[[], None]) -> None:
    """The command in this process, with some work instead of its verbs."""
    monkeypatch.setattr("dampen.cli.app.app", work)
    main()


def failing(error: BaseException) -> Callable[[], None]:
    def work() -> None:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (KeyboardInterrupt(), 130, "dampen: interrupted\n"),
        (SystemExit(130), 130, "dampen: interrupted\n"),
        (SystemExit(2), 2, ""),
        (SystemExit(0), 0, ""),
        (BudgetError("no"), 1, "dampen: no\n"),
    ],
    ids=["interrupt", "interrupt of typer", "usage", "done", "refused"],
)
def test_without_a_signal_the_command_ends_as_it_did(
    error: BaseException, code: int, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hook = sys.unraisablehook
    with pytest.raises(SystemExit) as left:
        run(monkeypatch, failing(error))
    assert (left.value.code, capsys.readouterr().err) == (code, told)
    assert sys.unraisablehook is hook
    afterwards = signal.SIG_IGN if code == 130 else signal.SIG_DFL
    assert [signal.getsignal(number) for number in STOPS] == [afterwards] * 2, "no traceback while Python ends"


@pytest.mark.parametrize("error", [EngineError("stopped"), RuntimeError(), ImportError(), SystemExit(1)])
def test_whatever_fails_after_a_signal_has_failed_because_of_it(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            raise error from None

    with pytest.raises(SystemExit) as left:
        run(monkeypatch, work)
    assert (left.value.code, capsys.readouterr().err) == (143, "dampen: interrupted\n")


def test_work_that_was_done_in_spite_of_a_signal_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> None:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        sys.exit(0)

    with pytest.raises(SystemExit) as left:
        run(monkeypatch, work)
    assert (left.value.code, capsys.readouterr().err) == (0, "")


def test_a_second_signal_counts_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that an end which takes too long can be cut short."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    raised = []

    def work() -> None:
        for moment in (0.0, 0.1, 0.9, 2.0, 2.1):
            now[0] = moment
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raised.append(moment)
        sys.exit(0)

    with pytest.raises(SystemExit):
        run(monkeypatch, work)
    assert raised == [0.0, 2.0]


def test_objects_half_made_at_an_interrupt_are_removed_in_silence(run_python: "RunPython") -> None:
    ended = run_python(
        """
        from dampen.cli import interrupts

        class HalfMade:
            def __del__(self):
                self.missing

        left = HalfMade()
        with interrupts.unwound():
            raise KeyboardInterrupt
        """
    )
    assert (ended.returncode, ended.stderr) == (130, "dampen: interrupted\n")


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_that_comes_again_while_python_ends_changes_nothing(
    number: signal.Signals, run_python: "RunPython"
) -> None:
    ended = run_python(
        """
        import atexit, os, sys
        from dampen.cli import interrupts

        atexit.register(os.kill, os.getpid(), int(sys.argv[1]))
        with interrupts.unwound():
            raise KeyboardInterrupt
        """,
        str(int(number)),
    )
    assert (ended.returncode, ended.stderr) == (130, "dampen: interrupted\n")
