from __future__ import annotations

import pytest

from extractor.errors import UsageError
from extractor.review._roles import BINDS, ROLES, is_machine, person, role_named, same_person


def test_each_role_binds_the_fixture_and_what_it_answers_for():
    """S59."""
    assert tuple(BINDS) == ROLES
    assert BINDS["privacy"] == ("fixture.json", "README.md", "provenance.json")
    assert BINDS["incident-owner"] == ("fixture.json", "expect.yaml")
    assert {BINDS[role] for role in ("qa", "workflow", "dependency")} == {("fixture.json",)}


@pytest.mark.parametrize(
    "name",
    [
        *("AI", "ai", "Agent", "the agent", "bot", "review-bot", "github-actions[bot]", "Claude", "claude-3.5-sonnet"),
        *("GPT-4o", "gpt 5 mini", "ChatGPT", "Gemini 2.5 Pro", "LLM reviewer", "AI assistant", "\uff21\uff29"),
    ],
)
def test_a_program_is_no_person(name):
    """S59."""
    assert is_machine(name)


@pytest.mark.parametrize(
    "name",
    ["Rana Okafor", "Claude Moreau", "Ai Tanaka", "Theo Bot", "Ana Talbot", "Grant Abbot", "QA team", "Opus Dijk"],
)
def test_a_person_may_be_called_like_one(name):
    assert not is_machine(name)


def test_a_name_is_one_line():
    assert person("  Rana \n Okafor ") == "Rana Okafor"
    for wrong in ("", " ", "--", "x" * 101, "a\u202eb", "a\x1b[31m"):
        with pytest.raises(UsageError):
            person(wrong)


def test_spelling_does_not_make_two_people():
    assert same_person("Rana Okafor", " rana  OKAFOR")
    assert same_person("Zoë Lund", "Zoe\u0308 Lund")
    assert not same_person("Rana Okafor", "Rana Okafo")


def test_a_role_is_one_of_five():
    assert role_named("privacy") == "privacy"
    with pytest.raises(UsageError, match="incident-owner"):
        role_named("owner")
