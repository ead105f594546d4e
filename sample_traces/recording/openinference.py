"""Spans in OpenInference's conventions: flattened messages, values with MIME types, context on every span."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from opentelemetry.trace import Span, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from sample_traces.agents import Arguments, CallModel, CallTool, JsonValue, Message, Part

from .telemetry import Article, Telemetry, tokens
from .world import Flat, span


class OpenInference(Telemetry):
    """``openinference.span.kind`` and friends, as its instrumentations for Python write them."""

    @contextmanager
    def agent(self, answers: list[str]) -> Iterator[None]:
        with self._span("AGENT", self.deployment.agent, _text("input", self.request.text)) as opened:
            yield
            opened.set_attributes(_text("output", answers[-1]))

    def chat(self, call_model: CallModel, instructions: str, messages: Sequence[Message]) -> Message:
        parameters = {"model": self.deployment.model, **self.deployment.parameters}
        system: dict[str, JsonValue] = {"role": "system", "content": instructions}
        spoken = [system, *_plain(messages)]
        attributes: Flat = {
            "llm.system": "example-models",
            "llm.model_name": self.deployment.model,
            "llm.invocation_parameters": json.dumps(parameters),
            **_json("input", {"messages": spoken, **parameters}),
            **_flat("llm.input_messages", spoken),
        }
        for index, (name, what) in enumerate(self.deployment.tools.items()):
            schema = {"type": "function", "function": {"name": name, "description": what}}
            attributes[f"llm.tools.{index}.tool.json_schema"] = json.dumps(schema)
        with self._span("LLM", "ChatCompletion", attributes) as opened:
            reply = call_model(instructions, messages)
            said = _plain([reply])
            self.world.wait(420 + 1.7 * len(json.dumps(said)))
            asked, answered = tokens(json.dumps(spoken)), tokens(json.dumps(said))
            opened.set_attributes(
                {
                    "llm.model_name": f"{self.deployment.model}-2026-05",
                    "llm.token_count.prompt": asked,
                    "llm.token_count.completion": answered,
                    "llm.token_count.total": asked + answered,
                    **_json("output", {"choices": [{"index": 0, "message": said[0]}]}),
                    **_flat("llm.output_messages", said),
                }
            )
        return reply

    def execute(self, call_tool: CallTool, tool: str, arguments: Arguments, call_id: str | None) -> JsonValue:
        attributes: Flat = {
            "tool.name": tool,
            "tool.description": self.deployment.tools.get(tool, ""),
            **_json("input", arguments),
        }
        if call_id:
            attributes["tool.id"] = call_id
        with self._span("TOOL", tool, attributes) as opened:
            result = call_tool(tool, arguments)
            opened.set_attributes(_json("output", result))
        return result

    def retrieve(self, query: str, articles: Sequence[Article]) -> None:
        found: Flat = {}
        for index, page in enumerate(articles):
            prefix = f"retrieval.documents.{index}.document"
            found |= {f"{prefix}.id": page.id, f"{prefix}.score": page.score, f"{prefix}.content": page.content}
        with self._span("RETRIEVER", "help-centre", _text("input", query) | found):
            embedded: Flat = {"embedding.model_name": "embed-small", "embedding.embeddings.0.embedding.text": query}
            with self._span("EMBEDDING", "CreateEmbeddings", embedded):
                self.world.wait(31)
            self.world.wait(18)

    @contextmanager
    def _span(self, kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> Iterator[Span]:
        context: Flat = {
            "openinference.span.kind": kind,
            "session.id": self.request.conversation,
            "user.id": self.request.subject,
            "metadata": json.dumps(
                {
                    "tenant": self.request.tenant,
                    "locale": self.request.locale,
                    "time_zone": self.request.time_zone,
                    "workflow_version": self.deployment.workflow_version,
                    "policy_version": self.deployment.policy_version,
                }
            ),
            "tag.tags": ["recovery", "chat"],
            "llm.prompt_template.version": self.deployment.prompt_version,
        }
        with span(self.tracer, name, {**context, **attributes}) as opened:
            yield opened
            opened.set_status(Status(StatusCode.OK))


def _plain(messages: Sequence[Message]) -> list[dict[str, JsonValue]]:
    """Return messages as chat-completion APIs have them: one tool message a result, arguments as JSON text."""
    plain: list[dict[str, JsonValue]] = []
    for message in messages:
        if message["role"] == "tool":
            plain += [
                {"role": "tool", "tool_call_id": part["id"], "content": json.dumps(part["response"])}
                for part in message["parts"]
            ]
            continue
        text = [part["content"] for part in message["parts"] if part["type"] == "text"]
        calls: list[JsonValue] = [_call(part) for part in message["parts"] if part["type"] == "tool_call"]
        entry: dict[str, JsonValue] = {"role": message["role"], "content": "\n".join(text) if text else None}
        plain.append(entry | ({"tool_calls": calls} if calls else {}))
    return plain


def _call(part: Part) -> JsonValue:
    function: JsonValue = {"name": part["name"], "arguments": json.dumps(part["arguments"])}
    return {"id": part["id"], "type": "function", "function": function}


def _flat(prefix: str, messages: Sequence[Mapping[str, JsonValue]]) -> Flat:
    flat: Flat = {}
    for index, message in enumerate(messages):
        here = f"{prefix}.{index}.message"
        flat |= {f"{here}.{key}": value for key, value in message.items() if isinstance(value, str)}
        calls = message.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else []):
            assert isinstance(call, dict)
            function = call["function"]
            assert isinstance(function, dict)
            flat |= {
                f"{here}.tool_calls.{place}.tool_call.id": str(call["id"]),
                f"{here}.tool_calls.{place}.tool_call.function.name": str(function["name"]),
                f"{here}.tool_calls.{place}.tool_call.function.arguments": str(function["arguments"]),
            }
    return flat


def _text(side: str, value: str) -> Flat:
    return {f"{side}.value": value, f"{side}.mime_type": "text/plain"}


def _json(side: str, value: object) -> Flat:
    return {f"{side}.value": json.dumps(value, ensure_ascii=False), f"{side}.mime_type": "application/json"}
