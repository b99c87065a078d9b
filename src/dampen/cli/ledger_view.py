"""A ledger on the terminal: bars for what is spent, tables for who spent it on what."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from dampen._validate import brief
from dampen.accounting import Ledger
from dampen.accounting.account import Account
from dampen.accounting.chain import Entry, parse_head
from dampen.accounting.composition import MOST_MORE
from dampen.accounting.slots import use_of_slots
from dampen.accounting.store import Purpose
from dampen.accounting.summary import Summary
from dampen.accounting.verify import LedgerReport
from dampen.privacy import PrivacyLoss, amount_as_json

BAR = 24
"""How many characters a full limit is drawn with."""
LONG = 50_000
"""A ledger of so many entries takes a while to recompute."""
LONGEST_SHOWN = 100
"""Longer notes and questions are cut in their middle: they often differ at the end."""


def draw_summary(console: Console, ledger: Ledger, most: int, questions: Sequence[str] = ()) -> None:
    """What is spent, by whom, on what; and which questions are answered for nothing."""
    summary = ledger.summary(most)
    kept = "not fixed yet" if ledger.adjacency is None else f"{ledger.adjacency.name} per {ledger.unit}"
    memory = "  answers: kept" if summary.remembers else ""
    rule = "" if ledger.composition == "basic" else f"  composition: {ledger.composition}"
    console.print(Text.assemble((ledger.name, "bold"), f"  neighbours: {kept}{rule}{memory}"))
    console.print(_accounts(summary.accounts, console))
    for slot, used, count in _slots(summary)[:most]:
        console.print(Text(f"slots: {used} of {count} used, {slot.amount}{_claims(slot)}"))
    if summary.purposes:
        console.print(_purposes(summary.purposes))
    if any(account.spent.delta for account in summary.accounts):
        console.print(Text("delta is spent in full by every answer that has one, whatever it shows, nothing too"))
    for room in summary.room:
        console.print(
            Text(f"room for {_about(room.more)} more: {_cut(room.note) or '(no note)'} at {room.loss.amount}")
        )
    for entry in summary.unfinished:
        console.print(Text(f"unfinished: entry {entry.number}, {entry.at}, {entry.amount}, {_cut(entry.note)}"))
    if summary.unfinished_count > len(summary.unfinished):
        console.print(Text(f"unfinished: {summary.unfinished_count} charges in all; they stay spent"))
    for question in questions:
        console.print(Text(f"answered for nothing: {_cut(question)}"))
    console.print(Text(f"head (keep it elsewhere): {summary.head}"), soft_wrap=True)


def summary_as_json(ledger: Ledger, most: int, questions: Sequence[str] | None = None) -> str:
    """The same for machines."""
    summary = ledger.summary(most)
    slots = [{"loss": amount_as_json(s.amount), "count": count, "used": used} for s, used, count in _slots(summary)]
    content = {
        "file": ledger.name,
        "composition": ledger.composition,
        "adjacency": None if ledger.adjacency is None else ledger.adjacency.value,
        "unit": ledger.unit,
        "accounts": [
            {"scope": account.name, "limit": amount_as_json(account.limit), "spent": amount_as_json(account.spent)}
            for account in summary.accounts
        ],
        "purposes": [
            {"note": p.note, "scope": p.scope, "charges": p.charges, "spent": amount_as_json(p.amount)}
            for p in summary.purposes
        ],
        "unfinished": [entry.number for entry in summary.unfinished],
        "unfinished_count": summary.unfinished_count,
        "remembers": summary.remembers,
        "room": [{"note": r.note, "loss": amount_as_json(r.loss.amount), "more": r.more} for r in summary.room],
        **({"slots": slots} if slots else {}),
        **({} if questions is None else {"questions": questions}),
        "entries": summary.entries,
        "head": summary.head,
    }
    return json.dumps(content)


def draw_history(console: Console, entries: Sequence[Entry]) -> None:
    """The entries as a table."""
    table = Table(box=None, pad_edge=False)
    for name in ("entry", "time", "what", "scope", "amount", "note"):
        table.add_column(name, overflow="fold", no_wrap=name in ("entry", "time"))
    for entry in entries:
        what = entry.kind if entry.refers is None else f"outcome of {entry.refers}"
        amount = str(entry.amount) if entry.kind in ("limit", "charge", "slots") else ""
        table.add_row(*map(Text, (str(entry.number), entry.at, what, entry.scope, amount, entry.note)))
    console.print(table)


def verify_with_progress(ledger: Ledger, head: str | None) -> LedgerReport:
    """The report, with a progress bar while a long ledger is recomputed."""
    with _progress_of(ledger) as progress:
        return ledger.verify(head=head, progress=progress)


def copy_with_progress(ledger: Ledger, path: str, head: str | None) -> Ledger:
    """The copy, likewise."""
    with _progress_of(ledger) as progress:
        return ledger.copy(path, head=head, progress=progress)


@contextmanager
def _progress_of(ledger: Ledger) -> Iterator[Callable[[int], None]]:
    columns = (TextColumn("recomputing"), BarColumn(), MofNCompleteColumn())
    total = parse_head(ledger.head).number
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=total < LONG) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)


def _accounts(accounts: Sequence[Account], console: Console) -> Table:
    block = "█" if console.encoding.lower().startswith("utf") else "#"
    table = Table(box=None, pad_edge=False)
    table.add_column("by whom", overflow="fold")
    table.add_column("spent of the limit", min_width=BAR)
    for name in ("spent", "limit", "left"):
        table.add_column(name)
    for account in accounts:
        filled = int(BAR * account.share)
        bar = Text.assemble((block * filled, "red"), ("·" * (BAR - filled), "dim"))
        amounts = (account.spent, account.limit, account.remaining)
        table.add_row(Text(account.name or "all"), bar, *(Text(str(amount)) for amount in amounts))
    return table


def _slots(summary: Summary) -> list[tuple[PrivacyLoss, int, int]]:
    """The kinds of slots, how many of each are used, and how many there are; none in a ledger that adds up."""
    return [each for account in summary.accounts for each in use_of_slots(account.limit, account.spent)]


def _claims(slot: PrivacyLoss) -> str:
    """What a slot asks of a release beside its size."""
    parts = {"bounded range": slot.bounded_range, "rho": None if slot.epsilon is None else slot.rho}
    return "".join(f", {name} {brief(part)}" for name, part in parts.items() if part is not None)


def _purposes(purposes: Sequence[Purpose]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("on what", "by whom", "charges", "spent"):
        table.add_column(name, overflow="fold")
    for purpose in purposes:
        cells = (_cut(purpose.note) or "(no note)", purpose.scope or "all", str(purpose.charges), str(purpose.amount))
        table.add_row(*map(Text, cells))
    return table


def _about(count: int) -> str:
    """Two digits of it: what else is asked is not known."""
    if count >= MOST_MORE:
        return "any number"
    small = 10 ** max(0, len(str(count)) - 2)
    return str(count) if small == 1 else f"about {count // small * small}"


def _cut(words: str) -> str:
    half = (LONGEST_SHOWN - 3) // 2
    return words if len(words) <= LONGEST_SHOWN else f"{words[:half]}...{words[-half:]}"
