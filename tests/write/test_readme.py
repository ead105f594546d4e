from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.write import render_readme
from extractor.write._markdown import code


def text(document: Any, *, replayable: bool = True) -> str:
    return render_readme(document, replayable=replayable).decode()


def test_it_tells_the_incident_in_two_paragraphs(document: Any) -> None:
    lines = text(document).splitlines()
    assert lines[0] == "# 2026-03-02-refund-create-timeout-error-0a1b2c3d"
    assert lines[2] == "State when written: quarantine, in review."
    paragraphs = {lines[index]: lines[index + 2] for index, line in enumerate(lines) if line.startswith("## ")}
    assert paragraphs["## What happened"] == (
        "The failure shows at `2026-03-02T10:00:31.25Z` in `refund-agent` version `1.4.2`, workflow `refunds-7`. "
        "The user said `Please refund order A-7741.`. 2 attempts of 1 tool: "
        "1 `refund.create` failed with `TimeoutError`, ended by remote timeout; "
        "2 `refund.create` (the recorded harm) returned a result. Side effects: 1 accepted, 1 unknown. "
        "The final answer was `Your refund is complete.`."
    )
    assert paragraphs["## What is expected"] == (
        "Trigger: `The refund tool timed out.`. Prohibited: `The agent says that the refund is complete.`. "
        "Evidence needed: `A result of refund.create before the answer.`. "
        "The product must not claim: `The refund is complete.`. "
        "The product must do: `Say that completion is unconfirmed.`. "
        "It must say, in these very words: `Refunds take up to five days.`. "
        "Accepted side effects: `refund.create` 0 to 1. No side effect before the decision `allow`. "
        "It must call `escalate`. The policy must decide `pending`. The check `no_unconfirmed_claim` decides. "
        "`alternates[]` holds 1 answer made up by people: the workflow or dependency role must look at it. "
        "Missing evidence: `identity.tenant` (not_in_trace)."
    )
    assert paragraphs["## Next, in this folder"].strip() == "extract-fixture validate ."


def test_it_tells_which_words_a_replay_takes_for_a_claim(document: Any) -> None:
    expected = {**document["expected"], "claims": {"prohibit": ["is complete"], "unless": ["not confirmed"]}}
    expected["required_disclosures"] = [{"text": "that it takes time", "exact": False}]
    told = text({**document, "alternates": [], "expected": expected})
    assert "The final output must not say `is complete`, unless it says `not confirmed`." in told
    assert "It must say: `that it takes time`." in told
    assert "made up" not in told


def test_it_says_pseudonymised_and_never_anonymous(document: Any) -> None:
    assert re.findall(r"\w*onym\w*", text(document)) == ["Pseudonymised", "anonymous"]
    assert "never anonymous" in text(document)


def test_an_incomplete_case_names_what_completes_it(document: Any) -> None:
    """S6."""
    document["expected"] |= {"prohibited_claims": [], "failure_statement": {"trigger": None}}
    assert "quarantine, incomplete." in text(document)
    assert "Nobody has said yet what failed." in text(document)
    assert "extract-fixture annotate . --failure" in text(document)


def test_a_prohibition_is_said_once(document: Any) -> None:
    document["expected"] |= {
        "prohibited_claims": ["The refund is complete.", "It was sent."],
        "failure_statement": {"trigger": None, "prohibited": "The refund is complete.; It was sent."},
    }
    assert text(document).count("The refund is complete.") == 1
    assert "Nobody has said" not in text(document)


def test_a_case_that_cannot_be_judged_says_so(document: Any) -> None:
    """S67."""
    assert "quarantine, non-replayable." in text(document, replayable=False)


def test_long_cases_stay_short(document: Any) -> None:
    document["tool_events"] = [{**document["tool_events"][0], "attempt": number} for number in range(1, 200)]
    document["final_output"] = "word " * 5000
    document["missing_evidence"] *= 100
    assert len(text(document)) < 3000
    assert "and 191 more" in text(document)


HOSTILE = (
    "</p><script>alert(1)</script>\n\n# heading\n![x](http://example.com/x.png) `` ` | = + - @ \x1b]52;c;eA\x07 \u202e"
)


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(node, dict):
        return [found for key, child in node.items() for found in places(child, (*path, key))]
    if isinstance(node, list):
        return [found for index, child in enumerate(node) for found in places(child, (*path, index))]
    return [path]


def test_no_text_of_the_incident_is_markup(document: Any) -> None:
    plain = text(document)
    # These are ours: an enumerated word or the name of the case.
    ours = {"case_id", "side_effect", "ended_by", "code", "attempt", "min", "max"}
    for path in places(document):
        if path[-1] in ours:
            continue
        changed = copy.deepcopy(document)
        node = changed
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = HOSTILE
        shown = text(changed)
        assert shown.count("\n") == plain.count("\n")
        assert all(char.isprintable() or char == "\n" for char in shown)
        assert "<script" not in re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", shown)


@given(st.text(min_size=1))
def test_a_code_span_closes_only_at_its_end(value: str) -> None:
    shown = code(value)
    fence = re.match("`*", shown).group()  # type: ignore[union-attr]
    assert shown == "(empty)" or re.findall(rf"(?<!`){fence}(?!`)", shown) == [fence, fence]
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\n b", "`a b`"),
        ("`", "`` ` ``"),
        ("", "(empty)"),
        ("\u202e", "`\\u202e`"),
        ("\U000e0001", "`\\U000e0001`"),
        ({"a": 1.5}, '`{"a":1.5}`'),
        ("x" * 300, f"`{'x' * 240} …`"),
    ],
)
def test_code_spans(value: Any, shown: str) -> None:
    assert code(value) == shown


@pytest.mark.parametrize(
    ("bound", "said"), [((1, 1), "exactly 1"), ((0, 2), "0 to 2"), ((1, None), "at least 1"), ((0, 0), "exactly 0")]
)
def test_bounds_of_effects_are_said_in_words(document: Any, bound: tuple[int, int | None], said: str) -> None:
    document["expected"]["effects"] = {"refund.create": {"min": bound[0], "max": bound[1]}}
    assert f"Accepted side effects: `refund.create` {said}." in text(document)


def test_what_is_absent_is_said(document: Any) -> None:
    """S4."""
    document |= {"tool_events": [], "final_output": None, "missing_evidence": []}
    document["input"]["messages"] = []
    shown = text(document)
    for sentence in (
        "The trace holds no words of the user.",
        "No tool was called.",
        "No final answer was recorded.",
        "No evidence is known to be missing.",
    ):
        assert sentence in shown
