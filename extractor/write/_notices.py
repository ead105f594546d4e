"""What a case must tell people of secrets and of sensitive text, as the sidecar holds it and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..model.case import RedactedCase
from ..model.json import JsonValue, compact

_MOST = 6
_NAMES = {
    "medical": "medical text",
    "code": "source code",
    "credential": "a credential",
    "self_identifying": "words by which the speaker may be known",
}
ROTATE = "rotate it: a case is not containment"
REVIEW = "a reviewer accepts it, or chooses a structural case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """``secrets`` and ``flags`` as the sidecar has them: kinds, rules, steps and counts, never a value."""

    secrets: Sequence[JsonValue] = field(default_factory=tuple)
    flags: Sequence[JsonValue] = field(default_factory=tuple)

    @classmethod
    def of(cls, redacted: RedactedCase) -> Notices:
        """Return what redaction found."""
        return cls(
            secrets=tuple(
                {"kind": each.kind, "rule": each.rule, "steps": list(each.steps), "spans": list(each.spans)}
                for each in redacted.secrets
            ),
            flags=tuple({"category": each.category, "step": each.step, "count": each.count} for each in redacted.flags),
        )

    @classmethod
    def standing(cls, predicate: Mapping[str, JsonValue]) -> Notices:
        """Return what a sidecar's predicate says; nothing where it says nothing."""
        redaction, flags = predicate.get("redaction"), predicate.get("flags")
        secrets = redaction.get("secrets") if isinstance(redaction, dict) else None
        return cls(
            secrets=tuple(secrets) if isinstance(secrets, list) else (),
            flags=tuple(flags) if isinstance(flags, list) else (),
        )

    def and_more(self, other: Notices) -> Notices:
        """Return these and what of the other ones is new."""
        return Notices(
            secrets=(*self.secrets, *(one for one in other.secrets if one not in self.secrets)),
            flags=(*self.flags, *(one for one in other.flags if one not in self.flags)),
        )

    def secret_lines(self, document: Mapping[str, JsonValue], code: Callable[[JsonValue], str] = str) -> list[str]:
        """Return a line for each kind of credential and rule: where in the case it stood, or that it stood outside.

        ``code`` spells what comes from the case, as a README must.
        """
        lines = []
        kinds = dict.fromkeys((_text(one, "kind"), _text(one, "rule")) for one in self.secrets)
        for kind, rule in kinds:
            alike = [one for one in self.secrets if (_text(one, "kind"), _text(one, "rule")) == (kind, rule)]
            number = f"{len(alike)} × " if len(alike) > 1 else ""
            steps = dict.fromkeys(step for one in alike for step in _texts(one, "steps"))
            where = f" in {_listed([_named(step, document, code) for step in steps])}" if steps else ""
            outside = [one for one in alike if not _texts(one, "steps")]
            if outside:
                spans = len(dict.fromkeys(span for one in outside for span in _texts(one, "spans")))
                where += f"{', and' if where else ''} outside the case ({spans} {'span' if spans == 1 else 'spans'})"
            lines.append(f"{number}{kind} (rule {rule}){where}")
        return lines

    def flag_lines(self, document: Mapping[str, JsonValue], code: Callable[[JsonValue], str] = str) -> list[str]:
        """Return a line for each category: which steps show it."""
        lines = []
        for category in dict.fromkeys(_text(flag, "category") for flag in self.flags):
            steps = [_text(flag, "step") for flag in self.flags if _text(flag, "category") == category]
            where = [_named(step, document, code) for step in dict.fromkeys(steps)]
            lines.append(f"{_NAMES.get(category, category.replace('_', ' '))} in {_listed(where)}")
        return lines


def _named(step: str, document: Mapping[str, JsonValue], code: Callable[[JsonValue], str]) -> str:
    """Return a step with the tool that it called."""
    events = document.get("tool_events")
    for index, event in enumerate(events if isinstance(events, list) else ()):
        if step == f"tool_events[{index}]" and isinstance(event, dict) and event.get("tool"):
            return f"{code(step)} ({code(event.get('tool'))})"
    return code(step)


def _listed(texts: Sequence[str]) -> str:
    shown = list(texts[:_MOST])
    if len(texts) > _MOST:
        shown.append(f"{len(texts) - _MOST} more")
    return ", ".join(shown)


def _text(entry: JsonValue, name: str) -> str:
    value = entry.get(name) if isinstance(entry, dict) else None
    return value if isinstance(value, str) else ""


def _texts(entry: JsonValue, name: str) -> list[str]:
    value = entry.get(name) if isinstance(entry, dict) else None
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def graded(predicate: Mapping[str, JsonValue]) -> str:
    """Return the grade in the trace that says that this failed: who gave it, and what it says; empty without one (S20)."""
    told = predicate.get("grader")
    if not isinstance(told, dict):
        return ""
    given = " ".join(each for name in ("name", "version") if isinstance(each := told.get(name), str) and each)
    result = told.get("result")
    return f"{given or 'without a name'}: {result if isinstance(result, str) else compact(result)}"
