"""Which messages of a history stand in a case, and how many do not."""

from __future__ import annotations

from extractor import ruleset
from extractor.assemble import assemble
from extractor.model.case import Case
from extractor.model.config import Override, RunConfig
from extractor.model.json import JsonValue
from extractor.model.reading import Reading
from extractor.model.trace import Trace
from extractor.select import select

from ..select.traces import HELLO, Builder, message, refund_trace

RULES = ruleset.load()


def case_of(trace: Trace, *, keep: tuple[str, ...] = (), drop: tuple[str, ...] = ()) -> Case:
    config = RunConfig(override=Override(keep=keep, drop=drop))
    return assemble(trace, select(trace, RULES, config), Reading(spans=trace.spans), config, RULES)


def said(value: JsonValue) -> str:
    return repr(value)


def test_what_a_dropped_turn_asked_and_got_is_dropped_and_counted() -> None:
    """The joke's request and its result; the answer's history loses both."""
    trace, _ = refund_trace()
    case = case_of(trace)
    assert "find_joke" not in said(case.document)
    assert "walks into a bar" not in said(case.document)
    assert case.selection.dropped_messages == 2


def test_with_every_span_kept_no_message_is_dropped() -> None:
    trace, _ = refund_trace()
    case = case_of(trace, keep=("all",))
    assert "walks into a bar" in said(case.document)
    assert case.selection.dropped_messages == 0


def test_the_conversation_names_what_stands() -> None:
    trace, _ = refund_trace()
    document = case_of(trace).document
    held = document["messages"]
    assert isinstance(held, list)
    ids = {entry["id"] for entry in held if isinstance(entry, dict)} | {"m1"}
    conversation = document["conversation"]
    assert isinstance(conversation, list)
    assert set(conversation) <= ids
    assert len(conversation) == 6  # the user's words, two requests, two results, the answer


def test_an_answer_of_a_dropped_turn_is_dropped() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    chatter = message("assistant", "What a lovely day.")
    first = build.model(1, 2, root, [HELLO], chatter)
    build.model(3, 4, root, [HELLO, chatter], message("assistant", "Bye."))
    case = case_of(build.trace(), drop=(first,))
    assert "lovely" not in said(case.document)
    assert case.selection.dropped_messages == 1


def test_what_no_span_of_the_trace_said_stands() -> None:
    """An earlier turn, in another trace: nobody can say that it changed nothing."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    earlier = message("assistant", "Yesterday I promised a voucher.")
    build.model(3, 4, root, [HELLO, earlier], message("assistant", "Bye."))
    assert "voucher" in said(case_of(build.trace()).document)
