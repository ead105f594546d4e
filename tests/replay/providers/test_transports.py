"""Below every client: what is served, what is blocked, and that all is as before afterwards."""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import aiohttp
import anthropic
import httpx
import httpx2
import openai
import pytest
import requests
import urllib3
from google import genai
from google.genai import types

from extractor.replay.exchange import ModelAnswer
from extractor.replay.faults import HarnessDefect, LiveCall, NothingRecorded, ReplayFault
from extractor.replay.providers import NOT_INTERCEPTED, intercept

from .fake_provider import FINAL, QUESTION

ASKED = {"model": "fake-1", "messages": [{"role": "user", "content": QUESTION}]}
ROOT = Path(__file__).parents[3]
LIBRARIES = {"httpx", "httpx2", "requests", "urllib3", "aiohttp", "http.client"}


def with_httpx(url, body):
    return httpx.post(url, json=body).text


def with_httpx2(url, body):
    return httpx2.post(url, json=body).text


def with_requests(url, body):
    return requests.post(url, json=body, timeout=5).text


def with_urllib3(url, body):
    with urllib3.PoolManager() as pool:
        return pool.request("POST", url, body=json.dumps(body)).data.decode()


def _in_a_loop(client):
    def send(url, body):
        return asyncio.run(client(url, body))

    send.__name__ = client.__name__
    return send


@_in_a_loop
async def with_aiohttp(url, body):
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
        return await response.text()


@_in_a_loop
async def with_httpx_async(url, body):
    async with httpx.AsyncClient() as client:
        return (await client.post(url, json=body)).text


@_in_a_loop
async def with_httpx2_async(url, body):
    async with httpx2.AsyncClient() as client:
        return (await client.post(url, json=body)).text


def with_urllib(url, body):
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())) as response:
        return response.read().decode()


def with_http_client(url, body):
    host, _, path = url.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host)
    try:
        connection.request("POST", f"/{path}", json.dumps(body))
        return connection.getresponse().read().decode()
    finally:
        connection.close()


SERVING = (with_httpx, with_httpx2, with_httpx_async, with_httpx2_async, with_requests, with_urllib3, with_aiohttp)
BLOCKING = (*SERVING, with_urllib, with_http_client)
NAMES = {"with_urllib": "http.client", "with_http_client": "http.client"}


def library(send):
    return NAMES.get(send.__name__) or send.__name__.removeprefix("with_").removesuffix("_async")


@pytest.mark.parametrize("send", SERVING, ids=lambda send: send.__name__)
@pytest.mark.parametrize("stream", [False, True])
def test_a_model_call_is_answered_whatever_the_client_and_host(send, stream, record):
    recording = record((ModelAnswer(model="fake-1", parts=({"type": "text", "text": FINAL},)),))
    with recording.open():
        said = send("http://models.internal:1234/gateway/chat/completions?api-version=1", {**ASKED, "stream": stream})
    pieces = [json.loads(line.removeprefix("data: ")) for line in said.split("\n\n") if line.startswith("data: {")]
    text = "".join(each["choices"][0]["delta"].get("content") or "" for each in pieces)
    assert (text if stream else json.loads(said)["choices"][0]["message"]["content"]) == FINAL
    assert recording.asked[0].stream is stream


