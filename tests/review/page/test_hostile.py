"""Text that would be markup, script, style, or a terminal's command is data in page, packet and terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extractor.cli.app import run
from extractor.model.json import pretty
from extractor.review.page.lenient import CaseFiles
from extractor.review.page.packet import packet
from extractor.review.page.session import Review

from .conftest import desk_of
from .parsing import Parsed
from .test_server import Browser

CANARY = "zqcanary"
ATTACKS = {
    "script": f"<script>{CANARY}()</script>",
    "closing": f"</script></style></textarea></title></pre><script>{CANARY}()</script>",
    "handler": f"<img src=x onerror={CANARY}()><svg onload={CANARY}()>",
    "attribute": f"\" onmouseover=\"{CANARY}()\" x=\"' onfocus='{CANARY}()' autofocus '",
    "address": f'<a href="javascript:{CANARY}()">{CANARY}</a>',
    "style": f"</style><style>body{{background:url(//{CANARY}.example)}}</style>{{}}*{{display:none}}",
    "form": f"<form action=//{CANARY}.example><button>{CANARY}</button></form><base href=//{CANARY}.example>",
    "meta": f'<meta http-equiv=refresh content="0;url=//{CANARY}.example"><iframe srcdoc="<script>{CANARY}()</script>">',
    "comment": f"<!-- {CANARY} --><![CDATA[{CANARY}]]><?{CANARY}?>",
    "entities": f"&lt;script&gt;{CANARY}()&lt;/script&gt;&#60;script&#62;",
    "template": f"{{{{ {CANARY} }}}}{{% for {CANARY} in () %}}{{# {CANARY} #}}${{{CANARY}}}",
    "bidi": f"\u202e{CANARY}\u202c\u2066x\u2069\u200f",
    "invisible": f"a\u200b\u2060\ufeff\U000e0041{CANARY}\u00ad",
    "ansi": f"\x1b[2J\x1b[31m{CANARY}\x1b[0m\x9b31m",
    "osc8": f"\x1b]8;;http://{CANARY}.example\x07{CANARY}\x1b]8;;\x07",
    "osc52": f"\x1b]52;c;{CANARY}\x07\x1bP{CANARY}\x1b\\\x08\x08\x7f\x00",
    "markdown": f"[{CANARY}](javascript:{CANARY}()) ![x](//{CANARY}.example) ```",
    "path": f"../../{CANARY}; rm -rf / `{CANARY}` $({CANARY})",
}
_ESCAPED = {"bidi", "invisible", "ansi", "osc8", "osc52"}


def poisoned(value: Any, attack: str, path: tuple[str, ...] = ()) -> Any:
    """Return a document with the attack in every text and behind every member name that is not ours."""
    ours = ("role", "type", "ended_by", "side_effect", "mode", "fidelity", "lane", "id", "source", "code")
    if isinstance(value, dict):
        inside = any(name in ("arguments", "value", "claims", "flags", "parameters") for name in path)
        return {
            (f"{name}{attack}" if inside else name): poisoned(child, attack, (*path, name))
            for name, child in value.items()
        }
    if isinstance(value, list):
        return [poisoned(child, attack, (*path, "[]")) for child in value]
    if isinstance(value, str) and path[-1] not in ours and path[:1] != ("conversation",) and "input" not in path[1:2]:
        return attack if path[-1] == "call_id" else f"{value} {attack}"
    return value


def hostile(case: Path, attack: str) -> Path:
    """Poison fixture and sidecar of a case; the sidecar, which is of our making, with a short attack at most."""
    fixture = json.loads((case / "fixture.json").read_bytes())
    conversation = fixture["conversation"]
    events = [(one["input"], one["output"]) for one in fixture["model_events"]]
    made = poisoned(fixture, attack)
    made["conversation"] = conversation
    for event, (heard, said) in zip(made["model_events"], events, strict=True):
        event["input"], event["output"] = heard, said
    (case / "fixture.json").write_bytes(pretty(made).encode())
    attack = attack[:400]
    sidecar = json.loads((case / "provenance.json").read_bytes())
    told = sidecar["predicate"]
    pseudonym = attack if len(set(attack)) > 1 else CANARY.upper()
    told["relations"]["pseudonyms"] += [{"text": pseudonym, "entity": attack}, {"text": CANARY, "entity": "person"}]
    told["flags"] = [{"category": attack, "step": attack, "count": 1}]
    told["redaction"]["secrets"] = [{"kind": attack, "rule": attack, "steps": [attack], "spans": [attack]}]
    told["boundary"]["reason"] = attack
    told["ledger"] = [{"code": attack, "count": 1, "places": [attack]}]
    told["residual"] += [{"code": attack, "path": attack, "start": 0, "end": 9, "count": 1}]
    told["accepted"] = [{"code": "word", "path": "final_output", "start": 0, "end": 400, "count": 1}]
    told["versions"]["tool"] = attack
    for each in told["selection"]:
        each["reason"], each["becomes"] = attack, attack
    for each in told["relations"]["entities"]:
        each["entity"] = attack
    sidecar["subject"][0]["digest"]["sha256"] = CaseFiles.of(case).digest("fixture.json")
    (case / "provenance.json").write_text(json.dumps(sidecar))
    return case


@pytest.fixture(scope="module")
def clean(pattern) -> tuple[set[str], set[str]]:
    """The elements and attributes of an honest page and packet."""
    page = Browser(Review(cases=(pattern,), desk=desk_of())).opened().get("/case/1").text
    parsed = [Parsed(page), Parsed(packet(CaseFiles.of(pattern)).html.decode())]
    names = {name for one in parsed for name in one.names}
    return names, {attribute for one in parsed for element in one.all for attribute in element}


def shown(case: Path) -> Iterator[str]:
    yield Browser(Review(cases=(case,), desk=desk_of())).opened().get("/case/1").text
    yield Browser(Review(cases=(case, case), desk=desk_of())).opened().get("/").text
    yield packet(CaseFiles.of(case)).html.decode()


@pytest.mark.parametrize("name", ATTACKS)
def test_no_element_and_no_attribute_comes_of_data(case, clean, name):
    hostile(case, ATTACKS[name])
    elements, attributes = clean
    for content in shown(case):
        page = Parsed(content)
        assert set(page.names) <= elements | {"svg", "rect", "mark", "ul", "details"}
        assert {attribute for element in page.all for attribute in element} <= attributes | {"value", "checked"}
        assert page.comments == []
        assert CANARY in page.text
        for tag, element in zip(page.names, page.all, strict=True):
            for attribute, value in element.items():
                # Data stands in values of fields and confirmations alone, which submit it and do nothing else.
                assert CANARY not in value or (tag, attribute) == ("input", "value")
                assert attribute not in ("href", "src", "action") or re.fullmatch(r"[#/][\w./-]*", value)


@pytest.mark.parametrize("name", ATTACKS)
def test_no_style_or_script_comes_of_data(case, name):
    hostile(case, ATTACKS[name])
    for content in shown(case):
        silent = "".join(re.findall(r"<style[^>]*>(.*?)</style>", content, re.DOTALL))
        assert CANARY not in silent
        assert content.count("<style") == content.count("</style>") == 1
        assert "<script" not in content


@pytest.mark.parametrize("name", sorted(_ESCAPED))
def test_nothing_that_steers_a_screen_is_written(case, name, capsys, tmp_path):
    hostile(case, ATTACKS[name])
    steering = re.compile(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
    )
    for content in shown(case):
        assert not steering.search(content)
    made = packet(CaseFiles.of(case))
    events = json.loads(made.json)["events"]
    assert not steering.search(json.dumps(events, ensure_ascii=False))
    for arguments in (
        ["show", str(case)],
        ["show", str(case), "--proofs"],
        ["review", str(case), "--packet", str(tmp_path / "p")],
    ):
        run(arguments)
        out, err = capsys.readouterr()
        assert not steering.search(out + err)


def test_the_policy_would_block_what_escaping_let_through(case):
    """A second wall: even markup that came in could load, run, submit or frame nothing."""
    browser = Browser(Review(cases=(case,), desk=desk_of())).opened()
    policy = browser.get("/case/1").headers["Content-Security-Policy"]
    (told,) = [
        one["content"]
        for one in Parsed(packet(CaseFiles.of(case)).html.decode()).elements("meta")
        if "http-equiv" in one
    ]
    for text in (policy, told):
        directives = dict(part.strip().split(" ", 1) for part in text.split(";"))
        assert directives["default-src"] == "'none'"
        assert directives["base-uri"] == "'none'"
        assert directives["form-action"] in ("'self'", "'none'")
        assert not {"script-src", "img-src", "connect-src", "frame-src", "object-src", "font-src"} & set(directives)
        assert "unsafe" not in text
        assert "*" not in text


def test_lines_of_a_megabyte_are_read_in_full_and_folded(case):
    hostile(case, "x" * 1_000_000)
    content = packet(CaseFiles.of(case)).html.decode()
    page = Parsed(content)
    assert "characters" in page.text
    assert page.text.count("x" * 1_000_000) >= 10


def test_a_long_line_of_what_steers_a_screen_is_one_run(case):
    hostile(case, "\u202e" * 50_000)
    assert len(Parsed(packet(CaseFiles.of(case)).html.decode()).names) < 5_000
