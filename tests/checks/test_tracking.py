"""Whatever way a check reads a value, the record remembers it; no way changes the value."""

# Each way of reading is spelled as a check would spell it.
# ruff: noqa: PLW0108, RUF005, SIM300, UP031
from __future__ import annotations

import copy
import json

import pytest

from extractor.checks.tracking import Reads, TrackedList, TrackedObject, tracked

CALL = {"name": "issue_refund", "arguments": {"order_id": "A-7741", "amount_cents": 42}, "tags": ["a", "b"]}


@pytest.fixture
def reads():
    return Reads()


@pytest.fixture
def call(reads):
    return TrackedObject(copy.deepcopy(CALL), "call", reads)


AMOUNT = "call.arguments.amount_cents"


@pytest.mark.parametrize(
    "reading",
    [
        lambda call: call["arguments"]["amount_cents"],
        lambda call: call.get("arguments").get("amount_cents"),
        lambda call: call.get("arguments", {}).get("amount_cents", 0),
        lambda call: "amount_cents" in call["arguments"],
        lambda call: list(call["arguments"].values()),
        lambda call: list(call["arguments"].items()),
        lambda call: {**call["arguments"]},
        lambda call: dict(call["arguments"]),
        lambda call: call["arguments"].copy(),
        lambda call: copy.deepcopy(call["arguments"]),
        lambda call: call["arguments"] | {},
        lambda call: {} | call["arguments"],
        lambda call: call["arguments"] == {"order_id": "A-7741", "amount_cents": 42},
        lambda call: {"order_id": "A-7741", "amount_cents": 42} == call["arguments"],
        lambda call: call["arguments"] != {},
        lambda call: {} != call["arguments"],
        lambda call: f"{call['arguments']}",
        lambda call: repr(call["arguments"]),
        lambda call: str(call),
        lambda call: json.dumps(call),
        lambda call: json.dumps(call, indent=2),
        lambda call: "{amount_cents}".format(**call["arguments"]),
        lambda call: "%(amount_cents)s" % call["arguments"],
    ],
)
def test_a_member_is_told_however_it_is_read(call, reads, reading):
    reading(call)
    assert AMOUNT in reads.paths()


def test_a_pattern_reads_what_it_names(call, reads):
    match call:
        case {"arguments": {"amount_cents": 42}}:
            pass
        case _:
            pytest.fail("the pattern matches")
    assert AMOUNT in reads.paths()


@pytest.mark.parametrize(
    "reading",
    [
        lambda tags: tags[1],
        lambda tags: tags[-1],
        lambda tags: tags[1:],
        lambda tags: list(tags),
        lambda tags: [*tags],
        lambda tags: tuple(reversed(tags)),
        lambda tags: sorted(tags),
        lambda tags: ",".join(tags),
        lambda tags: "b" in tags,
        lambda tags: tags == ["a", "b"],
        lambda tags: ["a", "b"] == tags,
        lambda tags: tags != [],
        lambda tags: tags < ["c"],
        lambda tags: tags.index("b"),
        lambda tags: tags.count("b"),
        lambda tags: tags.copy(),
        lambda tags: copy.copy(tags),
        lambda tags: tags + ["c"],
        lambda tags: ["c"] + tags,
        lambda tags: tags * 2,
        lambda tags: f"{tags}",
        lambda tags: json.dumps(tags),
        lambda tags: set(tags),
        lambda tags: dict(enumerate(tags)),
    ],
)
def test_an_item_is_told_however_it_is_read(reads, reading):
    reading(TrackedList(["a", "b"], "tags", reads))
    assert "tags[1]" in reads.paths()


def test_unpacking_reads_every_item(call, reads):
    first, second = call["tags"]
    assert (first, second) == ("a", "b")
    assert {"call.tags[0]", "call.tags[1]"} <= set(reads.paths())


@pytest.mark.parametrize("reading", [len, bool, list, lambda empty: [*empty], lambda empty: empty == []])
def test_that_a_list_is_empty_is_a_reading_of_the_list(reads, reading):
    reading(TrackedList([], "tool_calls", reads))
    assert reads.paths() == ("tool_calls",)


