from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.redact.place import Place, normal_name


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("userId", "user_id"),
        ("user-id", "user_id"),
        ("user.id", "user_id"),
        ("UserID", "user_id"),
        ("HTTPRequestID", "http_request_id"),
        ("messages.0.content", "messages_content"),
        ("messages.17.content", "messages_content"),
        ("items_3", "items"),
        ("address1", "address1"),
        ("", ""),
        ("__x__", "x"),
    ],
)
def test_spellings_of_one_name_are_one(name, normal):
    assert normal_name(name) == normal


@given(st.text())
def test_a_normal_name_is_plain(name):
    assert all(char.isalnum() or char == "_" for char in normal_name(name))


def test_a_member_stands_below_its_object():
    place = Place().member("userProfile", frozenset()).member("firstName", frozenset({"email"}))
    assert place.names == ("user_profile", "first_name")
    assert place.name == "first_name"
    assert place.beside == {"email"}
    assert Place().name == ""


def test_no_sentence_stands_in_a_key():
    place = Place(names=("note",))
    assert place.prose
    assert not place.as_kind("key").prose
    assert not place.as_kind("key").as_kind("value").prose
    assert place.as_kind("key").names == place.names
