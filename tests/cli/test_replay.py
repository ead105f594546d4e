"""``extract-fixture replay``: what a run comes to, its manifest, and statuses that tell failures apart (S56 S62 S86)."""

from __future__ import annotations

import json
import textwrap

import pytest

from extractor.cli.app import run
from extractor.replay.results.claims import NOT_PROVED
from tests.replay.conftest import race_members
from tests.replay.documents import call, folder

FIND = call(1, "order.find", {"id": "O-1"}, {"state": "paid"})
CLAIMS = {"claims": {"prohibit": ["the refund is done"], "unless": []}}
AGENT = """
    import functools
    import itertools

    def good(incident):
        incident.call_tool("order.find", {"id": "O-1"})
        return "I cannot say."

    def bad(incident):
        incident.call_tool("order.find", {"id": "O-1"})
        return "The refund is done."

    def early(text):
        return "I cannot say."

    def other(incident):
        incident.call_tool("order.find", {"id": "O-2"})

    def more(incident):
        incident.call_tool("mail.send", {})

    def live(text):
        import socket
        socket.create_connection(("192.0.2.1", 443))

    def clock(incident):
        import time
        time.time()
        return good(incident)

    def leaves(text):
        import os
        os._exit(0)

    counter = itertools.count()

    def remembers(incident):
        good(incident)
        return f"answer {next(counter)}"

    def varies(incident):
        return bad(incident) if next(counter) % 3 == 0 else good(incident)

    async def awaits(incident):
        await incident.acall_tool("order.find", {"id": "O-1"})
        return "I cannot say."

    async def worker(incident):
        found = await incident.acall_tool("refund.find", {"order_id": "ord-5001"})
        if found["refund"] is None:
            told = {"order_id": "ord-5001", "idempotency_key": incident.new_key()}
            await incident.acall_tool("refund.create", told)

    async def races(incident):
        import asyncio
        await incident.acall_tool("order.lookup", {"order_id": "ord-5001"})
        await asyncio.gather(worker(incident), worker(incident))
        return "done"

    async def in_line(incident):
        await incident.acall_tool("order.lookup", {"order_id": "ord-5001"})
        await worker(incident)
        await worker(incident)
        return "done"

    def generates(text):
        yield text

    def three(text, tools, clock):
        return text

    def nothing():
        return "I cannot say."

    def by_name(*, incident):
        return incident.text

    class Made:
        def __call__(self, incident, tools=None):
            return good(incident)

        def answer(self, incident):
            return good(incident)

    def injected(agent):
        @functools.wraps(agent)
        def with_tools(incident):
            return agent(incident, incident.call_tool, incident.clock)
        return with_tools

    @injected
    def wrapped(incident, tools, clock):
        tools("order.find", {"id": "O-1"})
        return "I cannot say."

    def defaults(incident, tools=None, *, clock=None):
        return good(incident)

    def starred(*given):
        return good(*given)

    def given_before(clock, incident):
        return good(incident)

    made = Made()
    method = made.answer
    part = functools.partial(given_before, "clock")
    named = functools.partial(defaults, tools="tools")
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose agents stand in a module of a name of its own, since modules stay loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    name = "agents_" + "".join(each for each in tmp_path.name if each.isalnum())
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(AGENT))

    class Project:
        path = tmp_path
        module = name

        def case(self, case_id="2026-07-18-refund", *events, **told):
            return folder(tmp_path / "cases", *(events or (FIND,)), case_id=case_id, **{"expected": CLAIMS, **told})

        def replay(self, agent, *options, cases="cases"):
            return run(["replay", cases, "--entrypoint", f"{name}:{agent}", "--version", "v13", *options])

        def manifest(self, case_id="2026-07-18-refund", version="v13"):
            return json.loads((tmp_path / "artifacts/replays" / f"{case_id}--{version}.json").read_text("utf-8"))

    return Project()


@pytest.mark.parametrize(
    ("agent", "status", "label"),
    [
        ("good", 0, None),
        ("awaits", 0, None),
        ("bad", 1, None),
        ("early", 1, "returned_early"),
        ("other", 1, "needs_review"),
        ("more", 4, "incomplete"),
        ("live", 14, "live_call"),
        ("clock", 13, "harness_defect"),
        ("leaves", 13, "harness_defect"),
    ],
)
def test_statuses_tell_failures_apart_and_the_manifest_says_why(project, agent, status, label):
    project.case()
    assert project.replay(agent) == status
    told = project.manifest()
    assert (told["label"], told["state"]) == (label, "finished")


def test_a_call_that_was_not_the_recorded_one_is_told_with_the_place_where_it_differs(project, capsys):
    project.case()
    assert project.replay("other") == 1
    assert "nearest recording: tool_events[0], first difference at arguments.id\n" in capsys.readouterr().out


@pytest.mark.parametrize("agent", ["other", "good", "bad"])
def test_a_lenient_run_goes_on_and_decides_nothing(project, agent, capsys):
    """S81: it is never presented as a recorded run."""
    project.case()
    assert project.replay(agent, "--lenient") == 11
    told = project.manifest()
    assert (told["mode"], told["label"], told["served"]) == ("lenient", "not_comparable", ["tools:order.find"])
    out = capsys.readouterr().out
    assert "lenient: this run decides nothing\n" in out
    assert ("diverged tools:order.find at 0: arguments.id differs from the recording\n" in out) is (agent == "other")
    assert "verdict: not_comparable: 2026-07-18-refund on v13 (exit status 11)\n" in out


@pytest.mark.parametrize(("agent", "label"), [("more", "incomplete"), ("live", "live_call")])
def test_a_lenient_run_is_answered_by_the_recording_or_not_at_all(project, agent, label):
    project.case()
    assert project.replay(agent, "--lenient") == 11
    assert [fault["label"] for fault in project.manifest()["faults"]] == [label]


@pytest.mark.parametrize("other", [["--expect", "red"], ["--shadow"], ["--interleavings", "9"]])
def test_a_lenient_run_is_not_asked_to_decide(project, other, capsys):
    project.case()
    assert project.replay("good", "--lenient", *other) == 2
    assert "decides nothing" in capsys.readouterr().err


@pytest.mark.parametrize(("agent", "status"), [("bad", 0), ("good", 10), ("more", 4)])
def test_the_affected_version_is_wanted_red(project, agent, status):
    """S45 S62: a failed reproduction is no regression."""
    project.case()
    assert project.replay(agent, "--expect", "red") == status
    assert project.manifest()["expect"] == "red"


def test_a_version_that_holds_where_red_is_wanted_is_said_not_to_show_the_incident(project, capsys):
    project.case()
    assert project.replay("good", "--expect", "red") == 10
    assert capsys.readouterr().out.splitlines()[-1] == (
        "verdict: boundary holds, but --expect red wants it violated: this version does not show the incident: "
        "2026-07-18-refund on v13 (exit status 10)"
    )
    project.case("other", lane="shadow")
    assert project.replay("good", "--expect", "red", "--by-lane", cases="cases/other") == 0
    assert "but --expect red wants it violated" in capsys.readouterr().out


@pytest.mark.parametrize("agent", ["good", "bad"])
def test_what_cannot_be_judged_shows_no_boundary(project, capsys, agent):
    """S67: a verdict beside `non_replayable` would say that something was judged."""
    missing = [{"field": "tool_events[0]", "code": "outcome_missing", "reason": "r"}]
    project.case(missing_evidence=missing)
    assert project.replay(agent) == 4
    told = capsys.readouterr().out
    assert (
        "boundary     not judged (non_replayable: the case lacks evidence without which it cannot be judged)\n" in told
    )
    assert "violated" not in told
    assert "holds" not in told


@pytest.mark.parametrize(
    ("place", "told"),
    [("nope", "check the path: nothing is there"), ("agents.py", "a case is a folder that holds fixture.json")],
)
def test_a_path_that_is_no_case_is_told_with_what_to_name(project, capsys, place, told):
    (project.path / "agents.py").write_text("")
    assert project.replay("good", cases=place) == 6
    assert told in capsys.readouterr().err


def test_a_fixture_that_is_not_valid_starts_nothing(project, capsys):
    """S21 S86: not even the cases before it."""
    project.case("a-case")
    (project.case("b-case") / "fixture.json").write_text("{}")
    assert project.replay("good") == 6
    assert "nothing was run" in capsys.readouterr().err
    assert not (project.path / "artifacts").exists()


def test_an_empty_suite_is_an_error(project):
    (project.path / "cases").mkdir()
    assert project.replay("good") == 2


def test_the_summary_names_what_makes_it_comparable_and_what_it_does_not_prove(project, capsys):
    """S22 S70."""
    case = project.case()
    project.replay("good")
    told = capsys.readouterr().out
    assert case.name in told
    assert "v13" in told
    assert "proved: that this implementation holds one boundary under recorded conditions" in told
    paragraphs = " ".join(told.split())
    assert all(text in paragraphs.partition(" not proved: ")[2] for text, of in NOT_PROVED if "replay" in of)
    assert told.endswith(f"verdict: boundary holds: {case.name} on v13\n")


def test_the_last_lines_are_the_verdicts_one_a_case_under_claims_told_once(project, capsys):
    project.case()
    project.case("2026-07-19-refund")
    assert project.replay("bad") == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" on ")[0] for line in lines[-2:]] == [
        "verdict: boundary violated: 2026-07-18-refund",
        "verdict: boundary violated: 2026-07-19-refund",
    ]
    assert all(line.endswith("(exit status 1)") for line in lines[-2:])
    assert sum(line.startswith("not proved: ") for line in lines) == 1


def test_json_is_the_manifest(project, capsys):
    project.case()
    assert project.replay("good", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["boundary_passed"], told["exit_status"]) == (True, 0)


def test_a_case_without_an_oracle_is_neither_red_nor_green(project):
    project.case(expected={})
    assert project.replay("good") == 11


def test_controls_are_replayed_beside_their_case(project):
    """S41 S45: a blunt fix breaks its neighbour."""
    case = project.case()
    wanted = {"required_disclosures": [{"text": "I cannot say.", "exact": True}]}
    for name, expected in (("time-before", wanted), ("confirmed", {"action": "refund.create"})):
        made = folder(case / "made", FIND, case_id=f"control-{name}", control_of=case.name, expected=expected)
        (case / "controls").mkdir(exist_ok=True)
        made.rename(case / "controls" / name)
    (case / "made").rmdir()
    assert project.replay("good", "--controls") == 1
    assert project.manifest()["controls"] == {"confirmed": "broken", "time-before": "held"}


@pytest.mark.parametrize(
    ("lane", "agent", "status", "by_lane"),
    [("shadow", "bad", 1, 0), ("shadow", "live", 14, 0), ("provider", "good", 0, 0), ("provider", "bad", 1, 15)],
)
def test_a_run_ends_with_its_own_status_unless_the_lane_is_asked(project, agent, lane, status, by_lane):
    """S54 S58 S61."""
    project.case(lane=lane)
    assert project.replay(agent) == status
    assert project.replay(agent, "--by-lane") == by_lane


def test_a_gate_blocks_nothing_before_its_four_controls_hold(project, capsys):
    """S54: they are replayed without being asked for."""
    case = project.case(lane="gate")
    wanted = {"required_disclosures": [{"text": "I cannot say.", "exact": True}]}
    (case / "controls").mkdir()
    for kind in ("success", "rejection", "timeout"):
        made = folder(case / "made", FIND, case_id=f"{case.name}-{kind}", control_of=case.name, expected=wanted)
        made.rename(case / "controls" / kind)
    (case / "made").rmdir()
    assert project.replay("good", "--by-lane") == 1
    assert "a gate needs a control of the kind uncertain that holds" in capsys.readouterr().out
    made = folder(case / "made", FIND, case_id=f"{case.name}-uncertain", control_of=case.name, expected=wanted)
    made.rename(case / "controls" / "uncertain")
    (case / "made").rmdir()
    assert project.replay("good") == 0
    assert project.manifest()["controls"] == dict.fromkeys(("rejection", "success", "timeout", "uncertain"), "held")


def test_cases_that_share_state_are_a_defect_of_the_harness(project, capsys):
    """S55."""
    project.case("a-case")
    project.case("b-case")
    assert project.replay("remembers", "--isolation") == 13
    assert "cases share state" in capsys.readouterr().out
    assert project.replay("good", "--isolation") == 0


@pytest.mark.parametrize(("needed", "status"), [("2", 0), ("3", 1)])
def test_an_agent_that_varies_is_judged_by_the_rule_that_was_declared_and_every_outcome_is_kept(
    project, needed, status
):
    """S43 S44: retrying until one answer passes destroys the evidence."""
    project.case()
    assert project.replay("varies", "--runs", "3", "--needed", needed) == status
    told = project.manifest()
    assert sorted(each["boundary_passed"] for each in told["runs"]) == [False, True, True]
    assert told["policy"]["needed"] == int(needed)


@pytest.mark.parametrize(
    ("agent", "options", "status", "told"),
    [
        ("races", ["--interleavings", "50"], 1, {"tried": 6, "failed": 4}),
        ("in_line", ["--interleavings", "50"], 0, {"tried": 1, "failed": 0}),
        ("races", ["--interleavings", "2"], 4, {"tried": 2, "failed": 2}),
        ("races", [], 4, None),
        ("races", ["--interleavings", "50", "--expect", "red"], 0, {"tried": 1, "failed": 1}),
    ],
)
def test_a_race_is_run_in_every_order_of_its_calls(project, capsys, agent, options, status, told):
    """S71: without a schedule it is not expressible, and with some of the orders it is neither."""
    members = race_members()
    project.case("2026-07-18-refund", *members.pop("tool_events"), **members)
    assert project.replay(agent, *options) == status
    assert project.manifest()["interleavings"] == told
    if told:
        assert (
            f"orders of the concurrent calls: {told['tried']} tried, {told['failed']} failed" in capsys.readouterr().out
        )


def test_orders_and_repeated_runs_do_not_go_together(project):
    project.case()
    assert project.replay("good", "--interleavings", "5", "--runs", "2") == 2


def test_shadow_says_four_facts_and_no_fifth(project, capsys):
    """S56."""
    project.case()
    assert project.replay("good", "--shadow", "--affected", f"{project.module}:bad", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "case_id": "2026-07-18-refund",
        "validates": "yes",
        "affected_reproduces": "yes",
        "current_passes": "yes",
        "controls_pass": "not run",
    }


def test_a_generator_is_refused(project):
    project.case()
    assert project.replay("generates") == 2


@pytest.mark.parametrize(
    ("agent", "why"),
    [("three", "needs tools, clock"), ("nothing", "takes nothing"), ("by_name", "needs incident by name")],
)
@pytest.mark.parametrize("as_affected", [False, True])
def test_an_entry_point_that_cannot_be_called_with_one_argument_runs_nothing(project, capsys, agent, why, as_affected):
    project.case()
    place = f"{project.module}:{agent}"
    options = ["--shadow", "--affected", place] if as_affected else []
    assert project.replay("good" if as_affected else agent, *options) == 2
    assert not (project.path / "artifacts").exists()
    told = capsys.readouterr().err
    assert f"{place} {why}; an entry point takes the session (def {agent}(incident)) or the user's text" in told
    assert 'docs/replay.md, "What an agent is given"' in told


@pytest.mark.parametrize("agent", ["made", "method", "part", "named", "wrapped", "defaults", "awaits"])
def test_whatever_can_be_called_with_the_session_is_an_entry_point(project, agent):
    project.case()
    assert project.replay(agent) == 0, project.manifest()["faults"]


def test_an_entry_point_of_any_number_of_arguments_is_given_the_text(project):
    project.case()
    assert project.replay("starred") == 1
    assert project.manifest()["label"] == "needs_review"


@pytest.mark.parametrize(
    "place", ["no_such_module:run", "json:no_such_function", "json", "json:JSONDecodeError.__doc__"]
)
def test_an_entry_point_that_cannot_be_called_is_a_usage_error(project, place):
    project.case()
    assert run(["replay", "cases", "--entrypoint", place]) == 2


def test_the_project_names_entry_point_checks_and_adapters(project):
    """S49: the case keeps its schema, and the named adapter reads it."""
    (project.path / "pyproject.toml").write_text(
        f"""
