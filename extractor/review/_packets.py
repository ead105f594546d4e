"""Deciding without the folder: what a packet must carry, and the statement that is made over it."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..errors import InputUnreadable, UsageError
from ..model.json import JsonValue, MalformedJson, parse
from ..model.layout import is_case_id
from ..replay.fixture_check import MAX_BYTES
from ._decisions import Said, signed
from ._folder import CaseFolder
from ._ground import Ground
from ._statement import Confirmations, Decision, Statement, Terms, bound, spelled

SUBJECT = "subject"


def subject(case: CaseFolder, ground: Ground) -> dict[str, JsonValue]:
    """Return what a packet's JSON holds under ``subject``: all that a statement over it binds."""
    terms = ground.terms
    return {
        "case_id": case.case_id,
        "digests": dict(case.digests),
        "terms": {"rules": terms.rules, "policy": terms.policy, "schema": terms.schema},
        "author": ground.facts(case).author,
        "lasts_days": ground.policy.lasts_days,
    }


def over_packet(
    packet: Path,
    out: Path,
    *,
    role: str,
    reviewer: str,
    decision: Decision,
    reason: str | None,
    key: Path | None,
    confirmations: Confirmations | None,
    now: datetime | None = None,
) -> None:
    """Write a statement over a packet to ``out``, which must not exist. `take` brings it into the case.

    Whether it holds is judged there, against the case and the policy. Raises `UsageError` and `ApprovalRefused` for what is
    wrong without knowing the case, `InputUnreadable` for what is no packet.
    """
    said = Said.of(role=role, reviewer=reviewer, decision=decision, reason=reason, confirmations=confirmations)
    about, at = _subject(packet), now or datetime.now(UTC)
    terms, days, author = about.get("terms"), about.get("lasts_days"), about.get("author")
    digests, absent = bound(said.role, _texts(about.get("digests")))
    named = _texts(terms)
    statement = Statement(
        case_id=str(about["case_id"]),
        decision=said.decision,
        role=said.role,
        reviewer=said.reviewer,
        at=spelled(at),
        expires_at=spelled(at + timedelta(days=days)) if isinstance(days, int) else None,
        digests=digests,
        absent=absent,
        terms=Terms(rules=named["rules"], policy=named["policy"], schema=named["schema"]),
        author=author if isinstance(author, str) else None,
        reason=said.reason,
        confirmations=said.confirmations,
    )
    content = signed(statement, key)
    try:
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise UsageError("the file of --out exists already") from None
    except OSError:
        raise UsageError("the file of --out cannot be created") from None
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)


def _subject(packet: Path) -> dict[str, JsonValue]:
    try:
        with packet.open("rb") as stream:
            document = parse(stream.read(MAX_BYTES))
    except OSError:
        raise InputUnreadable("the packet cannot be read") from None
    except MalformedJson:
        raise InputUnreadable("the packet is no JSON; give the JSON file that stands beside the page") from None
    about = document.get(SUBJECT) if isinstance(document, dict) else None
    if (
        not isinstance(about, dict)
        or not is_case_id(about.get("case_id"))
        or "fixture.json" not in _texts(about.get("digests"))
        or set(_texts(about.get("terms"))) != {"rules", "policy", "schema"}
    ):
        raise InputUnreadable("the packet does not say which bytes it shows")
    return about


def _texts(value: JsonValue) -> dict[str, str]:
    return {name: text for name, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}
