"""README.md of a case: what happened and what is expected, in two paragraphs, from the redacted document alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..model.case import Document
from ..model.json import JsonValue
from ._markdown import code
from ._notices import REVIEW, ROTATE, Notices
from ._synthetic import made_up

_MOST = 8
_NOTHING = Notices()
_MINIMISED = (
    "Minimised: what one command did not need to stay red was taken away; what is absent here may stand in the trace."
)
_NEXT = {
    "incomplete": "extract-fixture annotate . --failure … --prohibit … --evidence-needed … --boundary …",
    "non_replayable": "extract-fixture show . --missing",
    "in review": "extract-fixture validate .",
}


def render_readme(
    document: Document,
    *,
    replayable: bool,
    notices: Notices = _NOTHING,
    minimised: bool = False,
    control: JsonValue = None,
) -> bytes:
    """Return the README's bytes: headings, state, two paragraphs, the next command. UTF-8, LF, deterministic.

    It says the state in which extraction leaves the case; what happens later stands in history.jsonl. All text of the
    incident stands in code spans, so that nothing in it is markup. ``notices`` come first among what is next. Of a
    ``minimised`` case it says that evidence was taken away; of a ``control``, by that member of its sidecar, that it is
    synthetic, and by which rule it was made.
    """
    state = _state(document, replayable=replayable)
    here = "case" if minimised or control else "trace"
    return "\n".join(
        [
            f"# {document.get('case_id')}",
            "",
            f"State when written: quarantine, {state.replace('_', '-')}.",
            "Pseudonymised, never anonymous: identifiers were replaced; the story itself may still point to somebody.",
            *([_MINIMISED] if minimised else []),
            *_control(document, control),
            "",
            "## What happens" if control else "## What happened",
            "",
            " ".join([_scene(document), _asked(document, here), _attempts(document, here), _answer(document)]),
            "",
            "## What is expected",
            "",
            " ".join([*_statement(document), *_demands(document), _missing(document)]),
            "",
            *_told(notices, document),
            "## Next, in this folder",
            "",
            f"    {_NEXT[state]}",
            "",
        ]
    ).encode("utf-8")


def _control(document: Document, control: JsonValue) -> list[str]:
    if not isinstance(control, dict):
        return []
    owner, rule = code(document.get("control_of")), code(control.get("rule"))
    return [f"Synthetic: a control beside {owner} that never happened. Rule: {rule}."]


def _told(notices: Notices, document: Document) -> list[str]:
    secrets = [f"- A secret stood there: {line}; {ROTATE}." for line in notices.secret_lines(document, code)]
    flags = [f"- Flagged: {line}; {REVIEW}." for line in notices.flag_lines(document, code)]
    return ["## Before anybody shares it", "", *secrets, *flags, ""] if secrets or flags else []


def _state(document: Document, *, replayable: bool) -> str:
    if not replayable:
        return "non_replayable"
    return "in review" if _member(document, "expected", "prohibited_claims") else "incomplete"


def _scene(document: Document) -> str:
    service = _member(document, "deployment", "service")
    version = _member(document, "deployment", "version")
    where = f" in {code(service)}" if service else ""
    where += f" version {code(version)}" if version else ""
    workflow = document.get("workflow_version")
    where += f", workflow {code(workflow)}" if workflow else ""
    return f"The {'decision falls' if document.get('control_of') else 'failure shows'} at {code(document.get('frozen_at'))}{where}."


def _asked(document: Document, here: str) -> str:
    texts = [
        text
        for message in _items(_member(document, "input", "messages"))
        if _member(message, "role") == "user"
        for part in _items(_member(message, "parts"))
        if (text := _member(part, "text"))
    ]
    if not texts:
        return f"The {here} holds no words of the user."
    more = f" (the last of {len(texts)} texts)" if len(texts) > 1 else ""
    return f"The user said {code(texts[-1])}{more}."


def _attempts(document: Document, here: str) -> str:
    events = _items(document.get("tool_events"))
    if not events:
        return "No tool was called." if here == "trace" else "The case holds no call of a tool."
    tools = {str(_member(event, "tool")) for event in events}
    told = [_attempt(event) for event in events[:_MOST]]
    if len(events) > _MOST:
        told.append(f"and {len(events) - _MOST} more")
    effects = Counter(str(_member(event, "side_effect")) for event in events)
    counted = ", ".join(f"{count} {effect.replace('_', ' ')}" for effect, count in sorted(effects.items()))
    return (
        f"{_count(len(events), 'attempt')} of {_count(len(tools), 'tool')}: {'; '.join(told)}. Side effects: {counted}."
    )


def _attempt(event: JsonValue) -> str:
    said = f"{_member(event, 'attempt')} {code(_member(event, 'tool'))}"
    if _member(event, "role") == "violation":
        said += " (the recorded harm)"
    if _member(event, "outcome", "type") == "error":
        kind, ended_by = _member(event, "outcome", "error_type"), _member(event, "outcome", "ended_by")
        said += " failed"
        said += f" with {code(kind)}" if kind else ""
        return f"{said}, ended by {str(ended_by).replace('_', ' ')}" if ended_by else said
    return f"{said} returned a result"


def _answer(document: Document) -> str:
    output = document.get("final_output")
    return "No final answer was recorded." if output is None else f"The final answer was {code(output)}."


def _statement(document: Document) -> list[str]:
    statement = _member(document, "expected", "failure_statement")
    claims = _items(_member(document, "expected", "prohibited_claims"))
    names = {"trigger": "Trigger", "prohibited": "Prohibited", "evidence_needed": "Evidence needed"}
    said = [
        f"{title}: {code(text)}."
        for name, title in names.items()
        # What is prohibited is mostly the claims themselves, and these follow.
        if (text := _member(statement, name)) and text != "; ".join(str(claim) for claim in claims)
    ]
    return said or ([] if claims else ["Nobody has said yet what failed."])


def _demands(document: Document) -> list[str]:
    said = []
    for member, verb in (("prohibited_claims", "must not claim"), ("required_behaviours", "must do")):
        texts = _items(_member(document, "expected", member))
        if texts:
            said.append(f"The product {verb}: {_listed([code(text) for text in texts])}.")
    disclosures = _items(_member(document, "expected", "required_disclosures"))
    for exact, how in ((False, ""), (True, ", in these very words")):
        wanted = [code(_member(item, "text")) for item in disclosures if (_member(item, "exact") is True) is exact]
        if wanted:
            said.append(f"It must say{how}: {_listed(wanted)}.")
    effects = _member(document, "expected", "effects")
    if isinstance(effects, dict) and effects:
        bounds = [f"{code(tool)} {_bounds(bound)}" for tool, bound in effects.items()]
        said.append(f"Accepted side effects: {_listed(bounds)}.")
    decision = _member(document, "expected", "authorization", "decision")
    if decision:
        said.append(f"No side effect before the decision {code(decision)}.")
    return [*said, *_judged(document)]


def _judged(document: Document) -> list[str]:
    """Return what a replay judges by the words and calls of a run, and what answers calls that nobody recorded."""
    said = []
    if claims := _items(_member(document, "expected", "claims", "prohibit")):
        unless = _items(_member(document, "expected", "claims", "unless"))
        but = f", unless it says {_listed([code(text) for text in unless])}" if unless else ""
        said.append(f"The final output must not say {_listed([code(text) for text in claims])}{but}.")
    if action := _member(document, "expected", "action"):
        said.append(f"It must call {code(action)}.")
    if decision := _member(document, "expected", "policy_decision"):
        said.append(f"The policy must decide {code(decision)}.")
    if check := _member(document, "expected", "boundary", "check"):
        said.append(f"The check {code(check)} decides.")
    if answers := made_up(document):
        said.append(f"{code('alternates[]')} holds {answers}.")
    return said


def _bounds(bound: JsonValue) -> str:
    least, most = _member(bound, "min"), _member(bound, "max")
    if most is None:
        return f"at least {least}"
    return f"exactly {least}" if least == most else f"{least} to {most}"


def _missing(document: Document) -> str:
    entries = _items(document.get("missing_evidence"))
    if not entries:
        return "No evidence is known to be missing."
    told = [f"{code(_member(entry, 'field'))} ({_member(entry, 'code')})" for entry in entries]
    return f"Missing evidence: {_listed(told)}."


def _listed(texts: Sequence[str]) -> str:
    shown = list(texts[:_MOST])
    if len(texts) > _MOST:
        shown.append(f"and {len(texts) - _MOST} more")
    return "; ".join(shown)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _member(value: JsonValue, *names: str) -> JsonValue:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _items(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
