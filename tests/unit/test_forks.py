"""Which process this is: a forked child is another one, also where it has its parent's number."""

import os
import shutil
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from dampen.entropy import this_process

if TYPE_CHECKING:
    from tests.conftest import RunPython

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

SPEND_ON_BOTH_SIDES = """
import os, pickle
import dampen
from dampen.errors import BudgetError
from dampen.entropy import SystemEntropy, this_process

loss = dampen.PrivacyLoss(1, adjacency=dampen.Adjacency.ADD_REMOVE)
budget, batch = dampen.Budget(epsilon=1), dampen.Budget(epsilon=1).batch([loss])
reference, stream, home = pickle.dumps(budget), SystemEntropy(), (os.getpid(), this_process())
stream.bits(8)
reading, writing = os.pipe()
before_the_fork()
child = os.fork()
if child == 0:
    refused = 0
    for use in (lambda: budget.reserve(loss), lambda: batch.reserve(loss), lambda: pickle.loads(reference)):
        try:
            use()
        except BudgetError as error:
            refused += "process" in str(error)
    told = (refused, stream.bits(256), os.getpid() == home[0], this_process() == home[1])
    os.write(writing, repr(told).encode())
    os._exit(0)
os.close(writing)
refused, bits, same_number, same_process = eval(os.read(reading, 4096))
assert os.waitpid(child, 0)[1] == 0
budget.reserve(loss), batch.reserve(loss)
print(refused, bits != stream.bits(256), same_number, same_process)
"""

SAME_NUMBER = """
import os
os.getpid = lambda: 1
def before_the_fork():
    pass
"""

NEW_NAMESPACE = """
import ctypes, os
def before_the_fork():
    assert os.getpid() == 1
    assert ctypes.CDLL(None, use_errno=True).unshare(0x20000000) == 0, os.strerror(ctypes.get_errno())
"""

OLD_WAY = """
import os
import dampen.entropy, dampen.accounting.budget, dampen.accounting.account
for room in (dampen.entropy, dampen.accounting.budget, dampen.accounting.account):
    room.this_process = os.getpid
"""


def test_every_fork_leads_to_another_process() -> None:
    """A child, and a child of the child."""
    reading, writing = os.pipe()
    home = this_process()
    child = os.fork()
    if child == 0:
        first = this_process()
        grandchild = os.fork()
        if grandchild == 0:
            os.write(writing, repr([first, this_process()]).encode())
            os._exit(0)
        os.waitpid(grandchild, 0)
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with open(reading, "rb") as told:
        families = [home, *eval(told.read())]
    assert len({forks for forks, _ in families}) == len({number for _, number in families}) == 3
    assert this_process() == home


@pytest.mark.parametrize(("more", "expected"), [("", "3 True True False"), (OLD_WAY, "0 False True True")])
def test_a_child_with_its_parent_s_number_spends_and_draws_nothing_twice(
    run_python: "RunPython", more: str, expected: str
) -> None:
    """The second case is what the number alone would do: the test sees it."""
    done = run_python(SAME_NUMBER + more + SPEND_ON_BOTH_SIDES)
    assert (done.stdout.strip(), done.stderr) == (expected, "")


@cache
def namespace() -> tuple[str, ...]:
    """A command that makes the process after it the first of a new namespace, if that is permitted here."""
    commands = [("unshare", "--pid", "--fork"), ("unshare", "--user", "--map-root-user", "--pid", "--fork")]
    for command in commands if shutil.which("unshare") else ():
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    return ()


def test_a_child_in_a_new_namespace_spends_and_draws_nothing_twice() -> None:
    if not namespace():
        pytest.skip("new namespaces of process numbers are not permitted here")
    command = [*namespace(), sys.executable, "-c", NEW_NAMESPACE + SPEND_ON_BOTH_SIDES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout.strip(), done.stderr) == ("3 True True False", "")
