"""``python -m experiments.casebook``: all subjects, into docs; with names of subjects, these alone, printed."""

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.contestants import PeerMissing
from benchmarks.peer_process import PeerProcess
from dampen.audit import BlackBoxReport, black_box
from dampen.audit.claims import parts_of
from experiments.casebook import page
from experiments.casebook.subjects import SUBJECTS, Subject

CONFIDENCE = "0.999999"


def audit(subject: Subject) -> BlackBoxReport:
    """Audit one subject, in its own environment."""
    given = {"claim": subject.claim, "samples": subject.samples, "confidence": CONFIDENCE}
    if subject.own is not None:
        return black_box(subject.own(), subject.x, subject.y, **given)  # type: ignore[arg-type]
    peer = PeerProcess(subject.environment, "experiments.casebook.foreign", Path(subject.foreign))
    try:
        return black_box(len, subject.x, subject.y, batch=peer.ask, **given)  # type: ignore[arg-type]
    finally:
        peer.close()


def result_of(subject: Subject, report: BlackBoxReport) -> dict[str, Any]:
    """What the page tells."""
    counts = None if report.finding is None else report.finding.counts
    seen = "never" if counts is None else f"{counts.on_x} times in {counts.of_x} on x and {counts.on_y} on y"
    told = report.as_dict()
    return {
        "id": subject.id,
        "name": subject.name,
        "version": subject.version,
        "claim": str(subject.claim),
        "refuted": report.refuted,
        "at_least": {part.name: told["at_least"][part.name] for part in parts_of(subject.claim)},
        "event": report.event,
        "seen": seen,
        "x": told["pair"]["x"],
        "y": told["pair"]["y"],
        "samples": report.samples,
        "seconds": report.seconds,
        "issue": subject.issue,
        "note": subject.note,
    }


def main() -> None:
    """Run, print, and write the page if all were asked for."""
    names = sys.argv[1:]
    known = {result["id"]: result for result in json.loads(page.RESULTS.read_text())} if page.RESULTS.exists() else {}
    for subject in SUBJECTS:
        if names and subject.id not in names:
            continue
        try:
            report = audit(subject)
        except PeerMissing:
            print(
                f"{subject.id}: {subject.environment} is missing, or does not start; make clean casebook makes it anew"
            )
            continue
        print(f"{subject.id}\n{report}\n", flush=True)
        known[subject.id] = result_of(subject, report)
        if not names:
            page.write([known[each.id] for each in SUBJECTS if each.id in known])


if __name__ == "__main__":
    main()
