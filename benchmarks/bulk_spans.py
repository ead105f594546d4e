"""Spans of a conversation as three instrumentations write them; every call of a model carries all that was said before."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from bulk_talk import Act, Answer, Call, Talk, User

from extractor.model.json import JsonValue

Object = dict[str, JsonValue]
_FIRST_NS = 1_750_000_000_000_000_000
_BETWEEN_NS = 7_000_000_000  # from the start of one conversation to that of the next
_MODEL = "gpt-4o"


class Dialect(Protocol):
    """What an instrumentation calls things. A history is a list of attributes, or of messages in one attribute."""

    scope: str

    def add(self, act: Act) -> None:
        """Take what was said or returned into the history."""

    def model(self, act: Answer | Call) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span of the model that answered or asked."""

    def tool(self, call: Call) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span of the tool."""

    def root(self, talk: Talk) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span above all."""


def spans(talk: Talk, seed: int) -> Iterator[Object]:
    """Yield the spans of a conversation as they end: its root is last."""
    draw = random.Random(f"{seed}:{talk.number}:spans")
    dialect = DIALECTS[talk.service](talk, f"{draw.getrandbits(128):032x}")
    trace_id, root_id = f"{draw.getrandbits(128):032x}", f"{draw.getrandbits(64):016x}"
    begun = now = _FIRST_NS + talk.number * _BETWEEN_NS

    def span(named: tuple[str, list[JsonValue]], kind: int, start: int, *, root: bool = False) -> Object:
        return {
            "traceId": trace_id,
            "spanId": root_id if root else f"{draw.getrandbits(64):016x}",
            "parentSpanId": "" if root else root_id,
            "name": named[0],
            "kind": kind,
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(now),
            "attributes": named[1],
            "status": {},
        }

    for act in talk.acts:
        if isinstance(act, User):
            now += draw.randint(4_000, 60_000) * 1_000_000
            dialect.add(act)
            continue
        start, now = now, now + draw.randint(300, 6_000) * 1_000_000
        yield span(dialect.model(act), 3, start)
        if isinstance(act, Call):
            start, now = now, now + draw.randint(20, 900) * 1_000_000
            made = span(dialect.tool(act), 1, start)
            yield made | _failure(act, now) if act.failed else made
        dialect.add(act)
    yield span(dialect.root(talk), 2, begun, root=True)


def _failure(call: Call, now: int) -> Object:
    exception = _attributes({"exception.type": "ToolError", "exception.message": call.result})
    return {
        "status": {"code": 2, "message": call.result},
        "events": [{"timeUnixNano": str(now), "name": "exception", "attributes": exception}],
    }


def _attributes(members: Mapping[str, str | float]) -> list[JsonValue]:
    return [
        {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}}
        for key, value in members.items()
    ]


def _ends(talk: Talk) -> tuple[str, str]:
    """Return what the customer wrote first and what was said last."""
    texts = [act.text for act in talk.acts if not isinstance(act, Call)]
    return texts[0], texts[-1]


class OpenInference:
    """OpenInference: a family of numbered attributes for each message."""

    scope = "openinference.instrumentation"

    def __init__(self, talk: Talk, session: str) -> None:
        self._session = session
        self._count = 0
        self._history: list[JsonValue] = []
        self._extend({"role": "system", "content": talk.policy})

    def add(self, act: Act) -> None:
        """Take what was said or returned into the history."""
        if isinstance(act, User):
            self._extend({"role": "user", "content": act.text})
            return
        self._extend(self._said(act))
        if isinstance(act, Call):
            self._extend({"role": "tool", "tool_call_id": act.call_id, "content": act.result})

    def model(self, act: Answer | Call) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span of the model that answered or asked."""
        head = {
            "openinference.span.kind": "LLM",
            "llm.model_name": _MODEL,
            "llm.invocation_parameters": '{"temperature": 0.0}',
            "session.id": self._session,
        }
        said = {f"llm.output_messages.0.message.{key}": value for key, value in self._said(act).items()}
        return "ChatCompletion", [*_attributes(head), *self._history, *_attributes(said)]

    def tool(self, call: Call) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span of the tool."""
        told = (
            {"error.type": "ToolError"}
            if call.failed
            else {"output.value": call.result, "output.mime_type": _mime(call.result)}
        )
        members = {
            "openinference.span.kind": "TOOL",
            "tool.name": call.tool,
            "tool.id": call.call_id,
            "input.value": call.arguments,
            "input.mime_type": "application/json",
            **told,
        }
        return call.tool, _attributes(members)

    def root(self, talk: Talk) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span above all."""
        first, last = _ends(talk)
        members = {
            "openinference.span.kind": "AGENT",
            "session.id": self._session,
            "input.value": first,
            "output.value": last,
        }
        return f"invoke_agent {talk.service}", _attributes(
            members | {"user.id": talk.user_id, "eval.reward": talk.reward}
        )

    @staticmethod
    def _said(act: Answer | Call) -> dict[str, str]:
        if isinstance(act, Answer):
            return {"role": "assistant", "content": act.text}
        call = "tool_calls.0.tool_call."
        return {
            "role": "assistant",
            f"{call}id": act.call_id,
            f"{call}function.name": act.tool,
            f"{call}function.arguments": act.arguments,
        }

    def _extend(self, members: Mapping[str, str]) -> None:
        self._history += _attributes(
            {f"llm.input_messages.{self._count}.message.{key}": value for key, value in members.items()}
        )
        self._count += 1


class OpenLLMetry:
    """OpenLLMetry before 0.55: numbered prompts and completions, tools as decorated functions."""

    scope = "opentelemetry.instrumentation.openai.v1"

    def __init__(self, talk: Talk, session: str) -> None:
        self._common = {"traceloop.workflow.name": talk.service, "traceloop.association.properties.session_id": session}
        self._count = 0
        self._history: list[JsonValue] = []
        self._extend({"role": "system", "content": talk.policy})

    def add(self, act: Act) -> None:
        """Take what was said or returned into the history."""
        if isinstance(act, User):
            self._extend({"role": "user", "content": act.text})
            return
        self._extend(self._said(act))
        if isinstance(act, Call):
            self._extend({"role": "tool", "tool_call_id": act.call_id, "content": act.result})

    def model(self, act: Answer | Call) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span of the model that answered or asked."""
        head = {"llm.request.type": "chat", "gen_ai.system": "OpenAI", "gen_ai.request.model": _MODEL, **self._common}
        said = {f"gen_ai.completion.0.{key}": value for key, value in self._said(act).items()}
        said["gen_ai.completion.0.finish_reason"] = "stop" if isinstance(act, Answer) else "tool_calls"
        return "openai.chat", [*_attributes(head), *self._history, *_attributes(said)]

    def tool(self, call: Call) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span of the tool."""
        told = {"error.type": "ToolError"} if call.failed else {"traceloop.entity.output": call.result}
        members = {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": call.tool,
            "traceloop.entity.input": f'{{"args": [], "kwargs": {call.arguments}}}',
            **self._common,
            **told,
        }
        return f"{call.tool}.tool", _attributes(members)

    def root(self, talk: Talk) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span above all."""
        first, last = _ends(talk)
        members = {
            "traceloop.span.kind": "workflow",
            "traceloop.entity.name": talk.service,
            "traceloop.entity.input": json.dumps({"args": [], "kwargs": {"message": first}}, ensure_ascii=False),
            "traceloop.entity.output": json.dumps(last, ensure_ascii=False),
            "traceloop.association.properties.user_id": talk.user_id,
            **self._common,
        }
        return f"{talk.service}.workflow", _attributes(members)

    @staticmethod
    def _said(act: Answer | Call) -> dict[str, str]:
        if isinstance(act, Answer):
            return {"role": "assistant", "content": act.text}
        call = "tool_calls.0."
        return {
            "role": "assistant",
            f"{call}id": act.call_id,
            f"{call}name": act.tool,
            f"{call}arguments": act.arguments,
        }

    def _extend(self, members: Mapping[str, str]) -> None:
        self._history += _attributes({f"gen_ai.prompt.{self._count}.{key}": value for key, value in members.items()})
        self._count += 1