@pytest.mark.parametrize("send", BLOCKING, ids=lambda send: send.__name__)
def test_any_other_request_is_blocked_and_told(send, provider, recording):
    live = send(f"{provider.url}/v1/messages", ASKED)
    with recording.open(), pytest.raises(LiveCall) as caught:
        send(f"{provider.url}/orders/7?token=secret", ASKED)
    fault = caught.value
    assert recording.faults == [fault]
    assert fault.code == "http_request"
    assert fault.called == f"POST /orders/7 on {library(send)}"
    assert "secret" not in str(fault)
    assert "call_tool" in fault.cure
    assert len(provider.seen) == 1
    assert send(f"{provider.url}/v1/messages", ASKED) == live
    assert len(provider.seen) == 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"prompt": "no messages"}),
        ("/v1/embeddings", {"input": "x"}),
        ("/v1/moderations", {"input": "x"}),
        ("/v1/completions", {"prompt": "x"}),
        ("/v1/messages/batches", {"requests": []}),
        ("/v1/responses/input_tokens", {"input": "x"}),
        ("/v1beta/models/m:embedContent", {"contents": []}),
        ("/v1beta/models/m:countTokens", {"contents": []}),
        ("/model/m/converse", {"messages": []}),
    ],
)
def test_what_looks_like_a_model_call_and_is_none_is_blocked(path, body, recording):
    with recording.open(), pytest.raises(LiveCall) as caught:
        httpx.post(f"http://api.example{path}", json=body)
    assert caught.value.called == f"POST {path} on httpx"
    assert recording.asked == []


def test_a_body_that_is_no_json_is_blocked(recording):
    with recording.open(), pytest.raises(LiveCall):
        httpx.post("http://api.example/v1/chat/completions", content=b'{"messages": [')


def _google_counts():
    with genai.Client(api_key="k") as client:
        client.models.count_tokens(model="fake-1", contents="x")


@pytest.mark.parametrize(
    "call",
    [
        openai.OpenAI(api_key="k").models.list,
        lambda: openai.OpenAI(api_key="k").models.retrieve("fake-1"),
        lambda: anthropic.Anthropic(api_key="k").messages.count_tokens(**ASKED),
        _google_counts,
    ],
)
def test_what_a_provider_lists_or_counts_is_blocked_with_its_own_cure(call, recording):
    with recording.open(), pytest.raises(LiveCall) as caught:
        call()
    assert "agent's settings" in caught.value.cure
    assert len(recording.faults) == 1


def _openai():
    return openai.OpenAI(api_key="k", max_retries=5).chat.completions.create(**ASKED)


def _anthropic():
    return anthropic.Anthropic(api_key="k", max_retries=5).messages.create(**ASKED, max_tokens=9)


def _google():
    retry = types.HttpRetryOptions(attempts=5, initial_delay=0.01)
    client = genai.Client(api_key="k", http_options=types.HttpOptions(retry_options=retry))
    return client.models.generate_content(model="fake-1", contents=QUESTION)


@_in_a_loop
async def _google_async(_url=None, _body=None):
    retry = types.HttpRetryOptions(attempts=5, initial_delay=0.01)
    client = genai.Client(api_key="k", http_options=types.HttpOptions(retry_options=retry))
    async with client.aio as aio:
        return await aio.models.generate_content(model="fake-1", contents=QUESTION)


@_in_a_loop
async def _openai_async(_url=None, _body=None):
    async with openai.AsyncOpenAI(api_key="k", max_retries=5) as client:
        return await client.chat.completions.create(**ASKED)


@pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")
@pytest.mark.parametrize(
    "ask", [_openai, _anthropic, _google, lambda: _google_async("", ""), lambda: _openai_async("", "")]
)
def test_no_client_retries_a_miss_or_turns_it_into_its_own_error(ask, record):
    """S83."""
    recording = record(())

    def agent():
        try:
            ask()
        except Exception:  # noqa: BLE001  # as agents do
            return "handled"

    with recording.open(), pytest.raises(NothingRecorded):
        agent()
    assert len(recording.asked) == 1


def test_clients_made_before_a_session_are_covered_and_free_after_it(provider, recording):
    with httpx.Client() as before, recording.open():
        session_client = httpx.Client()
        with pytest.raises(LiveCall):
            before.get(provider.url)
    with session_client:
        assert session_client.get(provider.url).text == "ok"


def test_threads_are_covered(provider, recording):
    caught = []

    def work():
        try:
            httpx.get(provider.url)
        except ReplayFault as fault:
            caught.append(fault)

    with recording.open():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert caught == recording.faults
    assert provider.seen == []


