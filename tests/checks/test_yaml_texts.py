"""YAML of fixtures: what it may use, and that no reader takes a value for another."""

from __future__ import annotations

import pytest
import yaml

from extractor.checks.expectation import expectation, names
from extractor.checks.yaml_texts import MalformedYaml, document, texts


@pytest.fixture(autouse=True, params=["libyaml", "python"])
def parser(request, monkeypatch):
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


PLAIN = {"no": "no", "on": "on", "1_000": "1_000", "12:30:00": "12:30:00", "2026-06-14": "2026-06-14", "0x1f": "0x1f"}


@pytest.mark.parametrize("scalar", [*PLAIN, "Yes", "~", "007", "+1", ".5", "1.", "True", "NULL", ".inf", "1e"])
def test_what_json_lacks_is_the_text_that_it_looks_like(scalar):
    assert document(f"a: {scalar}\n".encode()) == {"a": scalar}


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("42", 42),
        ("-1", -1),
        ("0", 0),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("true", True),
        ("false", False),
        ("null", None),
    ],
)
def test_the_scalars_of_json_are_theirs_and_quoted_they_are_texts(scalar, value):
    found = document(f"a: {scalar}\nb: '{scalar}'\nc: [{scalar}]\n".encode())
    assert found == {"a": value, "b": scalar, "c": [value]}
    assert type(found["a"]) is type(value)


def test_texts_are_texts_whatever_they_look_like():
    assert texts(b"verdict: reject\nby: no\nreason: 42\n") == {"verdict": "reject", "by": "no", "reason": "42"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"a: &x 1\n", "anchor"),
        (b"a: 1\nb: *x\n", "alias"),
        (b"a: !!str 1\n", "tag"),
        (b"a: !!python/object/apply:os.system [x]\n", "tag"),
        (b"a: ! x\n", "tag"),
        (b"!!map {a: 1}\n", "tag"),
        (b"a: 1\na: 2\n", "twice"),
        (b"a: {b: 1, b: 2}\n", "twice"),
        (b"<<: {b: 1}\n", "key"),
        (b"? [a]\n: 1\n", "key"),
        (b"&x a: 1\n", "anchor"),
        (b"a:\n", "empty"),
        (b"- a\n", "no_mapping"),
        (b"a\n", "no_mapping"),
        (b"", "no_mapping"),
        (b"a: 1\n---\nb: 2\n", "documents"),
        (b"%YAML 1.1\n---\na: 1\n", "directive"),
        (b"a: [1\n", "syntax"),
        (b"a: \xff\n", "encoding"),
        (b"a: 1e999\n", "number"),
        (b"a: " + b"[" * 200 + b"]" * 200, "too_deep"),
    ],
)
def test_everything_else_is_refused(text, code):
    with pytest.raises(MalformedYaml) as caught:
        document(text)
    assert caught.value.code == code


def test_nothing_that_was_written_is_quoted():
    with pytest.raises(MalformedYaml) as caught:
        document(b"secret: [jane@example.com\n")
    assert "jane" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_an_expectation_says_verdict_check_and_reason():
    told = expectation(b"verdict: reject\nby: assert_refund\nreason: amount_cents\n")
    assert (told.verdict, told.by, told.reason, told.twin) == ("reject", "assert_refund", "amount_cents", None)


@pytest.mark.parametrize(
    "text",
    [
        b"verdict: maybe\n",
        b"by: x\n",
        b"verdict: reject\n",
        b"verdict: reject\nby: x\n",
        b"verdict: reject\nreason: x\n",
        b"verdict: accept\nseverity: jane@example.com\n",
        b"verdict: accept\nby: [x]\n",
        b'verdict: accept\nby: ""\n',
        b'verdict: accept\nby: "a\\nb"\n',
    ],
)
def test_an_expectation_that_says_less_or_else_is_refused(text):
    with pytest.raises(ValueError, match=r"expect\.yaml") as caught:
        expectation(text)
    assert "jane" not in str(caught.value)


@pytest.mark.parametrize(
    ("reason", "is_it"),
    [
        ("amount_cents", True),
        ("arguments.amount_cents", True),
        ("tool_calls.arguments.amount_cents", True),
        ("tool_calls[0].arguments.amount_cents", True),
        ("cents", False),
        ("arguments", False),
        ("tool_calls[1].arguments.amount_cents", False),
    ],
)
def test_a_property_is_named_by_its_path_or_its_last_members(reason, is_it):
    assert names("tool_calls[0].arguments.amount_cents", reason) is is_it


def test_a_number_that_is_too_long_is_no_text():
    for text in ("1" * 1001, "-" + "1" * 5000, "0." + "1" * 1200):
        with pytest.raises(MalformedYaml, match="number"):
            document(f"a: {text}".encode())
    assert document(f"a: {'1' * 999}b".encode()) == {"a": "1" * 999 + "b"}
    assert document(f"a: {'x' * 2000}".encode()) == {"a": "x" * 2000}
