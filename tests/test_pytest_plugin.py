"""The pytest plugin: one test a case, failures under their own label, a report that makes results comparable."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.replay.conftest import race_members
from tests.replay.documents import call, folder, said

FIND = call(1, "order.find", {"id": "O-1"}, {"state": "paid"})
CLAIMS = {"claims": {"prohibit": ["the refund is done"], "unless": []}}
GOOD = """
def test_it(incident):
    incident.call_tool("order.find", {"id": "O-1"})
    incident.output = "I cannot say."
"""


@pytest.fixture
def suite(tmp_path):
    """Run a test file over case folders in a process of its own."""

    class Suite:
        report = tmp_path / "report.json"
        junit = tmp_path / "junit.xml"

        def case(self, name="2026-07-18-refund", *events, **told):
            return folder(tmp_path / "incidents", *(events or (FIND,)), case_id=name, **{"expected": CLAIMS, **told})

        def run(self, test, *options, plugins=()):
            (tmp_path / "pytest.ini").write_text("[pytest]\n")
            (tmp_path / "test_incidents.py").write_text(test)
            command = [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={self.junit}"),
                *(f"--incident-report={self.report}", "--incident-version=v13", *options, *plugins),
            ]
            environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
            self.done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
            )
            return self.done.returncode

        @property
        def told(self):
            return json.loads(self.report.read_text("utf-8"))

        def label(self):
            (only,) = self.told["cases"]
            return only["manifest"]["label"]

    return Suite()


def test_every_case_is_a_test_and_its_line_makes_it_comparable(suite):
    """S22 S99: ids are the names of the folders, sorted."""
    suite.case("b-case")
    suite.case("a-case")
    assert suite.run(GOOD) == 0, suite.done.stdout
    cases = suite.told["cases"]
    assert [each["test"].partition("[")[2] for each in cases] == ["a-case]", "b-case]"]
    for each in cases:
        manifest = each["manifest"]
        assert (manifest["implementation_version"], manifest["boundary_passed"]) == ("v13", True)
        assert manifest["guard"]["self_test"] is True
        assert f"{manifest['case_id']}  {manifest['fixture_hash'][:12]}  v13  boundary holds" in suite.done.stdout


def test_junit_holds_the_facts_as_properties(suite):
    suite.case()
    suite.run(GOOD)
    told = {each.get("name"): each.get("value") for each in ET.parse(suite.junit).iter("property")}
    assert told["case_id"] == "2026-07-18-refund"
    assert told["boundary_passed"] == "True"
    assert "extract_fixture_manifest" not in told


@pytest.mark.parametrize(
    ("body", "label", "words"),
    [
        ("incident.output = 'x'", "returned_early", "replay ended before recorded calls: ['order.find']"),
        ("incident.call_tool('order.find', {'id': 'O-2'})", "needs_review", "tool replay mismatch"),
        ("incident.call_tool('mail.send')", "incomplete", "never a live call"),
        (
            "import contextlib\n    with contextlib.suppress(BaseException): incident.call_tool('mail.send')",
            "incomplete",
            "never a live call",
        ),
        ("import socket; socket.create_connection(('192.0.2.1', 443))", "live_call", "192.0.2.1"),
        ("import os; os._exit(0)", "harness_defect", "_exit"),
        (
            "import time; time.time()\n    incident.call_tool('order.find', {'id': 'O-1'})",
            "harness_defect",
            "time.time",
        ),
    ],
    ids=["early", "mismatch", "missing", "swallowed", "network", "exit", "clock"],
)
def test_a_test_fails_under_its_own_label(suite, body, label, words):
    suite.case()
    assert suite.run(f"def test_it(incident):\n    {body}\n") == 1, suite.done.stdout
    assert words in suite.done.stdout
    assert suite.label() == label


def test_a_boundary_that_does_not_hold_fails_whatever_the_test_asserts(suite):
    """S42: a test that only wants some answer would pass the original incident."""
    suite.case()
    weak = GOOD.replace("I cannot say.", "The refund is done.") + "    assert incident.output\n"
    assert suite.run(weak) == 1
    assert "current implementation still violates the incident boundary" in suite.done.stdout
    assert suite.told["cases"][0]["manifest"]["boundary_passed"] is False


@pytest.mark.parametrize(("said", "status"), [("The refund is done.", 0), ("I cannot say.", 1)])
def test_the_affected_version_is_wanted_red(suite, said, status):
    """S45: a replay that does not start red shows nothing."""
    suite.case()
    marked = "import pytest\n@pytest.mark.incident(expect='red', version='v12')" + GOOD.replace("I cannot say.", said)
    assert suite.run(marked) == status
    assert suite.told["cases"][0]["manifest"]["implementation_version"] == "v12"
    if status:
        assert "original implementation did not reproduce the incident" in suite.done.stdout


def test_a_red_that_no_check_can_see_is_no_red(suite):
    """S45: an affected version whose violation nothing judges has reproduced nothing."""
    suite.case(expected={})
    assert suite.run("import pytest\n@pytest.mark.incident(expect='red')" + GOOD) == 1
    assert "no check can say" in suite.done.stdout


def test_a_test_that_gives_no_answer_is_no_pass_of_the_boundary(suite):
    suite.case("silent", call(1, "order.find", {}, {}, role="violation"))
    assert suite.run("def test_it(incident): pass\n") == 1
    assert "nothing can tell whether the incident boundary holds" in suite.done.stdout
    assert suite.told["cases"][0]["manifest"]["boundary_passed"] is None


def test_a_failing_assertion_of_the_test_is_what_is_told(suite):
    suite.case()
    assert suite.run(GOOD + "    assert 1 == 2\n") == 1
    assert "assert 1 == 2" in suite.done.stdout


def test_a_skipped_test_has_no_manifest_and_is_no_pass(suite):
    suite.case()
    assert suite.run("import pytest\ndef test_it(incident): pytest.skip('later')\n") == 0
    assert "1 skipped" in suite.done.stdout
    assert "incidents" not in suite.done.stdout


@pytest.mark.parametrize("way", ["skip", "xfail"])
def test_a_skip_does_not_hide_what_went_wrong_before_it(suite, way):
    suite.case()
    swallowed = "    try: incident.call_tool('mail.send')\n    except BaseException: pass\n"
    assert suite.run(f"import pytest\ndef test_it(incident):\n{swallowed}    pytest.{way}('later')\n") == 1, (
        suite.done.stdout + suite.done.stderr
    )
    assert suite.label() == "incomplete", suite.done.stdout


@pytest.mark.parametrize("group", ["BaseExceptionGroup('g', [{0}])", "BaseExceptionGroup('g', [KeyError(1), {0}])"])
def test_a_fault_inside_a_group_is_what_is_told(suite, group):
    suite.case()
    raised = group.format("BaseExceptionGroup('h', [fault])")
    caught = f"    try: incident.call_tool('mail.send')\n    except BaseException as fault: raise {raised} from None\n"
    assert suite.run(f"def test_it(incident):\n{caught}") == 1
    assert suite.label() == "incomplete"
    assert "NothingRecorded: no recorded call" in suite.done.stdout


MARKED = "import pytest\n@pytest.mark.incident({})"
INTERNALS = ("pluggy", "_pytest", "extractor/", "__tracebackhide__")


@pytest.mark.parametrize(
    ("marker", "made", "words"),
    [
        ("'some/place'", "some/place", "no incident case in some/place: no folder in it holds fixture.json"),
        ("'some/place'", None, "no incident case in some/place: no such folder"),
        ("folder='some/place'", None, "no incident case in some/place: no such folder"),
        ("", "incidents", "no folder is named by a marker or by `incidents` in the ini file; the default, incidents, holds no case"),
        (None, None, "no folder is named by a marker or by `incidents` in the ini file; the default, incidents, is not there"),
        ("'a', 'b'", None, "the marker is incident(folder, *, expect, version)"),
    ],
    ids=["empty", "absent", "by name", "default empty", "no marker", "wrong marker"],
)  # fmt: skip
def test_an_empty_suite_is_an_error_that_names_its_folder_and_stops_no_other_test(suite, tmp_path, marker, made, words):
    if made:
        (tmp_path / made).mkdir(parents=True)
    test = GOOD if marker is None else MARKED.format(marker) + GOOD
    assert suite.run(test + "\ndef test_of_something_else(): pass\n") == 1
    assert words in suite.done.stdout
    assert "1 passed, 1 error" in suite.done.stdout
    assert not any(each in suite.done.stdout for each in INTERNALS), suite.done.stdout


def test_an_empty_folder_of_the_ini_file_is_named(suite, tmp_path):
    assert suite.run(GOOD, "-o", "incidents=ours/cases") == 1
    assert "no incident case in ours/cases: no such folder" in suite.done.stdout
    suite.case()
    (tmp_path / "ours").mkdir()
    (tmp_path / "incidents").rename(tmp_path / "ours" / "cases")
    assert suite.run(GOOD, "-o", "incidents=ours/cases") == 0, suite.done.stdout


def test_an_empty_suite_fails_in_every_lane(suite):
    suite.case(lane="gate")
    test = GOOD + MARKED.format("'nowhere'") + GOOD.replace("test_it", "test_two")
    assert suite.run(test, "--incident-lane=gate") == 1
    assert "1 passed, 1 error" in suite.done.stdout


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["one process", "a worker"])
def test_a_red_test_prints_what_is_told_and_nothing_of_the_plugin(suite, options):
    suite.case()
    assert suite.run(GOOD.replace("I cannot say.", "The refund is done."), *options) == 1
    told = suite.done.stdout.partition("= FAILURES =")[2].partition("= incidents =")[0].splitlines()[2:-1]
    told = [line for line in told if not line.startswith("[gw0]")]
    assert len(told) == 1, told
    assert "current implementation still violates the incident boundary (claims: the output holds" in told[0]


def test_a_fault_is_shown_where_the_test_made_the_call(suite):
    suite.case()
    assert suite.run(GOOD.replace("O-1", "O-2")) == 1
    assert ">       incident.call_tool" in suite.done.stdout or ">   incident.call_tool" in suite.done.stdout
    assert "first difference at arguments.id" in suite.done.stdout
    assert not any(f"{each}" in suite.done.stdout for each in ("tools.py", "session.py", "pluggy")), suite.done.stdout
    assert suite.run(GOOD.replace("O-1", "O-2"), "--full-trace") == 1
    assert "tools.py" in suite.done.stdout


def test_a_case_that_does_not_load_never_starts_the_test(suite):
    """S21 S86."""
    (suite.case() / "fixture.json").write_text("{}")
    assert suite.run("def test_it(incident): raise SystemExit('started')\n") == 1
    assert "the case cannot be replayed" in suite.done.stdout
    assert "started" not in suite.done.stdout


def test_code_in_a_case_folder_is_neither_run_nor_accepted(suite, tmp_path):
    (suite.case() / "conftest.py").write_text("raise SystemExit('was run')")
    assert suite.run(GOOD) == 1
    assert "was run" not in suite.done.stdout + suite.done.stderr


@pytest.mark.parametrize("options", [("-n", "2"), ("-p", "no:xdist")], ids=["two workers", "one process"])
def test_the_report_is_the_same_on_one_process_and_on_two(suite, options):
    for number in range(6):
        suite.case(f"case-{number}")
    assert suite.run(GOOD, *options) == 0, suite.done.stdout
    assert [each["manifest"]["case_id"] for each in suite.told["cases"]] == [f"case-{n}" for n in range(6)]
    assert suite.told["summary"] == {"shadow": {"passed": 6}}


def test_coroutines_are_run_by_the_session(suite):
    suite.case()
    test = """