PATCHED = (httpx.HTTPTransport, httpx2.AsyncHTTPTransport, urllib3.HTTPConnectionPool, http.client.HTTPConnection)


def test_everything_is_put_back_even_after_a_fault(recording):
    owners = (
        httpx.HTTPTransport,
        httpx.AsyncHTTPTransport,
        httpx2.HTTPTransport,
        httpx2.AsyncHTTPTransport,
        requests.adapters.HTTPAdapter,
        urllib3.HTTPConnectionPool,
        aiohttp.BaseConnector,
        aiohttp.TCPConnector,
        http.client.HTTPConnection,
        http.client.HTTPSConnection,
    )
    before, finders = [dict(vars(owner)) for owner in owners], list(sys.meta_path)
    with recording.open():
        assert all(dict(vars(owner)) != own for owner, own in zip(owners, before, strict=True) if owner in PATCHED)
    with pytest.raises(LiveCall), recording.open():
        httpx.get("http://api.example")
    assert [dict(vars(owner)) for owner in owners] == before
    assert sys.meta_path == finders


def test_a_second_interception_is_refused_and_the_first_goes_on(recording):
    with recording.open():
        with pytest.raises(HarnessDefect), intercept(recording.answer, recording.faults.append):
            pass
        with pytest.raises(LiveCall):
            httpx.get("http://api.example")
    with recording.open() as again:
        assert again.state().libraries["httpx"] == "patched"


def test_the_state_says_what_is_covered_and_what_is_not(recording):
    with recording.open() as open_one:
        state = open_one.state()
    assert dict(state.libraries) == dict.fromkeys(LIBRARIES, "patched")
    assert state.not_intercepted == NOT_INTERCEPTED


def test_an_aiohttp_that_cannot_be_handed_an_answer_is_a_defect_of_the_harness(record, monkeypatch):
    recording = record((ModelAnswer(model="fake-1", parts=({"type": "text", "text": FINAL},)),))
    monkeypatch.setattr(aiohttp.client_proto.ResponseHandler, "data_received", None)
    with recording.open(), pytest.raises(HarnessDefect) as caught:
        with_aiohttp("http://models.example/v1/chat/completions", ASKED)
    assert recording.faults == [caught.value]
    assert caught.value.code == "not_served"


LATE = """
import sys
from extractor.replay.providers import intercept
from extractor.replay.faults import LiveCall
assert not {"httpx", "httpx2", "requests", "urllib3", "aiohttp"} & set(sys.modules)
faults = []
with intercept(None, faults.append) as open_one:
    before = open_one.state().libraries["httpx"]
    import httpx
    from requests.sessions import Session
    after = open_one.state().libraries
    for send in (httpx.get, Session().get):
        try:
            send("http://127.0.0.1:9/x")
        except LiveCall:
            pass
loader = httpx.__spec__.loader
print(before, after["httpx"], after["requests"], after["urllib3"], after["aiohttp"], len(faults))
print(type(loader).__name__, httpx.__loader__ is loader)
print(httpx.HTTPTransport.handle_request.__module__, sum(type(each).__module__.startswith("extractor") for each in sys.meta_path))
"""


def test_libraries_imported_in_a_session_are_patched_and_no_other_is_loaded():
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True)
    first, loader, last = done.stdout.splitlines()
    assert first == "absent patched patched patched absent 2"
    assert loader == "SourceFileLoader True"
    assert last == "httpx._transports.default 0"


LIGHT = """
import sys
import extractor.replay.mcp, extractor.replay.providers
with extractor.replay.providers.intercept(None, print), extractor.replay.mcp.scripted_mcp(None, (), print):
    print(*sorted({"asyncio", "ssl", "http.client", "email", "httpx", "mcp", "anyio"} & set(sys.modules)))
"""


def test_importing_and_opening_loads_nothing_heavy():
    # -S: what an editable install itself loads is not counted.
    done = subprocess.run([sys.executable, "-S", "-c", LIGHT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
