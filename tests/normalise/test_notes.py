"""The ledger: nothing is lost in silence, and nothing of the input is said."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from extractor import ruleset
from extractor.model.reading import Note, Reading
from extractor.normalise import normalise

from .conftest import codes, span, tool

KEYS = [
    "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.arguments", "gen_ai.input.messages",
    "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.usage.input_tokens", "openinference.span.kind",
    "llm.input_messages.0.message", "llm.input_messages.0.message.role", "llm.input_messages.x.message.tool_calls",
    "llm.invocation_parameters", "input.value", "input.mime_type", "output.value", "retrieval.documents.0.document.id",
    "http.request.method", "http.request.header.idempotency-key", "metadata", "user.roles", "session.id",
    "feature_flag.key", "error.type", "eval.reward",
]  # fmt: skip
WORDS = [
    "execute_tool",
    "chat",
    "retrieval",
    "LLM",
    "TOOL",
    "RETRIEVER",
    "application/json",
    "[",
    '{"role": 1}',
    "canary",
]
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "parts", "type", "content", "arguments", "tool_calls"]), inner)
    ),
    max_leaves=6,
)
ATTRIBUTES = st.lists(st.tuples(st.sampled_from(KEYS), VALUES), max_size=8)
KINDS = st.sampled_from(["internal", "client", "server", "consumer"])
RULES = ruleset.load()


@settings(max_examples=300)
@given(st.lists(st.tuples(ATTRIBUTES, KINDS), min_size=1, max_size=3))
def test_odd_input_never_raises_and_notes_quote_none_of_it(written):
    spans = tuple(
        span(n, tuple(attributes), kind=kind, parent=n - 1) for n, (attributes, kind) in enumerate(written, 1)
    )
    told = normalise(Reading(spans=spans), RULES)
    assert [step.span for step in told.steps] == list(spans)
    assert "canary" not in repr(told.notes)


def test_unknown_text_is_counted_by_step_without_its_key(trace):
    told = trace(span(1), span(2, {"acme.prompt": "Hello", "acme.count": 3}, events=[("acme.said", {"text": "Hi"})]))
    (note,) = told.notes
    assert (note.code, note.count, note.places) == ("unknown_text_attributes", 2, ("step 2",))


def test_content_that_a_hook_stored_elsewhere_is_named(trace):
    told = trace(span(1, {"gen_ai.input.messages_ref": "s3://bucket/key"}))
    assert codes(told) == {"external_content": 1}


def test_notes_of_the_reading_come_first_and_codes_in_order(rules):
    before = (Note(code="orphan_span", places=("span 1",)), Note(code="content_not_captured", places=("span 9",)))
    told = normalise(Reading(spans=(tool(1, arguments="{}"),), span_notes=before), rules)
    assert [(note.code, note.count) for note in told.notes] == [("content_not_captured", 2), ("orphan_span", 1)]
    assert told.notes[0].places == ("span 9", "step 1 tool.result")


def test_a_masked_argument_is_absent_and_said(trace):
    told = trace(tool(1, arguments="__REDACTED__", result="done"))
    assert told.steps[0].tool.arguments is None
    assert codes(told) == {"content_not_captured": 1, "masked_value": 1}


def test_an_empty_reading_is_an_empty_trace(trace):
    told = trace()
    assert (told.trace_ids, told.steps, told.notes) == ((), (), ())