async def agent(incident):
    await incident.acall_tool("order.find", {"id": "O-1"})
    return "I cannot say."

def test_it(incident):
    incident.run(agent)
    assert incident.verdict.passed
"""
    assert suite.run(test) == 0, suite.done.stdout


def test_a_run_that_died_is_seen_and_no_older_report_stands_for_it(suite):
    """A process that is killed leaves the line of its start, and no report."""
    suite.case()
    suite.report.write_text("an older green")
    died = "import faulthandler\ndef test_it(incident): faulthandler._sigsegv()\n"
    assert suite.run(died) != 0
    assert not suite.report.exists()
    (line,) = Path(f"{suite.report}.running").read_text("utf-8").splitlines()
    assert json.loads(line)["manifest"]["state"] == "started"


def test_a_project_may_have_a_fixture_of_that_name(suite):
    own = "import pytest\n@pytest.fixture\ndef incident(): return 7\ndef test_it(incident): assert incident == 7\n"
    assert suite.run(own) == 0, suite.done.stdout


def test_earlier_turns_are_told_to_the_test(suite):
    told = {
        "input": {"messages": [said(1, "user", "One."), said(2, "user", "Two.")]},
        "conversation": ["m1", "m2"],
    }
    suite.case("case", FIND, **told)
    test = GOOD + "    assert incident.text == 'Two.'\n    assert len(incident.turn.history) == 1\n"
    assert suite.run(test) == 0, suite.done.stdout


RACE = """
import asyncio

