from __future__ import annotations

from extractor.model.case import Flag, RedactedCase, SecretFound
from extractor.model.selection import Selection
from extractor.write import Notices, render_readme

DOCUMENT = {"tool_events": [{"tool": "vault.read"}, {"tool": "http.get"}]}


def redacted(secrets=(), flags=()):
    return RedactedCase(
        document=DOCUMENT,
        original={},
        known=(),
        counts=(),
        selection=Selection(boundary="1", boundary_reason="last_answer", decisions=()),
        becomes={},
        span_ids={},
        trace_refs=(),
        scope="case:1",
        key_id="k",
        secrets=secrets,
        flags=flags,
    )


def test_secrets_of_one_kind_and_rule_are_one_line():
    """S69."""
    notices = Notices.of(
        redacted(
            (
                SecretFound(kind="GitHub access", rule="secret.vendor", steps=("tool_events[1]", "messages[0]")),
                SecretFound(kind="GitHub access", rule="secret.vendor", spans=("a1", "a2")),
                SecretFound(kind="private key", rule="secret.pem", spans=("a1",)),
            )
        )
    )
    assert notices.secret_lines(DOCUMENT) == [
        "2 × GitHub access (rule secret.vendor) in tool_events[1] (http.get), messages[0], and outside the case (2 spans)",
        "private key (rule secret.pem) outside the case (1 span)",
    ]


def test_flags_are_told_by_category_and_long_lists_are_cut():
    """S129."""
    flags = [Flag(category="medical", step=f"messages[{number}]", count=1) for number in range(8)]
    (line,) = Notices.of(redacted((), tuple(flags))).flag_lines(DOCUMENT)
    assert line.startswith("medical text in messages[0], ")
    assert line.endswith("messages[5], 2 more")


def test_a_category_of_a_project_is_told_by_its_name():
    notices = Notices.of(redacted((), (Flag(category="trade_secret", step="expected", count=1),)))
    assert notices.flag_lines(DOCUMENT) == ["trade secret in expected"]


def test_a_readme_says_what_to_do_before_anybody_shares_it():
    notices = Notices.of(
        redacted(
            (SecretFound(kind="private key", rule="secret.pem", steps=("tool_events[0]",)),),
            (Flag(category="medical", step="messages[0]", count=2),),
        )
    )
    text = render_readme(DOCUMENT, replayable=True, notices=notices).decode()
    assert "## Before anybody shares it" in text
    assert (
        "- A secret stood there: private key (rule secret.pem) in `tool_events[0]` (`vault.read`); "
        "rotate it: a case is not containment.\n" in text
    )
    assert "- Flagged: medical text in `messages[0]`; a reviewer accepts it, or chooses a structural case.\n" in text
    assert "Before anybody" not in render_readme(DOCUMENT, replayable=True).decode()


def test_what_stands_is_kept_and_what_is_new_is_added():
    one, two = ({"category": "medical", "step": step, "count": 1} for step in ("messages[0]", "expected"))
    standing = Notices.standing({"redaction": {"secrets": []}, "flags": [one]})
    assert standing.and_more(Notices(flags=(one, two))).flags == (one, two)
    assert Notices.standing({}) == Notices()
