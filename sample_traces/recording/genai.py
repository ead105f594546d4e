"""Spans in OpenTelemetry's GenAI conventions (semconv 1.41), content on the spans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from opentelemetry.trace import Span, SpanKind

from sample_traces.agents import Arguments, AsyncCallTool, CallModel, CallTool, JsonValue, Message, user

from .telemetry import Article, Telemetry, tokens
from .world import Flat, span


class GenAi(Telemetry):
    """``gen_ai.*``: messages, arguments and results as JSON strings, the system prompt apart."""

    @contextmanager
    def agent(self, answers: list[str]) -> Iterator[None]:
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self.deployment.agent,
            "gen_ai.agent.version": self.deployment.workflow_version,
            "gen_ai.conversation.id": self.request.conversation,
            "gen_ai.input.messages": _json([user(self.request.text)]),
        }
        with span(self.tracer, f"invoke_agent {self.deployment.agent}", attributes) as opened:
            yield
            said = {"role": "assistant", "parts": [{"type": "text", "content": answers[-1]}], "finish_reason": "stop"}
            opened.set_attribute("gen_ai.output.messages", _json([said]))

    def chat(self, call_model: CallModel, instructions: str, messages: Sequence[Message]) -> Message:
        model = self.deployment.model
        given = _json(list(messages))
        attributes: Flat = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "example-models",
            "gen_ai.request.model": model,
            "gen_ai.conversation.id": self.request.conversation,
            "gen_ai.prompt.version": self.deployment.prompt_version,
            "server.address": "models.example.net",
            "server.port": 443,
            "gen_ai.system_instructions": _json([{"type": "text", "content": instructions}]),
            "gen_ai.input.messages": given,
            "gen_ai.tool.definitions": _json(
                [
                    {"type": "function", "name": name, "description": what}
                    for name, what in self.deployment.tools.items()
                ]
            ),
        }
        attributes |= {f"gen_ai.request.{name}": value for name, value in self.deployment.parameters.items()}
        with span(self.tracer, f"chat {model}", attributes, kind=SpanKind.CLIENT) as opened:
            reply = call_model(instructions, messages)
            self.world.wait(420 + 1.7 * len(_json([reply])))
            asked = reply["finish_reason"] == "tool_call"
            opened.set_attributes(
                {
                    "gen_ai.response.model": f"{model}-2026-05",
                    "gen_ai.response.id": f"resp-{tokens(given):05d}",
                    "gen_ai.response.finish_reasons": ["tool_calls" if asked else "stop"],
                    "gen_ai.usage.input_tokens": tokens(instructions) + tokens(given),
                    "gen_ai.usage.output_tokens": tokens(_json([reply])),
                    "gen_ai.output.messages": _json([reply]),
                }
            )
        return reply

    def execute(self, call_tool: CallTool, tool: str, arguments: Arguments, call_id: str | None) -> JsonValue:
        with self._executing(tool, arguments, call_id) as opened:
            result = call_tool(tool, arguments)
            opened.set_attribute("gen_ai.tool.call.result", _json(result))
        return result

    async def aexecute(
        self, call_tool: AsyncCallTool, tool: str, arguments: Arguments, call_id: str | None
    ) -> JsonValue:
        """Call a tool that other tasks may run beside, within a span."""
        with self._executing(tool, arguments, call_id) as opened:
            result = await call_tool(tool, arguments)
            opened.set_attribute("gen_ai.tool.call.result", _json(result))
        return result

    def _executing(self, tool: str, arguments: Arguments, call_id: str | None) -> AbstractContextManager[Span]:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.description": self.deployment.tools.get(tool, ""),
            "gen_ai.tool.call.arguments": _json(arguments),
        }
        if call_id:
            attributes["gen_ai.tool.call.id"] = call_id
        return span(self.tracer, f"execute_tool {tool}", attributes)

    def retrieve(self, query: str, articles: Sequence[Article]) -> None:
        model = "embed-small"
        attributes: Flat = {
            "gen_ai.operation.name": "embeddings",
            "gen_ai.provider.name": "example-models",
            "gen_ai.request.model": model,
            "gen_ai.embeddings.dimension.count": 384,
            "gen_ai.usage.input_tokens": tokens(query),
        }
        with span(self.tracer, f"embeddings {model}", attributes, kind=SpanKind.CLIENT):
            self.world.wait(31)
        attributes = {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.data_source.id": "help-centre",
            "gen_ai.retrieval.query.text": query,
            "gen_ai.retrieval.documents": _json(
                [{"id": page.id, "score": page.score, "content": page.content} for page in articles]
            ),
        }
        with span(self.tracer, "retrieval help-centre", attributes, kind=SpanKind.CLIENT):
            self.world.wait(18)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
