"""Persons in free text, with the real model."""

from __future__ import annotations

import socket
import sys
import time

import pytest

from extractor.errors import RedactionRefused, UsageError
from extractor.model.config import Nlp
from extractor.redact.prose import _OVERLAP, MAX_CHUNK, ProseReader, _chunks, is_prose

pytestmark = pytest.mark.nlp
GREETING = "Hello, this is Priya Raman speaking, and I wrote to you about the refund last week."


@pytest.fixture(scope="module")
def reader():
    return ProseReader(Nlp())


def names(reader, text):
    [(_, findings)] = reader.by_text([text])
    return {finding.text: finding for finding in findings}


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("I want my money back", True),
        ("ok", False),
        ("gpt-4o-mini", False),
        ('{"a": 1, "b": [1, 2, 3, 4, 5, 6, 7, 8, 9]}', False),
        ("", False),
        ("1 2 3 4 5 6 7 8 9 10", False),
    ],
)
def test_prose_is_several_words_and_mostly_letters(text, prose):
    assert is_prose(text) is prose


def test_a_name_is_found_and_several_words_corroborate_it(reader):
    finding = names(reader, GREETING)["Priya Raman"]
    assert finding.corroborated
    assert not finding.foreign
    assert "Priya" not in repr(finding)


def test_texts_are_read_once_and_come_sorted(reader, monkeypatch):
    first = list(reader.by_text([GREETING, "A second text of four words"]))
    monkeypatch.setattr(reader, "_engine", None)
    assert list(reader.by_text(["A second text of four words", GREETING])) == first


def test_no_socket_is_opened(monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert names(ProseReader(Nlp()), "Please write to Priya Raman at priya@shop-a.com today")


def test_an_absent_model_is_a_usage_error():
    with pytest.raises(UsageError, match="not installed"):
        list(ProseReader(Nlp(model="no_such_model")).by_text([GREETING]))


@pytest.mark.parametrize(
    "text",
    [
        "word " * 30_000,
        "a" * 150_000,
        "x" * 199 + " " + "a" * 120_000,
        "x" * 200 + " " + "a" * 120_000,
        "x" * 25_001 + " " + "a" * 120_000,
        "short",
    ],
)
def test_chunks_are_bounded_and_leave_nothing_out(text):
    first, *others = _chunks(text)
    assert first + "".join(chunk[_OVERLAP:] for chunk in others) == text
    assert max(map(len, (first, *others))) <= MAX_CHUNK
    assert len(others) < 12


BADGES = """
recognizers:
  - name: badges
    supported_language: en
    supported_entity: BADGE
    patterns:
      - {name: badge, regex: 'EMP-[0-9]{4}', score: 0.9}
  - name: projects
    supported_language: en
    supported_entity: PROJECT
    deny_list: [orchid]
"""
SLOW = """
recognizers:
  - name: slow
    supported_language: en
    supported_entity: SLOW
    patterns:
      - {name: slow, regex: '(a|aa)+$', score: 0.9}
"""


def with_recognizers(tmp_path, text):
    file = tmp_path / "team.yaml"
    file.write_text(text, encoding="utf-8")
    return ProseReader(Nlp(recognizers=(str(file),)))


def test_a_teams_patterns_find_what_is_theirs(tmp_path):
    found = names(with_recognizers(tmp_path, BADGES), "The person with badge EMP-4471 works on orchid now")
    assert found["EMP-4471"].foreign
    assert found["EMP-4471"].rule == "recognizer.badge"
    assert found["orchid"].rule == "recognizer.project"


def test_a_pattern_that_takes_too_long_fails_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr("extractor.redact._analyzer.PATTERN_SECONDS", 0.05)
    with pytest.raises(RedactionRefused, match="too long"):
        names(with_recognizers(tmp_path, SLOW), "a text with an " + "a" * 5_000 + " and then more words")


RECOGNIZER = """
from presidio_analyzer import EntityRecognizer, RecognizerResult


class Shouts(EntityRecognizer):
    def __init__(self):
        super().__init__(supported_entities=["SHOUT"], supported_language="en")

    def load(self):
        pass

    def analyze(self, text, entities, nlp_artifacts=None):
        if "boom" in text:
            raise ZeroDivisionError(text)
        return [RecognizerResult("SHOUT", text.index("ZORK"), text.index("ZORK") + 4, 0.9)] if "ZORK" in text else []


class Other:
    pass


class German(Shouts):
    def __init__(self):
        super().__init__()
        self.supported_language = "de"
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    name = f"team_recognizers_{time.monotonic_ns()}"
    (tmp_path / f"{name}.py").write_text(RECOGNIZER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


def test_a_teams_class_finds_what_is_theirs_and_its_failure_fails_the_run(module):
    reader = ProseReader(Nlp(recognizers=(f"{module}:Shouts",)))
    assert names(reader, "they all cried ZORK at the desk")["ZORK"].rule == "recognizer.shout"
    with pytest.raises(RedactionRefused) as caught:
        names(reader, "this text goes boom at once")
    assert "boom" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "source", ["no_such_module:X", "{module}:Absent", "{module}:Other", "{module}:German", "/absent.yaml", "x"]
)
def test_what_is_no_recognizer_is_a_usage_error(module, source):
    with pytest.raises(UsageError, match="entry 1"):
        names(ProseReader(Nlp(recognizers=(source.format(module=module),))), GREETING)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "recognizers: 7",
        "recognizers: [{name: x}]",
        "[",
        "recognizers:\n  - {name: x, supported_entity: X, supported_language: en, patterns: [{name: x, regex: '(', score: 1}]}",
    ],
)
def test_a_file_that_does_not_read_is_a_usage_error(tmp_path, text, capsys):
    with pytest.raises(UsageError):
        names(with_recognizers(tmp_path, text), GREETING)
    assert capsys.readouterr() == ("", "")
