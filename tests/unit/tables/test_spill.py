"""Spill folders: for their owner alone, kept while their process lives, removed by the next one when it was killed."""

import errno
import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dampen.errors import EngineError
from dampen.tables import spill
from dampen.tables.files import connect_files
from dampen.tables.spill import LOCK, PREFIX, remove_abandoned, spill_folder

if TYPE_CHECKING:
    from tests.conftest import Refused


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own, here and in children."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@contextmanager
def child(code: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that has got to its first line of output, or has ended; it is killed at the end."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.kill()
        running.communicate(timeout=60)


def line(running: "subprocess.Popen[str]") -> str:
    assert running.stdout is not None
    return running.stdout.readline().strip()


def abandoned(temporary: Path, name: str = "left") -> Path:
    """A folder as a killed process leaves it, with a file, a folder, and a link to each."""
    folder = temporary / f"{PREFIX}{name}"
    (folder / "spill").mkdir(parents=True)
    (folder / "spill" / "block").write_text("rows")
    (folder / LOCK).touch()
    (temporary.parent / "data").mkdir(exist_ok=True)
    (temporary.parent / "data" / "table.csv").write_text("a\n1\n")
    (folder / "table0.csv").symlink_to(temporary.parent / "data" / "table.csv")
    (folder / "linked").symlink_to(temporary.parent / "data")
    return folder


def test_a_folder_is_open_to_its_owner_alone_and_goes_with_its_block(temporary: Path) -> None:
    before = os.umask(0)
    try:
        with spill_folder() as folder:
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert folder.parent == temporary
            assert folder.name.startswith(PREFIX)
            (folder / "spill").mkdir()
            (folder / "spill" / "block").touch()
    finally:
        os.umask(before)
    assert not any(temporary.iterdir())


def test_a_folder_goes_when_its_block_fails(temporary: Path) -> None:
    with pytest.raises(KeyboardInterrupt), spill_folder():
        raise KeyboardInterrupt
    assert not any(temporary.iterdir())


def test_files_are_read_through_such_a_folder(temporary: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    with connect_files(tmp_path / "t.csv") as (connection, [name]):
        [folder] = temporary.iterdir()
        assert folder.name.startswith(PREFIX)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert Path(name).parent == folder
        told = connection.execute("select current_setting('temp_directory')").fetchone()
        assert told == (str(folder / "spill"),)
    assert not any(temporary.iterdir())
    assert (tmp_path / "t.csv").exists()


def test_what_was_left_is_removed_by_the_next_use_and_no_link_is_followed(temporary: Path) -> None:
    abandoned(temporary)
    with spill_folder() as folder:
        assert list(temporary.iterdir()) == [folder]
    assert (temporary.parent / "data" / "table.csv").read_text() == "a\n1\n"


HOLD = """
import sys
from pathlib import Path
from dampen.tables.files import connect_files
with connect_files(Path(sys.argv[1])) as (connection, [name]):
    print(Path(name).parent, flush=True)
    sys.stdin.read()
"""


def test_the_folder_of_a_living_process_stays_and_that_of_a_killed_one_goes(temporary: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a\n1\n")
    with child(HOLD, str(table)) as running:
        folder = Path(line(running))
        with connect_files(table):
            assert folder in temporary.iterdir()
        assert (folder / "table0.csv").is_symlink()
        running.send_signal(signal.SIGKILL)
        running.wait(60)
        assert (folder / "table0.csv").is_symlink()
        with connect_files(table):
            assert not folder.exists()
    assert table.exists()
    assert not any(temporary.iterdir())


HOLD_AND_FORK = """
import os, sys, time
from dampen.tables.spill import remove_abandoned, spill_folder

def forked(work):
    child = os.fork()
    if child == 0:
        work()
    return child

try:
    with spill_folder() as folder:
        (folder / "block").touch()
        os.waitpid(forked(sys.exit), 0)  # leaves the block as any code does
        os.waitpid(forked(lambda: (remove_abandoned(), os._exit(0))), 0)
        forked(lambda: (print(folder, os.getpid(), flush=True), time.sleep(300), os._exit(0)))
        sys.stdin.read()
except SystemExit:
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forked_children_neither_remove_a_folder_nor_keep_it(temporary: Path) -> None:
    """One leaves the block, one looks for abandoned folders, one outlives its parent."""
    with child(HOLD_AND_FORK) as running:
        name, other = line(running).rsplit(" ", 1)
        try:
            remove_abandoned()
            assert [path.name for path in sorted(Path(name).iterdir())] == ["block", LOCK]
            running.send_signal(signal.SIGKILL)
            running.wait(60)
            os.kill(int(other), 0)
            remove_abandoned()
            assert not any(temporary.iterdir())
        finally:
            os.kill(int(other), signal.SIGKILL)


def test_other_threads_and_blocks_of_one_process_keep_their_folders(temporary: Path) -> None:
    with ExitStack() as stack:
        folders = [stack.enter_context(spill_folder()) for _ in range(3)]
        remove_abandoned()
        assert sorted(temporary.iterdir()) == sorted(folders)
    assert not any(temporary.iterdir())


@pytest.mark.parametrize("moment", ["FileIO", "_try_lock"])
def test_an_interrupt_while_it_is_made_leaves_no_folder(
    moment: str, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        assert any(temporary.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(spill, moment, interrupted)
    with pytest.raises(KeyboardInterrupt), spill_folder():
        pass
    assert not any(temporary.iterdir())


# What is not ours


def test_folders_of_others_stay(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = abandoned(temporary)
    (temporary / f"{PREFIX}empty").mkdir()
    me = os.geteuid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: me + 1)
        remove_abandoned()
    assert (folder / "spill" / "block").exists()
    assert (temporary / f"{PREFIX}empty").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives folders away")
def test_folders_that_were_given_away_stay(temporary: Path) -> None:
    folder = abandoned(temporary)
    os.chown(folder, 12345, -1)
    remove_abandoned()
    assert (folder / "spill" / "block").exists()


def test_links_and_other_names_stay(temporary: Path, tmp_path: Path) -> None:
    elsewhere = abandoned(tmp_path, "elsewhere")
    kept = [temporary / f"{PREFIX}link", temporary / f"{PREFIX}file", temporary / "dampen-other"]
    kept[0].symlink_to(elsewhere)
    kept[1].touch()
    shutil.copytree(elsewhere, kept[2], symlinks=True)
    remove_abandoned()
    assert sorted(temporary.iterdir()) == sorted(kept)
    assert (elsewhere / "spill" / "block").exists()
    assert (kept[2] / "spill" / "block").exists()


def test_a_lock_that_is_a_link_is_not_followed(temporary: Path, tmp_path: Path) -> None:
    folder = abandoned(temporary)
    (folder / LOCK).unlink()
    (tmp_path / "file").touch()
    (folder / LOCK).symlink_to(tmp_path / "file")
    remove_abandoned()
    assert (folder / "spill" / "block").exists()


def test_without_a_lock_only_an_empty_folder_goes(temporary: Path) -> None:
    (temporary / f"{PREFIX}empty").mkdir()
    mine = temporary / f"{PREFIX}mine"
    mine.mkdir()
    (mine / "notes").touch()
    remove_abandoned()
    assert list(temporary.iterdir()) == [mine]


# When several look at once, and when something fails


def test_a_removal_that_was_cut_short_goes_on_next_time(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    folder = abandoned(temporary)
    with monkeypatch.context() as patch:
        patch.setattr(spill, "rmtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            remove_abandoned()
        with pytest.raises(KeyboardInterrupt), spill_folder() as own:
            (own / "spill").mkdir()
    assert (folder / LOCK).exists()
    assert (folder / "spill").exists()
    remove_abandoned()
    assert not any(temporary.iterdir())


@pytest.mark.parametrize("moment", ["FileIO", "_try_lock"])
def test_a_folder_that_is_taken_for_abandoned_before_it_is_locked_is_made_again(
    moment: str, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step: Callable[..., Any] = getattr(spill, moment)
    looked: list[str] = []

    def late(*arguments: Any) -> Any:
        if not looked:
            looked.append(os.listdir(temporary)[0])
            remove_abandoned()
        return step(*arguments)

    monkeypatch.setattr(spill, moment, late)
    with spill_folder() as folder:
        assert list(temporary.iterdir()) == [folder]
        assert [folder.name] != looked
    assert not any(temporary.iterdir())


def test_a_folder_that_another_has_locked_to_remove_is_left_to_it(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[FileIO] = []

    def locked_by_another(path: Path, mode: str) -> FileIO:
        lock = FileIO(path, mode)
        if not others:
            others.append(FileIO(path, "r"))
            fcntl.flock(others[0].fileno(), fcntl.LOCK_EX)
        return lock

    monkeypatch.setattr(spill, "FileIO", locked_by_another)
    with spill_folder() as folder:
        assert len(list(temporary.iterdir())) == 2
    assert folder not in temporary.iterdir()
    others[0].close()


def test_where_no_folder_stays_none_is_made_for_ever(monkeypatch: pytest.MonkeyPatch, refused: "Refused") -> None:
    monkeypatch.setattr(spill, "_try_lock", lambda handle: False)
    with refused(EngineError, "TMPDIR"), spill_folder():
        pass


def test_on_a_disk_without_locks_folders_are_used_and_left_alone(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "no locks here")

    left = abandoned(temporary)
    monkeypatch.setattr(fcntl, "flock", unsupported)
    with spill_folder() as folder, spill_folder() as second:
        assert sorted(temporary.iterdir()) == sorted([left, folder, second])
    assert list(temporary.iterdir()) == [left]


def test_a_system_without_locks_has_folders_all_the_same(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "fcntl", None)
    with spill_folder() as folder:
        assert list(temporary.iterdir()) == [folder]
    assert not any(temporary.iterdir())


MANY = """
from dampen.tables.spill import spill_folder
for turn in range(150):
    with spill_folder() as folder:
        (folder / "block").touch()
        (folder / "spill").mkdir()
        assert sorted(path.name for path in folder.iterdir()) == ["block", "lock", "spill"]
print("done")
"""


def test_many_processes_make_and_remove_folders_at_once(temporary: Path) -> None:
    with ExitStack() as stack:
        running = [stack.enter_context(child(MANY)) for _ in range(4)]
        assert [line(each) for each in running] == ["done"] * 4
    assert not any(temporary.iterdir())
