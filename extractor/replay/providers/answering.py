"""A request in, the recorded answer out, in the provider's own bytes; whatever is no model call is blocked and told."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from urllib.parse import parse_qs

from ..exchange import AnswerModel
from ..faults import LiveCall, NothingRecorded, ReplayFault
from .call import Call, Reply
from .dialects import Dialect, recognise
from .wire import Inexpressible, Made, encoded

_CURE = (
    "make the call inside a tool that the session scripts (call_tool), or behind a function that the test replaces; "
    "a replay never sends it"
)
_MODELS_CURE = (
    "no case records what a provider lists or counts: name the model and its limits in the agent's settings, or put the "
    "call behind a function that the test replaces"
)
_ABOUT_MODELS = ("/models", "/count_tokens", "/input_tokens", ":countTokens", ":computeTokens")


def serving(answer: AnswerModel, report: Callable[[ReplayFault], None], *, instant: int) -> Callable[[Call], Reply]:
    """Return what answers the requests of one session; thread-safe. ``instant`` is the time that answers bear, in seconds."""
    numbers = itertools.count(1)

    def serve(call: Call) -> Reply:
        known = recognise(call)
        if known is None:
            raise blocked(call, report)
        dialect, asked = known
        request = dialect.read(asked, call.path)
        said = answer(request)
        made = Made(answer=said, request=request, asked=asked, number=next(numbers), instant=instant)
        try:
            return _reply(dialect, made, call)
        except Inexpressible as error:
            fault = NothingRecorded(
                f"the recorded answer cannot be said in the format of {dialect.name}: it holds {error}",
                code="not_in_format",
                called=call.name,
                cure="replay this agent at a seam of its own (call_llm), where an answer needs no provider's format",
            )
            report(fault)
            raise fault from None

    return serve


def blocked(call: Call, report: Callable[[ReplayFault], None]) -> LiveCall:
    """Report a request that no recording answers, and return the fault to raise."""
    last = call.path.rstrip("/")
    about_models = last.endswith(_ABOUT_MODELS) or ("/models/" in last and call.method.upper() == "GET")
    fault = LiveCall(
        f"{call.name} is no model call that a recording answers; it was not sent",
        code="http_request",
        called=call.name,
        cure=_MODELS_CURE if about_models else _CURE,
    )
    report(fault)
    return fault


def _reply(dialect: Dialect, made: Made, call: Call) -> Reply:
    if not made.request.stream:
        return Reply(content_type="application/json", chunks=(encoded(dialect.whole(made)),))
    if dialect.listed is not None and parse_qs(call.query).get("alt") != ["sse"]:
        return Reply(content_type="application/json", chunks=tuple(dialect.listed(made)))
    return Reply(content_type="text/event-stream; charset=utf-8", chunks=tuple(dialect.stream(made)))
