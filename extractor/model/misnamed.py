"""What to name instead of a path where no case is."""

from __future__ import annotations

from pathlib import Path

from .layout import APPROVED, FIXTURE, PLACES


def instead(path: Path) -> str:
    """Return the next step for a path that is taken for a case and is none; nothing of the path is repeated."""
    try:
        if path.is_file():
            return (
                "name the folder that holds it"
                if path.name == FIXTURE
                else "a case is a folder that holds fixture.json; extract-fixture inspect looks into exports"
            )
        if path.is_dir():
            return "name one case: a folder that holds fixture.json; extract-fixture register lists those of a store"
    except (OSError, ValueError):
        pass
    return "check the path: nothing is there; extract-fixture register lists the cases of a store"


def out_of_quarantine(case: Path) -> tuple[str, str]:
    """Return why a case cannot be changed, and the next step."""
    if not (case / FIXTURE).is_file():
        return "no case here: only a case in quarantine is changed", instead(case)
    place = case.resolve().parent.name
    if place == APPROVED:
        return (
            "only a case in quarantine is changed; this one is what people approved",
            "extract-fixture recapture makes its next version; extract-fixture retire takes it out of use",
        )
    stands = f"this one stands in {place}" if place in PLACES else "this one stands in no store"
    return (
        f"only a case in quarantine is changed; {stands}",
        "extract it again: extract-fixture --trace-id ID SOURCE --out DIR puts it into DIR/quarantine",
    )