async def worker(incident, key):
    found = await incident.acall_tool("refund.find", {"order_id": "ord-5001"})
    if found["refund"] is None:
        await incident.acall_tool("refund.create", {"order_id": "ord-5001", "idempotency_key": key()})

async def agent(incident, one_key):
    same = incident.new_key() if one_key else ""
    key = (lambda: same) if one_key else incident.new_key
    await incident.acall_tool("order.lookup", {"order_id": "ord-5001"})
    await asyncio.gather(worker(incident, key), worker(incident, key))

def test_it(incident, tmp_path):
    asyncio.run(agent(incident, ONE_KEY))
    incident.output = "done"
"""


@pytest.fixture
def race(suite):
    members = race_members()
    suite.case("2026-07-18-refund", *members.pop("tool_events"), **members)


def test_a_race_is_run_in_every_order_of_its_calls(suite, race):
    """S71: the test itself, each time with an incident of its own."""
    assert suite.run(RACE.replace("ONE_KEY", "True"), "--incident-interleavings=50") == 0, suite.done.stdout
    (only,) = suite.told["cases"]
    assert only["manifest"]["interleavings"] == {"tried": 6, "failed": 0}
    assert only["manifest"]["boundary_passed"] is True


def test_an_order_that_fails_is_named(suite, race):
    assert suite.run(RACE.replace("ONE_KEY", "False"), "--incident-interleavings=50") == 1
    assert "current implementation still violates the incident boundary" in suite.done.stdout
    assert "in this order of the calls: 1:order.lookup, 2:refund.find, 3:refund.find" in suite.done.stdout
    (only,) = suite.told["cases"]
    assert only["manifest"]["interleavings"] == {"tried": 6, "failed": 4}


def test_what_a_test_asserts_of_a_race_must_hold_in_every_order(suite, race):
    wanted = "    assert len(incident.tools.calls) == 5\n"
    assert suite.run(RACE.replace("ONE_KEY", "True") + wanted, "--incident-interleavings=50") == 1
    assert "in this order of the calls" in suite.done.stdout
    (only,) = suite.told["cases"]
    assert only["manifest"]["interleavings"]["failed"] > 0


@pytest.mark.parametrize(
    ("options", "code"), [((), "not_expressible"), (("--incident-interleavings=2",), "not_expressible")]
)
def test_a_race_without_all_of_its_orders_is_not_expressible(suite, race, options, code):
    assert suite.run(RACE.replace("ONE_KEY", "True"), *options) == 1
    assert suite.label() == code


def test_a_fixture_that_holds_the_incident_cannot_be_made_anew(suite, race):
    test = RACE.replace("ONE_KEY", "True") + "import pytest\n@pytest.fixture\ndef held(incident): return incident\n"
    test = test.replace("incident, tmp_path", "incident, held")
    assert suite.run(test, "--incident-interleavings=50") == 1
    assert suite.label() == "harness_defect"
    assert "held is made once" in suite.done.stdout


def test_a_job_runs_one_lane(suite):
    """S58 S61: neither hides the other."""
    suite.case("a-shadow", lane="shadow")
    suite.case("b-gate", lane="gate")
    assert suite.run(GOOD, "--incident-lane=gate") == 0, suite.done.stdout
    assert [each["manifest"]["case_id"] for each in suite.told["cases"]] == ["b-gate"]
    assert "1 deselected" in suite.done.stdout
    assert suite.run(GOOD, "--incident-lane=provider") != 0, "a job that replays nothing is no pass"


def test_a_case_that_does_not_load_fails_in_every_lane(suite):
    suite.case("a-shadow", lane="shadow")
    (suite.case("b-case", lane="gate") / "fixture.json").write_text("{}")
    for lane in ("shadow", "gate", "provider"):
        assert suite.run(GOOD, f"--incident-lane={lane}") == 1, lane


def test_lanes_are_counted_apart(suite):
    suite.case("a-shadow", lane="shadow")
    suite.case("b-gate", lane="gate")
    suite.case("c-gate", call(1, "order.find", {"id": "O-2"}, {"state": "paid"}), lane="gate")
    assert suite.run(GOOD) == 1
    assert "lane shadow: 1 passed" in suite.done.stdout
    assert "lane gate: 1 needs_review, 1 passed" in suite.done.stdout
    assert suite.told["summary"] == {"gate": {"needs_review": 1, "passed": 1}, "shadow": {"passed": 1}}


def test_an_assert_on_the_whole_answer_is_told_before_any_verdict(suite):
    """S55 S128: an expected string stands in for the boundary."""
    suite.case()
    test = GOOD + '    assert incident.output == "I cannot say."\n'
    assert suite.run(test, "--incident-lint", "-vv") == 0
    line = "harness_defect: test_incidents.py:5: test_it compares the whole answer with one text"
    assert suite.done.stdout.index(line) < suite.done.stdout.index("PASSED")
    assert "WholeAnswerWarning" in suite.done.stdout
    assert suite.run(test) == 0
    assert "harness_defect" not in suite.done.stdout


def test_an_exact_disclosure_may_be_asserted(suite):
    suite.case(expected={"required_disclosures": [{"text": "I cannot say.", "exact": True}]})
    assert suite.run(GOOD + '    assert incident.output == "I cannot say."\n', "--incident-lint") == 0
    assert "harness_defect" not in suite.done.stdout


def test_a_template_is_served_by_the_projects_resolver(suite, tmp_path):
    """S48."""
    text = "Refund nothing above 50 euros."
    digest = hashlib.sha256(text.encode()).hexdigest()
    suite.case(templates=[{"role": "system", "name": "policy", "version": "3", "sha256": digest, "ref": "policy@3"}])
    (tmp_path / "extract-fixture.toml").write_text('[replay]\ntemplates = "approved_policies:fetch"\n')
    (tmp_path / "approved_policies.py").write_text(f"def fetch(ref):\n    return {{'policy@3': {text!r}}}[ref]\n")
    assert suite.run(GOOD + f"    assert incident.template('policy') == {text!r}\n") == 0, suite.done.stdout
    (tmp_path / "approved_policies.py").write_text("def fetch(ref):\n    return 'Refund everything.'\n")
    assert suite.run(GOOD + "    incident.template('policy')\n") == 1
    assert suite.label() == "incomplete"


@pytest.mark.parametrize("expect", ["green", "red"])
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"expected": {"boundary": {"check": "no_such_check", "params": {}}}}, "no check of this name is known"),
        (
            {"missing_evidence": [{"field": "tool_events[0]", "code": "outcome_missing", "reason": "r"}]},
            "non_replayable",
        ),
    ],
)
def test_what_cannot_be_judged_is_no_pass(suite, told, words, expect):
    """S67: missing evidence must remain visible; a boundary that nothing can decide has not held."""
    suite.case(**told)
    said = "The refund is done." if expect == "red" else "I cannot say."
    marked = f"import pytest\n@pytest.mark.incident(expect={expect!r})" + GOOD.replace("I cannot say.", said)
    assert suite.run(marked) == 1
    assert words in suite.done.stdout


def test_a_retry_under_a_new_key_after_an_unknown_outcome_is_no_pass(suite):
    """S39: whether there are two shipments cannot be told, so it is not told that there is one."""
    first = call(1, "ship", {"k": "A"}, TimeoutError("t"), idempotency_key="A", side_effect="unknown")
    again = call(2, "ship", {"k": "B"}, {"id": 2}, idempotency_key="B", side_effect="accepted")
    suite.case("2026-07-18-ship", first, again, expected={"effects": {"ship": {"min": 0, "max": 1}}})
    body = "    try: incident.call_tool('ship', {'k': 'x'})\n    except RuntimeError: incident.call_tool('ship', {'k': 'y'})\n"
    assert suite.run("def test_it(incident):\n" + body) == 1
    assert "of unknown outcome" in suite.done.stdout


def test_an_agent_that_a_fixture_runs_before_the_test_was_not_guarded(suite):
    suite.case()
    fixture = (
        "import pytest\n@pytest.fixture\ndef answer(incident):\n"
        "    incident.call_tool('order.find', {'id': 'O-1'})\n    incident.output = 'I cannot say.'\n"
    )
    assert suite.run(fixture + "def test_it(incident, answer): pass\n") == 1
    assert suite.label() == "harness_defect"
    guarded = fixture.replace("    incident.call_tool", "    with incident.opened():\n     incident.call_tool")
    assert suite.run(guarded + "def test_it(incident, answer): pass\n") == 0, suite.done.stdout


@pytest.mark.parametrize("ending", ["skip", "xfail"])
def test_a_fault_that_was_swallowed_before_a_skip_is_told(suite, ending):
    suite.case()
    body = "    try: incident.call_tool('order.cancel')\n    except BaseException: pass\n"
    assert suite.run(f"import pytest\ndef test_it(incident):\n{body}    pytest.{ending}('later')\n") == 1
    assert suite.label() == "incomplete"


def test_a_call_in_a_teardown_is_told_though_it_was_swallowed(suite):
    suite.case()
    after = (
        "import pytest\n@pytest.fixture\ndef after(incident):\n    yield\n"
        "    try: incident.call_tool('order.cancel')\n    except BaseException: pass\n"
    )
    assert suite.run(after + GOOD.replace("(incident)", "(incident, after)")) == 1
    assert "no recorded call for tools:order.cancel" in suite.done.stdout


@pytest.mark.parametrize("marker", ["folder='elsewhere'", "expects='red'", "'incidents', 'more'"])
def test_a_marker_that_says_something_else_is_never_passed_over(suite, marker):
    suite.case()
    assert suite.run(f"import pytest\n@pytest.mark.incident({marker})" + GOOD) not in (0, 5)


@pytest.mark.parametrize("output", ["float('nan')", "b'x'", "10 ** 6000", "deep()"])
def test_an_output_that_no_report_can_hold_is_a_fault_and_spoils_no_report(suite, output):
    suite.case()
    deep = "def deep():\n    found = []\n    for _ in range(9000): found = [found]\n    return found\n"
    assert suite.run(deep + GOOD.replace('"I cannot say."', output)) == 1
    assert suite.label() == "harness_defect"
    assert "which no manifest can hold" in suite.done.stdout


def test_a_retry_of_what_was_rejected_is_no_accepted_effect(suite):
    ship = call(1, "ship", {"k": "A"}, {"status": "rejected"}, idempotency_key="A", side_effect="rejected")
    suite.case("2026-07-18-ship", ship, expected={"effects": {"ship": {"min": 1, "max": None}}})
    body = "    for key in 'xy': incident.call_tool('ship', {'k': key})\n    incident.output = 'shipped'\n"
    assert suite.run("def test_it(incident):\n" + body) == 1
    assert suite.told["cases"][0]["manifest"]["effects"]["ship"]["accepted"] == 0


def test_half_a_surrogate_pair_stays_in_the_report(suite):
    suite.case()
    assert suite.run(GOOD.replace('"I cannot say."', "chr(0xD800)")) == 0, suite.done.stdout
    assert suite.told["cases"][0]["manifest"]["outcome"] == chr(0xD800)
