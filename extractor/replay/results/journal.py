"""The report of a test run: a line for each start and end while it runs, one document when it is over.

A process that dies leaves the lines, so that a run which began and did not end is seen; the document of an earlier run is
removed first, so that an old green is never taken for a new one.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from extractor.model.json import JsonValue

from .manifest import Manifest

REPORT_VERSION = "1"


class Journal:
    """Collects the manifests of one run, from several processes at once, into ``file``."""

    def __init__(self, file: Path, *, fresh: bool) -> None:
        self._file = file
        self._lines = file.with_name(file.name + ".running")
        if fresh:
            file.parent.mkdir(parents=True, exist_ok=True)
            for stale in (file, self._lines):
                stale.unlink(missing_ok=True)

    def write(self, test: str, manifest: Manifest) -> None:
        """Append what is known of one test now."""
        line = json.dumps({"test": test, "manifest": manifest.members()}, ensure_ascii=False) + "\n"
        # One write to a file opened for appending: lines of several processes do not mix.
        descriptor = os.open(self._lines, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8", "backslashreplace"))  # half a surrogate pair, as JSON escapes it
        finally:
            os.close(descriptor)

    def close(self, ended: Mapping[str, tuple[str, Mapping[str, JsonValue]]]) -> None:
        """Write the document: the tests that ended, by name, then those that began and did not."""
        cases: list[JsonValue] = [
            {"test": test, "outcome": outcome, "manifest": dict(manifest)}
            for test, (outcome, manifest) in sorted(ended.items())
        ]
        cases += [
            {"test": test, "outcome": "did not end", "manifest": manifest}
            for test, manifest in sorted(self._begun().items())
            if test not in ended
        ]
        report = {"report_version": REPORT_VERSION, "summary": by_lane(cases), "cases": cases}
        self._replace(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
        self._lines.unlink(missing_ok=True)

    def _begun(self) -> dict[str, JsonValue]:
        try:
            lines = self._lines.read_text("utf-8").splitlines()
        except OSError:
            return {}
        return {told["test"]: told["manifest"] for told in map(json.loads, lines)}

    def _replace(self, text: str) -> None:
        descriptor, name = tempfile.mkstemp(dir=self._file.parent, prefix=f".{self._file.name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        Path(name).replace(self._file)


def by_lane(cases: Iterable[JsonValue]) -> dict[str, dict[str, int]]:
    """Count outcomes and labels by lane: a failing lane never hides in another's numbers."""
    lanes: dict[str, Counter[str]] = {}
    for lane, ending in _endings(cases):
        lanes.setdefault(lane, Counter())[ending] += 1
    return {lane: dict(sorted(counts.items())) for lane, counts in sorted(lanes.items())}


def _endings(cases: Iterable[JsonValue]) -> Iterator[tuple[str, str]]:
    for case in cases:
        if isinstance(case, dict) and isinstance(case["manifest"], dict):
            manifest = case["manifest"]
            yield str(manifest.get("lane")), str(manifest.get("label") or case["outcome"])
