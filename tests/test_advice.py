"""What the pages advise people to do, each held to the page and to what the tool says or does in its support."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from extractor.cli.app import COMMANDS
from extractor.replay.results.labels import LABELS
from extractor.review._roles import ROLES

ROOT = Path(__file__).parent.parent
FORMAT = json.loads((ROOT / "extractor" / "schemas" / "fixture.schema.json").read_text("utf-8"))


def page(name: str) -> str:
    """A page's words, with one space between them wherever its lines end."""
    return " ".join((ROOT / "docs" / name).read_text("utf-8").split())


def table(name: str, head: str) -> dict[str, str]:
    """The rows of a table by their first cell, each with what stands beside it."""
    _, _, rest = (ROOT / "docs" / name).read_text("utf-8").partition(f"| {head} |")
    rows = re.match(r".*\n\|[-|]+\n((?:\|.*\n)+)", rest)
    assert rows, f"docs/{name} has no table {head}"
    return dict(re.findall(r"^\| (.+?) \| (.+) \|$", rows[1], re.MULTILINE))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param(
            "adoption.md", "owned by the application under test; it is no provider's internal schema", id="S14"
        ),
        pytest.param("adoption.md", "nobody rewrites it around a toy that never shipped", id="S57"),
        pytest.param(
            "guard.md", "hoped to mean a dry run protects nothing, unless the service guarantees it", id="S66"
        ),
        pytest.param("privacy-model.md", "rotate it; a case is not containment", id="S69"),
        pytest.param("audit.md", "a hook that costs a minute is switched off", id="S112"),
        pytest.param("adoption.md", "Mend those before any expectation is changed", id="S128"),
    ],
)
def test_a_page_gives_the_advice(name, words):
    """S14 S57 S66 S69 S112 S128: what only people can do stands where they read."""
    assert words in page(name)


def test_every_boundary_has_an_owner_and_every_owner_a_role():
    """S59: no row is a program's, and whoever owns a boundary can sign for it."""
    owners = table("adoption.md", "who | owns")
    spoken = {"quality assurance": "qa", "workflow team": "workflow", "dependency team": "dependency"}
    assert {spoken.get(who, who.replace(" ", "-")) for who in owners} == set(ROLES)


def test_defects_of_the_harness_are_told_before_anything_about_the_agent():
    """S128: an outage, or a record of yesterday, must not look like a faithful replay."""
    unsound = LABELS[: LABELS.index("missing_red")]
    assert {"harness_defect", "live_call", "adapter_error"} <= {*unsound}


def test_five_costs_are_stated_each_with_what_bounds_it():
    """S133: and what is named as a bound is there."""
    costs = table("adoption.md", "cost | why, and what bounds it")
    assert list(costs) == [
        "simulators and adapters", "frozen policy", "provider runs", "over-redaction", "brittle order",
    ]  # fmt: skip
    assert {"retire", "recapture"} <= set(COMMANDS)
    assert "recapture the case" in costs["frozen policy"]
    named = set(re.findall(r"`(\w+)`", " ".join(costs.values())))
    assert named == {"ordering"}
    assert named <= FORMAT["properties"].keys()


def test_other_tools_are_compared_with_sources_and_where_they_are_better():
    """S90: each tool has a column, each letter a source, and three of them are somebody's better choice."""
    compared = (ROOT / "docs" / "comparison.md").read_text("utf-8")
    head = next(line for line in compared.splitlines() if line.startswith("| | extract-fixture"))
    assert [cell.strip() for cell in head.strip("|").split("|")][2:] == [
        "plain Presidio", "collector: redaction processor", "masking in Langfuse, LangSmith", "Tracely", "vcrpy",
    ]  # fmt: skip
    cited = {letter for letters in re.findall(r"<sup>([a-z ]+)</sup>", compared) for letter in letters.split()}
    assert cited == set(re.findall(r"^- \*([a-z])\* ", compared, re.MULTILINE))
    better = compared.partition("## When another one is the better choice")[2].partition("\n## ")[0]
    assert all(name in better for name in ("collector", "Presidio", "vcrpy", "Tracely"))
