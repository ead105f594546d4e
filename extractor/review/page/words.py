"""What codes of ours mean, in the words of somebody who is no engineer."""

from __future__ import annotations

from typing import Final

ENDED: Final = {
    "response": "answered",
    "remote_timeout": "timed out: the dependency had the request and did not answer in time",
    "local_deadline": "given up on our side: our own deadline passed first",
    "caller_cancelled": "cancelled by the caller",
    "connection_error": "the connection failed",
    "late_response": "answered too late: the caller had already given up",
    "undetermined": "it cannot be told how this ended",
}

EFFECT: Final = {
    "none": "changed nothing",
    "accepted": "took effect",
    "rejected": "was refused, nothing changed",
    "unknown": "may have taken effect: nothing shows it",
}

RESIDUAL: Final = {
    "ambiguous": "a known name here, and an ordinary word elsewhere",
    "name_like": "looks like a name",
    "language_not_covered": "written in a script that the language model does not read",
    "code": "looks like a code or a number of something",
    "number": "a number that nothing explains",
    "word": "a word that nothing explains",
}

KEPT: Final = {
    "boundary": "this is where the failure shows",
    "path": "on the way from the start of the trace to the failure",
    "value_flow": "it produced something that the failure used",
    "requested": "the model turn that asked for a call",
    "heard": "a model turn that heard of it",
    "attempt": "another try of the same call",
    "same_resource": "it touched the same thing",
    "receipt": "the dependency's own side of a call",
    "budget": "it set the time that was left",
    "cancellation": "it cancelled what was running",
    "user_words": "it holds what the user said",
    "authorization": "it says what was allowed",
    "clock": "it holds a clock that was read",
    "version": "it names a version in force",
    "content_unknown": "its content was not recorded, so it cannot be judged",
    "side_effect": "it changed something outside",
    "consequence": "it followed from the failure",
    "effect_shown": "it shows what a change made",
    "gathered": "what a figure in an answer had to go by",
    "announced": "the model turn that told what it would do",
    "handoff": "the conversation was handed over here",
    "same_turn": "a call of the same turn: whoever runs it again meets it",
    "override_keep": "somebody asked for it with --keep",
}

DROPPED: Final = {
    "transport": "plumbing: nothing that anybody said or did",
    "after_boundary": "after the failure, and not caused by it",
    "override_drop": "somebody left it out with --drop",
    "minimised": "taken away: the failure shows without it",
    "not_in_control": "the control's own outcome takes its place",
    "unrelated": "neither speech nor a call",
    "repeated_history": "repeats what is kept elsewhere",
    "no_flow": "nothing in the failure came from it",
}

BOUNDARY: Final = {
    "at_option": "somebody named the place where the failure shows",
    "failure_statement": "the failure statement points to where the failure shows",
    "grader": "a grade points to where the failure shows",
    "uncured_error": "the failure shows at the first error that no later attempt cured",
    "last_answer": "no error stands out, so the last answer is taken for where the failure shows",
}

FLAGS: Final = {
    "medical": "medical text",
    "code": "source code",
    "credential": "a credential",
    "self_identifying": "words by which the speaker may be known",
}


def plain(code: str) -> str:
    """Return a code without its underscores."""
    return code.replace("_", " ")


def instant(milliseconds: object) -> str:
    """Return a time of a case, which counts from its start: ``1.6 s``, ``340 ms``."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return ""
    if abs(milliseconds) < 1_000:
        return f"{round(milliseconds)} ms"
    return f"{milliseconds / 1_000:.1f} s"
