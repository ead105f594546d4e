"""The proof report: what was proved of a case, what was not, and the command that would settle each open point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from extractor.model.json import JsonValue
from extractor.write import REVIEW, ROTATE, Notices

from .view import CaseView, Members, figure, items, members, text

_SHOWN = 24
_ADVICE = {
    "ambiguous": "--treat '{path}=name' or --treat '{path}=word'",
    "language_not_covered": "[nlp] with a model of that language, or a reviewer who reads it",
}
_OTHERWISE = "--rules DIR or [deny] with what it is; else a reviewer accepts it"


def report(view: CaseView, case: Path) -> Iterator[tuple[str, str]]:
    """Yield labelled lines about a case that has a sidecar: classes, counts, places and digests, never a value."""
    predicate = view.predicate
    if not predicate:
        yield "proved", "unknown: there is no provenance.json beside the fixture"
        return
    yield from _leaks(members(predicate.get("leaks")))
    yield from _relations(members(predicate.get("relations")))
    yield "structure", "only identifier text differs: same tree, member order, types, numbers and nulls"
    yield from _replaced(members(predicate.get("redaction")))
    yield from _noticed(view)
    yield from _residual(items(predicate.get("residual")), case)
    yield from _origin(predicate)


def _leaks(leaks: Members) -> Iterator[tuple[str, str]]:
    yield "leaks", f"{text(leaks.get('found'))}: {_standing(leaks.get('known_values'))} in no file"
    yield from _lines(f"{text(each.get('entity'))} {text(each.get('values'))}" for each in items(leaks.get("entities")))


def _standing(number: JsonValue) -> str:
    return f"{figure(number, 'known value')} {'stands' if number == 1 else 'stand'}"


def _relations(relations: Members) -> Iterator[tuple[str, str]]:
    kept, all_ = text(relations.get("preserved")), figure(relations.get("occurrences"), "occurrence")
    yield "relations", f"preserved in {kept} of {all_} of {figure(relations.get('classes'), 'value')}"
    yield from _lines(
        f"{text(each.get('entity'))} {text(each.get('values'))} in "
        f"{text(each.get('preserved'))} of {text(each.get('occurrences'))}"
        for each in items(relations.get("entities"))
    )


def _replaced(redaction: Members) -> Iterator[tuple[str, str]]:
    yield (
        "replaced",
        f"{figure(redaction.get('values'), 'identifier')}, {figure(redaction.get('occurrences'), 'occurrence')}",
    )
    for each in items(redaction.get("classes")):
        rules = ", ".join(f"{name} {text(count)}" for name, count in members(each.get("rules")).items())
        yield "", f"{text(each.get('entity'))} {text(each.get('values'))}: by {rules}"


def _noticed(view: CaseView) -> Iterator[tuple[str, str]]:
    notices = Notices.standing(view.predicate)
    secrets, flags = notices.secret_lines(view.fixture), notices.flag_lines(view.fixture)
    yield from (("secret", f"{line}; {ROTATE}") for line in secrets)
    yield from (("flagged", f"{line}; {REVIEW}") for line in flags)
    if not secrets:
        yield "secrets", "none was found"
    if not flags:
        yield "flags", "none"


def _residual(residual: Sequence[Members], case: Path) -> Iterator[tuple[str, str]]:
    if not residual:
        yield "residual", "0"
        return
    yield "residual", f"{len(residual)}, the most suspicious first, at [start, end) of {case / 'fixture.json'}"
    for number, each in enumerate(residual[:_SHOWN], start=1):
        path, code = text(each.get("path")), text(each.get("code"))
        times = f", {text(each.get('count'))} times" if each.get("count") != 1 else ""
        yield "", f"{number}. {code}: {path} [{text(each.get('start'))}, {text(each.get('end'))}){times}"
        yield "", f"   settle, extracting again with --replace: {_ADVICE.get(code, _OTHERWISE).format(path=path)}"
    if len(residual) > _SHOWN:
        yield "", f"and {len(residual) - _SHOWN} more: extract-fixture show --json"


def _origin(predicate: Members) -> Iterator[tuple[str, str]]:
    redaction, versions = members(predicate.get("redaction")), members(predicate.get("versions"))
    overrides = members(predicate.get("overrides"))
    taken = f", taken over from {text(redaction.get('scope_of'))}" if redaction.get("scope_of") else ""
    yield "scope", f"{text(redaction.get('scope'))}{taken}; key {text(redaction.get('key_id'))}"
    yield "rules", f"sha256 {text(members(predicate.get('rules')).get('sha256'))}"
    for model in items(versions.get("models")):
        pinned = f"pinned by {text(model.get('pinned'))}"
        yield "model", f"{text(model.get('name'))} {text(model.get('version'))}, {pinned}, {text(model.get('sha256'))}"
    yield "tool", f"extract-fixture {text(versions.get('tool'))}, schema {text(versions.get('schema'))}"
    for path, treatment in members(overrides.get("treat")).items():
        yield "treated", f"{path} as a {text(treatment)}"


def _lines(parts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield short parts, some to a line."""
    listed = list(parts)
    for start in range(0, len(listed), 5):
        yield "", ", ".join(listed[start : start + 5])
