"""A model provider on loopback: two turns, the first asks for a tool. Its bytes are written out by hand, as providers send them."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from extractor.replay.exchange import ModelAnswer

SAID = "Let me look that up."
CALL_ID = "call_A1"
TOOL = "get_order"
ARGUMENTS = {"order_id": "A-7001", "verbose": True, "limit": 2.5}
WRITTEN = '{"order_id":"A-7001","verbose":true,"limit":2.5}'
RESULT = {"order_id": "A-7001", "status": "shipped", "total": 10.5}
FINAL = "Order A-7001 was shipped ✓ — its total is 10.50 EUR."
QUESTION = "Where is order A-7001?"
SYSTEM = "You answer questions about orders."

ANSWERS = (
    ModelAnswer(
        model="fake-1",
        parts=(
            {"type": "text", "text": SAID},
            {"type": "tool_call", "call_id": CALL_ID, "tool": TOOL, "value": ARGUMENTS, "value_text": WRITTEN},
        ),
        usage={"input_tokens": 31, "output_tokens": 12, "total_tokens": 43},
        finish="tool_call",
    ),
    ModelAnswer(
        model="fake-1",
        parts=({"type": "text", "text": FINAL},),
        usage={"input_tokens": 52, "output_tokens": 9, "total_tokens": 61},
    ),
)


class FakeProvider:
    """``seen`` are the paths and bodies that reached it; a request that carries a tool's result gets the second turn."""

    def __init__(self):
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
                provider.seen.append((self.path, body))
                kind, content = respond(self.path, body)
                self.send_response(200 if kind else 404)
                self.send_header("content-type", kind or "text/plain")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self):
                provider.seen.append((self.path, None))
                self.send_response(200)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_):
                pass

        self.seen = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def respond(path, body):
    second = any(word in json.dumps(body) for word in ("shipped", "tool_result"))
    streamed = body.get("stream") is True or "streamGenerateContent" in path
    if "/chat/completions" in path:
        return _chat(second, streamed, bool((body.get("stream_options") or {}).get("include_usage")))
    if path.endswith("/responses"):
        return _responses(second, streamed, body)
    if path.endswith("/v1/messages"):
        return _anthropic(second, streamed)
    if "enerateContent" in path:
        return _google(second, streamed)
    return None, b"unknown"


def _json(value):
    return "application/json", json.dumps(value).encode()


def _events(*events, named=False, done=False):
    out = b""
    for event in events:
        if named:
            out += f"event: {event['type']}\n".encode()
        out += b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"
    return "text/event-stream", out + (b"data: [DONE]\n\n" if done else b"")


def _chat(second, streamed, with_usage):
    head = {"id": "chatcmpl-1", "created": 1767225600, "model": "fake-1"}
    usage = {
        "prompt_tokens": 52 if second else 31,
        "completion_tokens": 9 if second else 12,
        "total_tokens": 61 if second else 43,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    calls = [{"id": CALL_ID, "type": "function", "function": {"name": TOOL, "arguments": WRITTEN}}]
    message = {"role": "assistant", "content": FINAL if second else SAID, "refusal": None}
    finish = "stop" if second else "tool_calls"
    if not streamed:
        message |= {} if second else {"tool_calls": calls}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
        head |= {"object": "chat.completion", "system_fingerprint": None}
        return _json({**head, "choices": [choice], "usage": usage})

    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**head, "object": "chat.completion.chunk", "system_fingerprint": None, "choices": [choice]}

    said = message["content"]
    chunks = [chunk({"role": "assistant", "content": "", "refusal": None}), *(chunk({"content": c}) for c in said)]
    if not second:
        opened = {"index": 0, "id": CALL_ID, "type": "function", "function": {"name": TOOL, "arguments": ""}}
        chunks.append(chunk({"tool_calls": [opened]}))
        chunks += [chunk({"tool_calls": [{"index": 0, "function": {"arguments": c}}]}) for c in WRITTEN]
    chunks.append(chunk({}, finish))
    if with_usage:
        chunks.append(
            {**head, "object": "chat.completion.chunk", "system_fingerprint": None, "choices": [], "usage": usage}
        )
    return _events(*chunks, done=True)


