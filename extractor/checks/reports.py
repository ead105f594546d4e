"""What came of a suite, as JSON, as JUnit's XML and as Markdown for a pull request."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from extractor.model.json import JsonValue

from .drift import Finding
from .pairs import FEW, Pair
from .suite import Report
from .verdicts import Judgement

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")
_MOST = 50


def members(report: Report) -> dict[str, JsonValue]:
    """Return a report as JSON: ``fixtures``, ``pairs``, ``without_twin``, ``without_expectation``, ``retired``, ``checks``."""
    return {
        "held": report.held,
        "fixtures": [_fixture(each) for each in report.judgements],
        "pairs": [
            {"reject": each.reject, "accept": each.accept, "differing": [*each.differing], "near": each.near}
            for each in report.pairs
        ],
        "without_twin": [*report.without_twin],
        "without_expectation": report.without_expectation,
        "retired": report.retired,
        "checks": {check: {"median_us": round(seconds * 1e6, 1)} for check, seconds in report.seconds.items()},
    }


def _fixture(judgement: Judgement) -> dict[str, JsonValue]:
    result = judgement.result
    return {
        "name": judgement.name,
        "expected": judgement.expected,
        "by": judgement.by,
        "reason": judgement.reason,
        "held": judgement.held,
        "faults": [*judgement.faults],
        "passed": result.passed if result else None,
        "failed_check": result.failed_check if result else None,
        "rejected_for": result.reason if result else None,
        "path": result.path if result else None,
        "proof": judgement.proof,
        "twin": judgement.twin,
        "unreadable": judgement.unreadable,
    }


def nearness(pair: Pair) -> str:
    """Return in words how near a pair is, with the fields in which it differs."""
    if not pair.differing:
        return "the two do not differ at all: no check can tell them apart"
    shown = ", ".join(pair.differing[:FEW])
    more = len(pair.differing) - FEW
    told = f"{len(pair.differing)} fields differ: {shown}{f' and {more} more' if more > 0 else ''}"
    return told if pair.near else f"{told}; a check keyed on any of them fits this pair"


def junit(report: Report, drifted: Sequence[Finding] = ()) -> str:
    """Return JUnit's XML: one test a fixture; one that cannot be read is an error, one that does not hold a failure.

    Each finding of ``drifted`` is a failed test of its own, of the class ``tools``.
    """
    errors = sum(each.unreadable for each in report.judgements)
    failures = sum(not each.held for each in report.judgements) - errors + len(drifted)
    counts = f'tests="{len(report.judgements) + len(drifted)}" failures="{failures}" errors="{errors}"'
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<testsuite name="extract-fixture check" {counts}>']
    for each in report.judgements:
        seconds = sum(said.seconds for said in each.result.outcomes) if each.result else 0.0
        start = f'  <testcase classname="fixtures" name={_attribute(each.name)} time="{seconds:.6f}"'
        if each.held:
            lines.append(f"{start}/>")
            continue
        kind = "error" if each.unreadable else "failure"
        lines += [f"{start}>", f"    <{kind} message={_attribute('; '.join(each.faults))}/>", "  </testcase>"]
    for finding in drifted:
        start = f'  <testcase classname="tools" name={_attribute(f"{finding.case}: {finding.path}")} time="0"'
        lines += [f"{start}>", f"    <failure message={_attribute(finding.told())}/>", "  </testcase>"]
    return "\n".join([*lines, "</testsuite>", ""])


def markdown(report: Report, ending: Sequence[str], drifted: Sequence[Finding] = ()) -> str:
    """Return a short summary for a pull request: what does not hold or has drifted, pairs that are not near, what is claimed."""
    failing = [each for each in report.judgements if not each.held]
    held = len(report.judgements) - len(failing)
    lines = ["### Checks", "", f"{held} of {len(report.judgements)} fixtures hold.", ""]
    if failing:
        lines += ["| fixture | what does not hold |", "|---|---|"]
        lines += [f"| {_escaped(each.name)} | {_escaped('; '.join(each.faults))} |" for each in failing[:_MOST]]
        lines += [f"| and {len(failing) - _MOST} more | |"] if len(failing) > _MOST else []
        lines.append("")
    if drifted:
        lines += ["| case | what the product no longer has |", "|---|---|"]
        lines += [f"| {_escaped(each.case)} | {_escaped(each.told())} |" for each in drifted[:_MOST]]
        lines += [f"| and {len(drifted) - _MOST} more | |"] if len(drifted) > _MOST else []
        lines.append("")
    far = [pair for pair in report.pairs if not pair.near]
    lines += [
        f"- {_escaped(pair.reject)} and {_escaped(pair.accept)}: {_escaped(nearness(pair))}" for pair in far[:_MOST]
    ]
    lines += [f"- without a twin: {_escaped(', '.join(report.without_twin[:_MOST]))}"] if report.without_twin else []
    lines += ["", *(f"- {line}" for line in ending), ""]
    return "\n".join(lines)


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("�", _plain(text)))


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", _plain(" ".join(text.split()))).replace("&", "&amp;")


def _plain(text: str) -> str:
    """Return a text without controls of a terminal, or marks that turn the direction of what follows."""
    return "".join(char if unicodedata.category(char)[0] != "C" or char in "\t\n\r" else "�" for char in text)
