from __future__ import annotations

import copy
import json

import pytest

from extractor.checks.mutations import MUTATIONS, corrupted, named
from extractor.checks.patterns import places, spelled, touch, with_instead
from extractor.errors import UsageError

from .runs import RUN, good_case, good_record

TEN = (
    "malformed_output", "changed_type", "dropped_field", "empty_tool_calls", "wrong_tool_name",
    "wrong_argument", "duplicate_call", "forbidden_phrase", "token_budget", "completion_too_long",
)  # fmt: skip


def variants(name, record=None, case=None, **given):
    return corrupted(named(name), record or good_record(), case or good_case(), **given).variants


def changed(name, record=None, **given):
    """The field paths that a mutation changes, with what stands there then."""
    found = {}
    for each in variants(name, record, **given):
        standing = {
            spelled(steps): value
            for pattern in named(name).where
            for steps, value in places(each.record.document, pattern)
        }
        found.setdefault(each.path, []).append(standing.get(each.path, "gone"))
    return found


def test_the_ten_stand_first_and_every_name_is_one_mutations():
    """S114."""
    assert tuple(each.name for each in MUTATIONS if each.row) == TEN
    assert [each.row for each in MUTATIONS][:10] == list(range(1, 11))
    assert len({each.name for each in MUTATIONS}) == len(MUTATIONS) >= 15


@pytest.mark.parametrize("name", [each.name for each in MUTATIONS if each.name != "forbidden_tool"])
def test_each_changes_one_place_of_a_good_run_and_leaves_the_run_as_it_was(name):
    """S114."""
    record, case = good_record(), good_case()
    if name == "empty_output":
        record = good_record(output="It is done.")
    before = copy.deepcopy(record.document)
    made = variants(name, record, case)
    assert made
    for each in made:
        assert (each.record.document, each.case.now, each.case.facts) != (before, case.now, case.facts)
        assert each.mutation == name
        assert json.loads(each.record.to_json()) == each.record.document
    assert record.document == before
    again = variants(name, record, case)
    assert [(each.path, each.record.document) for each in made] == [(each.path, each.record.document) for each in again]


def test_what_the_ten_do():
    """S114."""
    assert changed("wrong_argument") == {"tool_calls[1].arguments.amount_cents": [420000]}
    assert changed("empty_tool_calls") == {"tool_calls": [[]]}
    assert changed("wrong_tool_name") == {
        "tool_calls[0].name": ["lookup_order_other"],
        "tool_calls[1].name": ["issue_refund_other"],
    }
    assert changed("token_budget") == {"usage.input_tokens": [1_000_800], "usage.output_tokens": [1_000_060]}
    assert changed("changed_type")["tool_calls[1].arguments.amount_cents"] == ["4200"]
    said = [
        each.record.document["output"]["message"] for each in variants("changed_type") if each.path == "output.message"
    ]
    assert said == [["Your refund of 42.00 is issued."]]
    assert changed("dropped_field")["output.amount_cents"] == ["gone"]
    (cut,) = changed("malformed_output")["output"]
    with pytest.raises(ValueError):
        json.loads(cut)
    twice = variants("duplicate_call")[1].record.document["tool_calls"]
    assert twice == [RUN["tool_calls"][0], RUN["tool_calls"][1], RUN["tool_calls"][1]]
    keys = [each["idempotency_key"] for each in variants("second_key")[1].record.document["tool_calls"]]
    assert keys == [None, "k-1", "k-1-other"]


def test_forbidden_words_are_the_cases_and_the_checks_own():
    case = good_case(prohibited_claims=["the money has arrived"], claims={"prohibit": ["it is done"]})
    said = [
        each.record.document["output"] for each in variants("forbidden_phrase", good_record(output="Hello."), case, phrases=("no risk",))
    ]  # fmt: skip
    assert said == ["Hello. the money has arrived", "Hello. it is done", "Hello. no risk"]


def test_an_output_that_is_json_in_a_text_is_entered_and_spelled_anew():
    record = good_record(output=json.dumps({"amount_cents": 4200, "rows": [{"n": 1}]}))
    made = {each.path: each.record.document["output"] for each in variants("dropped_field", record)}
    assert json.loads(made["output.amount_cents"]) == {"rows": [{"n": 1}]}
    assert json.loads(made["output.rows[0].n"]) == {"amount_cents": 4200, "rows": [{}]}


def test_a_spelling_beside_a_value_changes_with_it():
    call = {"name": "issue_refund", "arguments": {"amount_cents": 4200}, "arguments_text": '{"amount_cents":4200}'}
    (made,) = variants("wrong_argument", good_record(tool_calls=[call]))
    assert json.loads(made.record.tool_calls[0].arguments) == {"amount_cents": 420000}
    said = good_record(output={"n": 1}, output_text='{"n": 1}')
    assert [each.record.output_text for each in variants("changed_type", said) if each.path == "output.n"] == [
        '{"n": "1"}'
    ]


def test_clock_and_identity_are_the_cases():
    assert [each.case.now.year for name in ("clock_ahead", "clock_behind") for each in variants(name)] == [2027, 2025]
    paths = [each.path for each in variants("swapped_identity")]
    assert "case.facts.identity.subject" in paths
    assert "tool_calls[0].result.owner" in paths


def test_a_mutation_that_does_not_apply_says_so():
    silent = good_record(tool_calls=[], output="It is done.")
    told = corrupted(named("wrong_tool_name"), silent, good_case())
    assert (told.variants, told.why) == ((), "the record has no tool_calls[].name")
    assert corrupted(named("empty_tool_calls"), silent, good_case()).why == "nothing at tool_calls can be changed so"
    assert corrupted(named("malformed_output"), silent, good_case()).why == "nothing at output can be changed so"


def test_variants_beyond_the_bound_are_counted():
    many = good_record(output={f"m{number}": number for number in range(50)})
    told = corrupted(named("dropped_field"), many, good_case(), most=10)
    assert (len(told.variants), told.left_out) == (10, 43)


def test_an_unknown_name_is_refused():
    with pytest.raises(UsageError):
        named("nothing_like_it")


def test_places_and_paths():
    document = {"a": [{"b": 1}, {"b": {"c": 2}}]}
    assert [spelled(steps) for steps, _ in places(document, "a[].b.**")] == ["a[1].b.c"]
    assert [spelled(steps) for steps, _ in places(document, "a.*")] == ["a[0].b", "a[1].b", "a[1].b.c"]
    assert with_instead(document, ("a", 0), []) == {"a": [{"b": {"c": 2}}]}
    assert touch("a", "a[0].b")
    assert touch("a[0]", "a[0]")
    assert not touch("a", "ab")