[tool.extract-fixture.replay]
entrypoint = "{project.module}_own:agent"
version = "2.0"
checks = ["{project.module}_own"]
adapters = {{ "orders@1" = "{project.module}_own:orders_v1" }}
"""
    )
    (project.path / f"{project.module}_own.py").write_text(
        textwrap.dedent("""
        def orders_v1(tool, value):
            return {"status": value["state"]}

        def agent(incident):
            return incident.call_tool("order.find", {"id": "O-1"})["status"]

        def polite(run, params):
            return run.output == params["word"]
        """)
    )
    boundary = {"boundary": {"check": "polite", "params": {"word": "paid"}}}
    project.case(expected=boundary, adapter={"name": "orders", "version": "1"})
    assert run(["replay", "cases"]) == 0
    assert project.manifest(version="2.0")["boundary"]["check"] == "polite"
    project.case("other", expected=boundary, adapter={"name": "orders", "version": "2"})
    assert run(["replay", "cases/other"]) == 12


def test_a_project_table_that_is_not_understood_is_told_whole(project, capsys):
    (project.path / "pyproject.toml").write_text('[tool.extract-fixture.replay]\nchecks = 1\nclock = "x"\nmore = 1\n')
    project.case()
    assert project.replay("good") == 2
    told = capsys.readouterr().err
    assert all(word in told for word in ("replay.checks", "replay.clock", "replay.more"))


def test_a_copy_of_the_case_is_no_control_of_it_and_one_that_was_not_run_is_no_pass(project):
    """Else a blunt fix passes its gate beside four copies of the case."""
    case = project.case()
    (case / "controls" / "success").mkdir(parents=True)
    (case / "controls" / "success" / "fixture.json").write_bytes((case / "fixture.json").read_bytes())
    assert project.replay("good", "--controls") == 1
    assert project.manifest()["controls"] == {"success": "not_run"}
