from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from extractor.model.config import RunConfig
from extractor.redact import Documents, WorkspaceKey
from extractor.ruleset import load

KEY = WorkspaceKey(material=bytes(range(32)))
MAIL = "zed.whitcombe@acme-corp.com"


def explained(*values):
    """Return the values redacted, and what was told of the first, as steps joined, range, class and rule."""
    told = []
    documents = Documents(load(), RunConfig(), KEY, listener=told.append)
    for value in values:
        documents.learn(value)
    documents.settle("t")
    made = [documents.rewritten(value) for value in values[1:]]
    told.clear()
    return [documents.rewritten(values[0]), *made], [
        (".".join(one.steps), one.start, one.end, one.entity, ",".join(one.rules)) for one in told
    ]


def silent(*values):
    documents = Documents(load(), RunConfig(), KEY)
    for value in values:
        documents.learn(value)
    documents.settle("t")
    return [documents.rewritten(value) for value in values]


@pytest.mark.parametrize(
    ("value", "steps", "start"),
    [
        (MAIL, "", 0),
        ([1, {"a": 1, "b": ["x", f"to {MAIL}"]}], "[1].{1}.[1]", 3),
        ({"a": {MAIL: 1}}, "{0}.{0}.key", 0),
        ({"a": json.dumps({"x": 1, "y": MAIL})}, "{0}.<0.0>.{1}", 0),
        ({"a": f"see https://shop.example.com/x?q={quote(MAIL)} now"}, None, 0),
        ({"a": base64.b64encode(f"mail {MAIL} please".encode()).decode()}, "{0}.<0.0>", 5),
    ],
)
def test_a_replacement_is_told_by_position(value, steps, start):
    _, told = explained(value)
    mails = [one for one in told if one[3] == "email"]
    assert len(mails) == 1
    if steps is not None:
        assert mails[0][:3] == (steps, start, start + len(MAIL))
    assert "acme" not in repr(told)


def test_a_repetition_is_told_each_time():
    _, told = explained([f"to {MAIL}", f"to {MAIL}", {"a": f"to {MAIL}"}])
    assert [one[:3] for one in told] == [(steps, 3, 30) for steps in ("[0]", "[1]", "[2].{0}")]


def test_a_number_is_told_as_its_digits():
    _, told = explained({"user_id": 88213477})
    assert told == [("{0}", 0, 8, "user_id", "user.field")]


def test_a_value_that_goes_on_in_the_next_text_is_told_in_both():
    deltas = [{"delta": piece} for piece in ("write to zed.whit", "combe@acme-", "corp.com today")]
    made, told = explained(deltas)
    assert [one[:3] for one in told if one[3] == "email"] == [
        ("[0].{0}", 9, 17),
        ("[1].{0}", 0, 11),
        ("[2].{0}", 0, 8),
    ]
    assert made == silent(deltas)


def test_telling_changes_nothing():
    values = (
        {"user": {"name": "Zed Whitcombe", "email": MAIL}, "log": f"user={quote(MAIL)}&x=1", "n": [4111111111111111]},
        "Zed Whitcombe wrote from 203.0.113.77",
        ["a", MAIL, json.dumps([MAIL])],
    )
    assert explained(*values)[0] == silent(*values)