def _responses(second, streamed, body):
    part = {"type": "output_text", "text": FINAL if second else SAID, "annotations": [], "logprobs": []}
    message = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [part]}
    call = {
        "id": "fc_1",
        "type": "function_call",
        "status": "completed",
        "call_id": CALL_ID,
        "name": TOOL,
        "arguments": WRITTEN,
    }
    output = [message] if second else [message, call]
    usage = {
        "input_tokens": 52 if second else 31,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 9 if second else 12,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 61 if second else 43,
    }
    response = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1767225600,
        "status": "completed",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": None,
        "metadata": {},
        "model": "fake-1",
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": body.get("tools", []),
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
    }
    if not streamed:
        return _json(response)
    opened = {**response, "status": "in_progress", "output": [], "usage": None}
    events = [{"type": "response.created", "response": opened}, {"type": "response.in_progress", "response": opened}]
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    text = part["text"]
    events += [
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**message, "status": "in_progress", "content": []},
        },
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **at, "delta": c, "logprobs": []} for c in text),
        {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": message},
    ]
    if not second:
        at = {"item_id": "fc_1", "output_index": 1}
        events += [
            {
                "type": "response.output_item.added",
                "output_index": 1,
                "item": {**call, "status": "in_progress", "arguments": ""},
            },
            *({"type": "response.function_call_arguments.delta", **at, "delta": c} for c in WRITTEN),
            {"type": "response.function_call_arguments.done", **at, "arguments": WRITTEN, "name": TOOL},
            {"type": "response.output_item.done", "output_index": 1, "item": call},
        ]
    events.append({"type": "response.completed", "response": response})
    return _events(*({**event, "sequence_number": n} for n, event in enumerate(events)), named=True)


def _anthropic(second, streamed):
    blocks = [{"type": "text", "text": FINAL if second else SAID}]
    if not second:
        blocks.append({"type": "tool_use", "id": CALL_ID, "name": TOOL, "input": ARGUMENTS})
    tokens = {"input_tokens": 52 if second else 31, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    out = {"output_tokens": 9 if second else 12}
    stop = {"stop_reason": "end_turn" if second else "tool_use", "stop_sequence": None}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake-1"}
    if not streamed:
        return _json({**head, "content": blocks, **stop, "usage": {**tokens, **out}})
    opened = {
        **head,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**tokens, "output_tokens": 1},
    }
    events = [{"type": "message_start", "message": opened}]
    for index, block in enumerate(blocks):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        written = [
            {"type": "text_delta", "text": c} if is_text else {"type": "input_json_delta", "partial_json": c}
            for c in (block["text"] if is_text else WRITTEN)
        ]
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in written]
        events.append({"type": "content_block_stop", "index": index})
    events += [{"type": "message_delta", "delta": stop, "usage": out}, {"type": "message_stop"}]
    return _events(*events, named=True)


def _google(second, streamed):
    parts = [{"text": FINAL if second else SAID}]
    if not second:
        parts.append({"functionCall": {"id": CALL_ID, "name": TOOL, "args": ARGUMENTS}})
    usage = {
        "promptTokenCount": 52 if second else 31,
        "candidatesTokenCount": 9 if second else 12,
        "totalTokenCount": 61 if second else 43,
    }

    def response(parts, last):
        candidate = {"content": {"parts": parts, "role": "model"}, "index": 0}
        candidate |= {"finishReason": "STOP"} if last else {}
        more = {"usageMetadata": usage} if last else {}
        return {"candidates": [candidate], **more, "modelVersion": "fake-1", "responseId": "r-1"}

    if not streamed:
        return _json(response(parts, last=True))
    split = [{"text": c} for c in parts[0]["text"]] + parts[1:]
    return _events(*(response([part], last=part is split[-1]) for part in split))