@pytest.mark.parametrize(
    "reading", [lambda it: it.get("amount"), lambda it: "amount" in it, lambda it: it.get("amount", 0)]
)
def test_what_is_not_there_was_read_all_the_same(reads, reading):
    reading(TrackedObject({}, "arguments", reads))
    assert reads.paths() == ("arguments.amount",)


def test_what_is_not_there_raises_as_it_would_anywhere(reads):
    with pytest.raises(KeyError):
        TrackedObject({}, "arguments", reads)["amount"]
    with pytest.raises(IndexError):
        TrackedList([], "tool_calls", reads)[0]
    assert reads.paths() == ("arguments.amount", "tool_calls")


def test_names_alone_are_a_reading_of_the_object(reads):
    assert set(TrackedObject({"a": 1}, "arguments", reads).keys()) == {"a"}
    assert reads.paths() == ("arguments",)


def test_the_last_reading_stands_last_and_each_path_once(call, reads):
    _ = call["name"], call["arguments"]["order_id"], call["name"]
    assert reads.paths() == ("call.arguments.order_id", "call.name")


def test_two_tracked_values_that_are_compared_are_both_read(reads):
    left, right = (TrackedObject({"n": 1}, path, reads) for path in ("left", "right"))
    assert left == right
    assert set(reads.paths()) == {"left", "left.n", "right", "right.n"}


@pytest.mark.parametrize(
    "change",
    [
        lambda call: call.update(name="x"),
        lambda call: call.__setitem__("name", "x"),
        lambda call: call.__delitem__("name"),
        lambda call: call.pop("name"),
        lambda call: call.popitem(),
        lambda call: call.clear(),
        lambda call: call.setdefault("more", 1),
        lambda call: call.__ior__({"name": "x"}),
        lambda call: call["tags"].append("c"),
        lambda call: call["tags"].extend(["c"]),
        lambda call: call["tags"].insert(0, "c"),
        lambda call: call["tags"].pop(),
        lambda call: call["tags"].remove("a"),
        lambda call: call["tags"].clear(),
        lambda call: call["tags"].sort(),
        lambda call: call["tags"].reverse(),
        lambda call: call["tags"].__setitem__(0, "c"),
        lambda call: call["tags"].__delitem__(0),
        lambda call: call["tags"].__iadd__(["c"]),
        lambda call: call["tags"].__imul__(2),
    ],
)
def test_nothing_of_a_record_can_be_changed(call, change):
    with pytest.raises(TypeError, match="frozen"):
        change(call)
    assert json.loads(json.dumps(call)) == CALL


def test_a_copy_is_a_plain_value_that_may_be_changed(call):
    mine = copy.deepcopy(call)
    mine["arguments"]["amount_cents"] = 4200
    mine["tags"].append("c")
    assert type(mine) is dict
    assert json.loads(json.dumps(call)) == CALL


def test_values_are_what_json_makes_of_them(call):
    assert json.loads(json.dumps(call)) == CALL
    assert isinstance(call["arguments"], dict)
    assert isinstance(call["tags"], list)


def test_a_value_that_is_tracked_stays_the_one_that_it_is(call, reads):
    assert tracked(call, "elsewhere", reads) is call


def test_a_slice_and_an_item_from_the_end_read_the_length_too(reads):
    assert TrackedList([], "calls", reads)[:1] == []
    assert reads.paths() == ("calls",)
    _ = TrackedList(["a", "b"], "quotes", reads)[-1]
    assert reads.paths() == ("calls", "quotes", "quotes[1]")


def test_a_member_that_only_the_other_object_has_is_missed(reads):
    assert TrackedObject({"a": 1}, "output", reads) != {"a": 1, "b": 2}
    assert set(reads.paths()) == {"output", "output.a", "output.b"}


def test_an_object_is_read_itself_until_something_below_it_is(call, reads):
    arguments = call["arguments"]
    assert reads.paths() == ("call.arguments",)
    _ = arguments["order_id"]
    assert reads.paths() == ("call.arguments.order_id",)
    _ = call["tags"] is None, len(arguments)
    assert reads.paths() == ("call.arguments.order_id", "call.tags", "call.arguments")
