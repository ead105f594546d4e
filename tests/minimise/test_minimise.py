"""The whole search, with a command in this process instead of one outside: what is asked, how often, and what is left."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from extractor import ruleset
from extractor.errors import UsageError
from extractor.minimise import minimise
from extractor.minimise import search as search_module
from extractor.minimise.oracle import Oracle, Verdict
from extractor.minimise.pieces import levels
from extractor.minimise.project import Reduced, project
from extractor.model.json import pretty
from extractor.validate import validate_case

from .cases import KEY, decision, standing_of, story, write

RULES = ruleset.load()


class Killed(BaseException):
    """As when the process is killed."""


@dataclass
class Scripted(Oracle):
    """A command whose verdict is a function of the document; it counts how often it is asked."""

    command: tuple[str, ...] = ("scripted",)
    environment: dict[str, str] = field(default_factory=dict)
    judge: Callable[[dict], int | None] = lambda document: 1
    killed_after: int | None = None
    asked: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)

    def run(self, case: Path) -> Verdict:
        if self.killed_after is not None and len(self.asked) >= self.killed_after:
            raise Killed
        content = (case / "fixture.json").read_text()
        self.asked.append(content)
        self.folders.append(case)
        assert validate_case(case).exit_status == 0
        assert {entry.name for entry in case.iterdir()} <= {
            "fixture.json",
            "provenance.json",
            "README.md",
            "expect.yaml",
        }
        assert case.parent.parent.stat().st_mode & 0o777 == 0o700
        return Verdict(status=self.judge(json.loads(content)), matched=True)


def retried(document) -> int:
    """Red while two attempts share a key and a document is there."""
    keys = [each["idempotency_key"] for each in document["tool_events"]]
    return 3 if len(keys) != len(set(keys)) and document["documents"] else 0


@pytest.fixture
def case(tmp_path) -> Path:
    selection = [decision(f"s{index}", f"tool_events[{index}]") for index in range(5)]
    return write(standing_of(story(), "Marlow", selection=selection), tmp_path)


@pytest.fixture
def journal(tmp_path) -> Path:
    return tmp_path / "journal.jsonl"


def test_what_is_left_is_red_and_no_piece_of_it_can_go(case, journal):
    made = minimise(case, Scripted(judge=retried), journal, RULES, KEY)
    document = json.loads(made.fixture.files["fixture.json"])
    assert retried(document) == 3
    pieces = {piece for level in levels(document) for piece in level.order}
    assert len(pieces) == made.pieces_after == 3
    assert all(retried(project(document, pieces - {piece}).document) == 0 for piece in pieces)
    assert made.bytes_after == len(made.fixture.files["fixture.json"]) < made.bytes_before


def test_the_sidecar_says_so_by_counts_and_digests(case, journal):
    asked = Scripted(judge=retried)
    made = minimise(case, asked, journal, RULES, KEY)
    predicate = json.loads(made.fixture.files["provenance.json"])["predicate"]
    assert predicate["minimised"] == {
        "oracle": asked.digest,
        "pieces_before": made.pieces_before,
        "pieces_after": 3,
        "runs": made.runs,
        "one_minimal": True,
    }
    reasons = [each["reason"] for each in predicate["selection"]]
    assert sorted(reasons) == ["attempt"] * 2 + ["minimised"] * 3
    assert made.runs == len(asked.asked)


def test_another_failure_is_not_this_one(case, journal):
    """Red by another status is what a check says that lacks what it needs."""

    def judge(document) -> int:
        return retried(document) if document["identity"]["roles"] else 1

    made = minimise(case, Scripted(judge=judge), journal, RULES, KEY)
    assert len(json.loads(made.fixture.files["fixture.json"])["identity"]["roles"]) == 1


def test_a_smaller_case_that_takes_too_long_is_not_red(case, journal):
    made = minimise(case, Scripted(judge=lambda document: 1 if document["facts"] else None), journal, RULES, KEY)
    assert made.pieces_after == 1


def test_no_folder_is_left_and_none_holds_what_leads_back(case, journal):
    asked = Scripted(judge=retried)
    minimise(case, asked, journal, RULES, KEY)
    assert not [folder for folder in asked.folders if folder.parent.parent.exists()]


def test_what_people_expect_of_the_case_is_shown_too(case, journal):
    (case / "expect.yaml").write_text("verdict: reject\n")
    seen: list[bool] = []

    class Looking(Scripted):
        def run(self, case: Path) -> Verdict:
            seen.append((case / "expect.yaml").read_text() == "verdict: reject\n")
            return super().run(case)

    minimise(case, Looking(judge=retried), journal, RULES, KEY)
    assert seen
    assert all(seen)


def test_nothing_is_asked_twice(case, journal):
    first = Scripted(judge=retried)
    made = minimise(case, first, journal, RULES, KEY)
    assert len(first.asked) == len(set(first.asked)) + 1  # the unchanged case
    second = Scripted(judge=retried)
    again = minimise(case, second, journal, RULES, KEY)
    assert second.asked == []
    assert again.repeated == again.runs == made.runs
    assert again.fixture.files == made.fixture.files


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_a_search_that_was_killed_goes_on_where_it_was(case, journal, tmp_path, share):
    whole = Scripted(judge=retried)
    made = minimise(case, whole, tmp_path / "other.jsonl", RULES, KEY)
    cut = Scripted(judge=retried, killed_after=1 + int(share * len(whole.asked)))
    with pytest.raises(Killed):
        minimise(case, cut, journal, RULES, KEY)
    rest = Scripted(judge=retried)
    again = minimise(case, rest, journal, RULES, KEY)
    assert cut.asked + rest.asked == whole.asked
    assert again.fixture.files == made.fixture.files


def test_asked_about_its_own_result_it_leaves_every_byte(case, journal):
    made = minimise(case, Scripted(judge=retried), journal, RULES, KEY)
    for name, content in made.fixture.files.items():
        (case / name).write_bytes(content)
    again = Scripted(judge=retried)
    assert minimise(case, again, journal, RULES, KEY).fixture.files == made.fixture.files
    assert len(again.asked) <= 1


def test_the_journal_holds_digests_alone(case, journal):
    minimise(case, Scripted(judge=retried), journal, RULES, KEY)
    for line in journal.read_text().splitlines():
        assert set(json.loads(line)) == {"oracle", "fixture", "status", "matched"}
    assert "A-7741" not in journal.read_text()


def test_a_case_that_fails_a_proof_is_counted_and_never_shown(case, journal, monkeypatch):
    """Whatever a projection did wrong: here it loses the order of attempts, and once breaks the schema."""

    def careless(document, pieces) -> Reduced:
        made = project(document, pieces)
        events = made.document["tool_events"]
        if 0 < len(events) < 5:
            events[-1]["after"] = []
            events[-1]["side_effect"] = "perhaps" if len(events) == 2 else events[-1]["side_effect"]
        return made

    monkeypatch.setattr(search_module, "project", careless)
    asked = Scripted(judge=lambda document: 1 if document["tool_events"] else 0)
    made = minimise(case, asked, journal, RULES, KEY)
    assert made.refused > 0
    shown = [json.loads(content)["tool_events"] for content in asked.asked]
    assert {len(events) for events in shown} <= {0, 1, 5}
    assert not [events for events in shown if any(each["side_effect"] == "perhaps" for each in events)]


def test_a_case_that_would_leak_is_never_shown(tmp_path, journal):
    document = story()
    document["identity"]["roles"] = ["Oda", "x", "marlowe"]
    case = write(standing_of(document, "Odamarlowe"), tmp_path)
    asked = Scripted(judge=lambda document: 1 if {"Oda", "marlowe"} <= set(document["identity"]["roles"]) else 0)
    made = minimise(case, asked, journal, RULES, KEY)
    assert json.loads(made.fixture.files["fixture.json"])["identity"]["roles"] == ["Oda", "x", "marlowe"]
    assert made.refused > 0
    assert not [content for content in asked.asked if json.loads(content)["identity"]["roles"] == ["Oda", "marlowe"]]


def test_a_green_command_is_a_usage_error(case, journal):
    with pytest.raises(UsageError, match="green"):
        minimise(case, Scripted(judge=lambda document: 0), journal, RULES, KEY)


def test_a_flaky_command_is_a_usage_error(case, journal):
    statuses = iter((1, 2))
    with pytest.raises(UsageError, match="flaky"):
        minimise(case, Scripted(judge=lambda document: next(statuses)), journal, RULES, KEY)


def test_a_command_that_never_ends_is_a_usage_error(case, journal):
    with pytest.raises(UsageError, match="within"):
        minimise(case, Scripted(judge=lambda document: None), journal, RULES, KEY)


def test_an_incomplete_case_stays_incomplete(tmp_path, journal):
    document = story()
    document["expected"]["prohibited_claims"] = []
    case = write(standing_of(document), tmp_path)

    class Lenient(Scripted):
        def run(self, case: Path) -> Verdict:
            return Verdict(status=self.judge(json.loads((case / "fixture.json").read_text())), matched=True)

    assert minimise(case, Lenient(judge=retried), journal, RULES, KEY).fixture.incomplete


def test_a_case_whose_numbers_have_gaps_is_asked_about_as_it_will_be_written(tmp_path, journal):
    document = story()
    document["tool_events"][4]["try"] = 9
    case = write(standing_of(document), tmp_path)
    judge = Scripted(judge=lambda document: 1 if document["tool_events"][4]["try"] == 9 else 0)
    with pytest.raises(UsageError, match="counted anew"):
        minimise(case, judge, journal, RULES, KEY)
    assert pretty(document) == (case / "fixture.json").read_text()
