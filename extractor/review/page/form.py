"""What a reviewer typed into the form about what must hold, as a statement."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...errors import UsageError
from ...model.config import Statement
from .runs import escaped
from .views import CasePage

_BOUNDS = re.compile(r"([^=\s]+)=(\d{1,6})(?:\.\.(\d{1,6})?)?")


def statement(form: Mapping[str, str], page: CasePage) -> Statement:
    """Return what was typed and differs from what stands in the case. Raises `UsageError` for bounds that are none."""
    standing = page.expected
    was = {
        "failure": standing.trigger,
        "prohibit": standing.prohibited,
        "evidence_needed": standing.evidence_needed,
        "require": standing.behaviours,
        "disclose": standing.disclosures,
        "disclose_exactly": standing.exact_disclosures,
        "claim": standing.claims,
        "unless": standing.unless,
        "action": standing.action,
        "policy_decision": standing.policy_decision,
        "boundary": standing.boundary,
        "effects": standing.effects,
        "authorization": standing.authorization,
        "incident": standing.incident,
    }
    told = {name: form.get(name, "").replace("\r\n", "\n").strip() for name in was}
    new = {name: said for name, said in told.items() if said and said != escaped(was[name]).strip()}
    return Statement(
        incident=new.get("incident"),
        failure=new.get("failure"),
        prohibit=_lines(new.get("prohibit", "")),
        evidence_needed=new.get("evidence_needed"),
        behaviours=_lines(new.get("require", "")),
        disclosures=_lines(new.get("disclose", "")),
        exact_disclosures=_lines(new.get("disclose_exactly", "")),
        claims=_lines(new.get("claim", "")),
        unless=_lines(new.get("unless", "")),
        action=new.get("action"),
        policy_decision=new.get("policy_decision"),
        boundary=new.get("boundary"),
        authorization=new.get("authorization"),
        effects=dict(map(_bound, _lines(new.get("effects", "")))),
    )


def _lines(said: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in said.splitlines() if line.strip())


def _bound(line: str) -> tuple[str, tuple[int, int | None]]:
    match = _BOUNDS.fullmatch(line)
    if match is None:
        raise UsageError("side effects are TOOL=N, TOOL=MIN..MAX or TOOL=MIN.., one tool a line")
    least = int(match[2])
    most = least if ".." not in line else int(match[3]) if match[3] else None
    return match[1], (least, most)