class GenAi:
    """The semantic conventions of OpenTelemetry: the history is one JSON text."""

    scope = "opentelemetry.instrumentation.openai_v2"

    def __init__(self, talk: Talk, session: str) -> None:
        self._session = session
        self._system = json.dumps([{"type": "text", "content": talk.policy}])
        self._history: list[str] = []

    def add(self, act: Act) -> None:
        """Take what was said or returned into the history."""
        if isinstance(act, User):
            self._history.append(_message("user", {"type": "text", "content": act.text}))
            return
        self._history.append(_message("assistant", self._part(act)))
        if isinstance(act, Call):
            self._history.append(
                _message("tool", {"type": "tool_call_response", "id": act.call_id, "response": act.result})
            )

    def model(self, act: Answer | Call) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span of the model that answered or asked."""
        members: dict[str, str | float] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": _MODEL,
            "gen_ai.request.temperature": 0.0,
            "gen_ai.conversation.id": self._session,
            "gen_ai.system_instructions": self._system,
            "gen_ai.input.messages": f"[{', '.join(self._history)}]",
            "gen_ai.output.messages": f"[{_message('assistant', self._part(act))}]",
        }
        return f"chat {_MODEL}", _attributes(members)

    def tool(self, call: Call) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span of the tool."""
        told = {"error.type": "ToolError"} if call.failed else {"gen_ai.tool.call.result": call.result}
        members = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool,
            "gen_ai.tool.call.id": call.call_id,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.arguments": call.arguments,
            **told,
        }
        return f"execute_tool {call.tool}", _attributes(members)

    def root(self, talk: Talk) -> tuple[str, list[JsonValue]]:
        """Return name and attributes of the span above all."""
        members = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": talk.service,
            "gen_ai.conversation.id": self._session,
        }
        return f"invoke_agent {talk.service}", _attributes(
            members | {"enduser.id": talk.user_id, "eval.reward": talk.reward}
        )

    @staticmethod
    def _part(act: Answer | Call) -> Object:
        if isinstance(act, Answer):
            return {"type": "text", "content": act.text}
        return {"type": "tool_call", "id": act.call_id, "name": act.tool, "arguments": json.loads(act.arguments)}


def _message(role: str, part: Object) -> str:
    return json.dumps({"role": role, "parts": [part]})


def _mime(text: str) -> str:
    return "application/json" if text[:1] in ("{", "[") else "text/plain"


DIALECTS: Mapping[str, Callable[[Talk, str], Dialect]] = {
    "airline": OpenInference,
    "retail": GenAi,
    "telecom": OpenLLMetry,
}


def request(service: str, batch: Sequence[Object]) -> Object:
    """Return what a collector writes for spans of one service, without the braces around all services."""
    resource = {"service.name": f"{service}-agent", "service.version": "2.3.0", "host.name": f"{service}-7f9c.internal"}
    scope: Object = {"name": SCOPES[service], "version": "0.9"}
    return {"resource": {"attributes": _attributes(resource)}, "scopeSpans": [{"scope": scope, "spans": [*batch]}]}


SCOPES = {"airline": OpenInference.scope, "retail": GenAi.scope, "telecom": OpenLLMetry.scope}
