"""Say whether a fixture is whole enough to replay: ``python -I -S fixture_check.py FIXTURE``.

One file over the standard library alone, so that it runs by path where nothing is installed, before a model or a
workflow is called. It says that the fixture is healthy, never that the incident passed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

TOP_LEVEL = frozenset(
    {
        "schema_version",
        "case_id",
        "incident_id",
        "workflow_version",
        "prompt_version",
        "frozen_at",
        "input",
        "identity",
        "tool_events",
        "expected",
    }
)
TOOL_EVENT = frozenset({"attempt", "tool", "arguments", "outcome"})
OUTCOME_TYPES = ("result", "error")
MAX_BYTES = 64 * 1024 * 1024
_ATTEMPTS = range(2**31)


class Unreadable(ValueError):
    """The bytes are no fixture at all; the message holds nothing of them."""


def structural_problems(document: object) -> list[str]:
    """Return one line a problem, none when the document is whole; never raises, whatever the document is.

    Missing top-level fields are told alone, since the rest cannot be judged without them.
    """
    if not isinstance(document, dict):
        return ["fixture must be a JSON object"]
    missing = TOP_LEVEL - document.keys()
    if missing:
        return [f"missing top-level fields: {sorted(missing)}"]
    problems = []
    if not isinstance(document["case_id"], str) or not document["case_id"]:
        problems.append("case_id must be a text")
    if not _is_timestamp(document["frozen_at"]):
        problems.append("frozen_at must be an ISO 8601 timestamp")
    problems.extend(_event_problems(document["tool_events"]))
    if not _names_a_boundary(document["expected"]):
        problems.append("expected.prohibited_claims must name the incident boundary")
    return problems


def _is_timestamp(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _event_problems(events: object) -> list[str]:
    if not isinstance(events, list):
        return ["tool_events must be a list"]
    problems = []
    attempts: set[int] = set()
    for index, event in enumerate(events):
        place = f"tool_events[{index}]"
        if not isinstance(event, dict):
            problems.append(f"{place} must be an object")
            continue
        missing = TOOL_EVENT - event.keys()
        if missing:
            problems.append(f"{place} missing {sorted(missing)}")
            continue
        attempt, outcome = event["attempt"], event["outcome"]
        # A boolean is an int to Python, and would be attempt 1.
        if not isinstance(attempt, int) or isinstance(attempt, bool) or attempt not in _ATTEMPTS:
            problems.append(f"{place} attempt must be a whole number")
        elif attempt in attempts:
            problems.append(f"duplicate tool attempt {attempt}")
        else:
            attempts.add(attempt)
        if not isinstance(outcome, dict) or outcome.get("type") not in OUTCOME_TYPES:
            problems.append(f"{place} has unsupported outcome type")
    return problems


def _names_a_boundary(expected: object) -> bool:
    claims = expected.get("prohibited_claims") if isinstance(expected, dict) else None
    return isinstance(claims, list) and bool(claims) and all(isinstance(claim, str) and claim for claim in claims)


def load(content: bytes) -> object:
    """Return the JSON value of a fixture's bytes.

    Raises `Unreadable` for what is no UTF-8, no JSON, too deep, too large, or says one member twice.
    """
    if len(content) > MAX_BYTES:
        raise Unreadable("fixture is too large")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable("fixture is not UTF-8") from None
    try:
        document: object = json.loads(text, object_pairs_hook=_members, parse_constant=_no_constant)
    except Unreadable:
        raise
    except RecursionError:
        raise Unreadable("fixture is nested too deeply") from None
    except ValueError:
        raise Unreadable("fixture is not JSON") from None
    return document


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Unreadable("fixture says one member twice")
    return members


def _no_constant(_text: str) -> object:
    raise Unreadable("fixture holds a number that JSON lacks")


def main(arguments: Sequence[str]) -> int:
    """Check the one file named and say what was found; return the exit status, 1 for any problem."""
    if len(arguments) != 1:
        sys.stderr.write("usage: fixture_check.py FIXTURE\n")
        return 2
    try:
        with Path(arguments[0]).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        sys.stderr.write("fixture cannot be read\n")
        return 1
    try:
        document = load(content)
    except Unreadable as error:
        sys.stderr.write(f"{error}\n")
        return 1
    problems = structural_problems(document)
    if problems:
        sys.stderr.write("\n".join(problems) + "\n")
        return 1
    case_id = document["case_id"] if isinstance(document, dict) else ""
    # The id comes from a file: nothing in it may drive a terminal or miss in its character set.
    sys.stdout.write(f"valid replay fixture: {ascii(case_id)[1:-1]}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
