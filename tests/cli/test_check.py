"""``check``: verdicts on the command line, in JSON, JUnit and Markdown, and red first in git's history."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import extractor
from extractor.cli.app import run
from extractor.cli.history import history_of
from extractor.errors import UsageError

CHECKS = """\
def assert_refund(record, case):
    assert len(record.tool_calls) == 1
    assert record.tool_calls[0].arguments_parsed["amount_cents"] == case.amount_cents
"""
VACUOUS = """\
def assert_refund(record, case):
    print("a check may print")
    for call in record.tool_calls:
        assert call.name == "issue_refund"
"""
CASE = "input: Refund it.\nnow: 2026-06-14T10:00:00Z\nexpectations: {amount_cents: 4200}\n"
REJECT = "verdict: reject\nby: assert_refund\nreason: amount_cents\n"
ACCEPT = "verdict: accept\nby: assert_refund\n"


def lay(folder, expect, amount, **members):
    folder.mkdir(parents=True)
    call = {"name": "issue_refund", "arguments": {"amount_cents": amount}}
    (folder / "record.json").write_text(json.dumps({"tool_calls": [call], "output": "Done."} | members))
    (folder / "case.yaml").write_text(CASE)
    (folder / "expect.yaml").write_text(expect)


@pytest.fixture
def project(tmp_path, monkeypatch, request):
    """A project with a module of checks of its own name, since Python imports a module once."""
    name = f"shop_{abs(hash(request.node.name))}"
    (tmp_path / "pyproject.toml").write_text(f'[tool.extract-fixture.checks]\nmodule = "{name}"\n')
    (tmp_path / f"{name}.py").write_text(CHECKS)
    lay(tmp_path / "evals" / "refund-reject", REJECT, 42)
    lay(tmp_path / "evals" / "refund-accept", ACCEPT, 4200)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    sys.modules.pop(name, None)


def checking(project):
    (found,) = project.glob("shop_*.py")
    return found


def test_a_suite_that_holds_ends_with_0_and_says_what_that_proves(project, capsys):
    """S113 S117 S122: what each check costs is told in microseconds."""
    assert run(["check", "evals", "--durations"]) == 0
    said = capsys.readouterr().out
    assert "rejected by assert_refund for amount_cents (the verdict turns on it)" in said
    assert "pair refund-reject / refund-accept: 1 fields differ: tool_calls[0].arguments.amount_cents" in said
    assert "2 of 2 fixtures hold" in said
    assert "µs median" in said
    assert "the model: checks lock the checker" in " ".join(said.split()).partition(" not proved: ")[2]
    assert said.endswith("verdict: 2 of 2 fixtures hold\n")
    assert "well tested" not in said


def test_a_check_without_teeth_ends_with_1_in_every_form(project, capsys):
    checking(project).write_text(VACUOUS)
    assert run(["check", "evals", "--json", "--junit", "r.xml", "--summary", "s.md"]) == 1
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert "a check may print" in err
    assert told["held"] is False
    (bad,) = [each for each in told["fixtures"] if not each["held"]]
    assert (bad["name"], bad["faults"]) == ("refund-reject", ["fixture was accepted; the check has no teeth"])
    assert told["checks"]["assert_refund"]["median_us"] > 0
    suite = ET.fromstring((project / "r.xml").read_text())
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert suite.find("testcase/failure").get("message") == "fixture was accepted; the check has no teeth"
    summary = (project / "s.md").read_text()
    assert "1 of 2 fixtures hold" in summary
    assert "the check has no teeth" in summary
    assert "not proved" in summary


def test_a_fixture_that_cannot_be_read_ends_with_6(project, capsys):
    (project / "evals" / "refund-reject" / "conftest.py").write_text("jane = 1")
    assert run(["check", "evals", "--junit", "r.xml"]) == 6
    assert "belong to no fixture" in capsys.readouterr().out
    assert ET.fromstring((project / "r.xml").read_text()).get("errors") == "1"


def test_quiet_says_what_does_not_hold_and_nothing_else(project, capsys):
    assert run(["check", "evals", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    checking(project).write_text(VACUOUS)
    sys.modules.pop(checking(project).stem, None)
    (project / "tools.json").write_text('{"reship": {"type": "object"}}')
    assert run(["check", "evals", "--quiet", "--tools", "tools.json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "refund-reject  FAILS  fixture was accepted; the check has no teeth\n" in err
    assert "refund-accept: tool_calls[0].name: there is no tool called issue_refund" in err
    assert "refund-accept  " not in err


def test_names_that_drive_a_terminal_or_break_xml_do_neither(project, capsys):
    lay(project / "evals" / 'x"\x1b]<|&', REJECT, 42)
    assert run(["check", "evals", "--junit", "r.xml", "--summary", "s.md"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    names = [each.get("name") for each in ET.fromstring((project / "r.xml").read_text()).iter("testcase")]
    assert 'x"�]<|&' in names


def test_fixtures_outside_the_project_are_judged_by_the_checks_of_the_working_folder(project, tmp_path_factory):
    apart = tmp_path_factory.mktemp("apart")
    lay(apart / "refund-reject", REJECT, 42)
    assert run(["check", str(apart)]) == 0


def test_of_a_good_run_the_place_is_told_that_it_was_rejected_for(project, capsys):
    record = project / "evals" / "refund-accept" / "record.json"
    record.write_text(record.read_text().replace("4200", "4300"))
    assert run(["check", "evals"]) == 1
    told = "FAILS  good run rejected by assert_refund (for tool_calls[0].arguments.amount_cents)\n"
    assert told in capsys.readouterr().out
    checking(project).write_text("def assert_refund(record, case):\n    record.tool_calls[3].name\n")
    sys.modules.pop(checking(project).stem, None)
    assert run(["check", "evals"]) == 1
    assert "assert_refund broke on a good run (IndexError, line 2)\n" in capsys.readouterr().out


def test_lonely_and_wide_fixtures_are_listed_without_failing(project, capsys):
    lay(project / "evals" / "alone", REJECT, 42)
    lay(project / "evals" / "far-reject", REJECT, 42, **{f"m{n}": 1 for n in range(9)})
    lay(project / "evals" / "far-accept", ACCEPT, 4200)
    assert run(["check", "evals", "--summary", "s.md"]) == 0
    said = capsys.readouterr().out
    assert "without a twin: alone" in said
    assert "WIDE pair far-reject / far-accept: 10 fields differ" in said
    assert "without a twin: alone" in (project / "s.md").read_text()


@pytest.mark.parametrize("what", ["no fixtures", "no table", "no module", "no checks"])
def test_an_empty_suite_ends_with_2(project, capsys, what):
    if what == "no fixtures":
        (project / "empty").mkdir()
    elif what == "no table":
        (project / "pyproject.toml").write_text("[project]\n")
    elif what == "no module":
        checking(project).unlink()
    else:
        checking(project).write_text("x = 1\n")
    assert run(["check", "empty" if what == "no fixtures" else "evals"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("arguments", [[], ["evals", "--since", "HEAD"], ["evals", "--protocol", "--durations"]])
def test_what_does_not_go_together_ends_with_2(project, arguments):
    assert run(["check", *arguments]) == 2


def test_an_interpreter_without_assertions_is_refused(project):
    environment = os.environ | {"PYTHONPATH": str(Path(extractor.__file__).parent.parent)}
    command = [sys.executable, "-O", "-m", "extractor", "check", "evals"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "without assertions (-O)" in done.stderr


# Red first: the same story as commits.


@pytest.fixture
def commit(project, monkeypatch):
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)

    def git(*arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    hook = project / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ../hook-ran\n")
    hook.chmod(0o755)

    def made(message):
        git("add", "-A")
        git("commit", "-q", "-m", message)
        return git("rev-parse", "HEAD")

    made.git = git
    return made


def emptied(project):
    kept = {}
    for folder in sorted((project / "evals").iterdir()):
        kept[folder.name] = folder
        folder.rename(project / f".{folder.name}")
    (project / ".gitignore").write_text(".refund*\n__pycache__\n")
    return lambda name: (project / f".{name}").rename(project / "evals" / name)


def protocol(capsys, *arguments):
    status = run(["check", "evals", "--protocol", "--json", *arguments])
    out, err = capsys.readouterr()
    return status, json.loads(out) if out else err


def test_red_then_the_check_then_the_twin_keeps_the_protocol(project, commit, capsys):
    """S103 S104 S105 S123."""
    back = emptied(project)
    checking(project).write_text(VACUOUS)
    commit("checks without teeth")
    back("refund-reject")
    red = commit("the incident, red")
    checking(project).write_text(CHECKS)
    green = commit("the check")
    back("refund-accept")
    commit("the fix, and its run")
    status, told = protocol(capsys)
    assert (status, told["fixtures"]) == (0, [{"name": "refund-reject", "red": red, "green": green, "faults": []}])
    assert commit.git("worktree", "list").count("\n") == 0
    assert not list(project.parent.rglob("hook-ran"))


def test_red_before_there_was_any_check_is_red(project, commit, capsys):
    """S103."""
    back = emptied(project)
    module = checking(project)
    module.unlink()
    back("refund-reject")
    commit("the incident, before any check")
    module.write_text(CHECKS)
    commit("the check")
    assert protocol(capsys)[0] == 0


def test_a_fixture_that_comes_with_its_check_was_never_red(project, commit, capsys):
    """S103 S123."""
    commit("all at once")
    status, told = protocol(capsys)
    assert status == 1
    assert told["fixtures"][0]["faults"] == [
        "was committed with a check that already rejects it: it was never seen red"
    ]


def test_a_fixture_that_is_still_red_is_told(project, commit, capsys):
    """S104."""
    checking(project).write_text(VACUOUS)
    commit("red")
    status, told = protocol(capsys)
    assert (status, told["fixtures"][0]["faults"]) == (1, ["is still red"])


def test_a_twin_that_came_before_the_check_is_no_run_of_the_fix(project, commit, capsys):
    """S105."""
    checking(project).write_text(VACUOUS)
    commit("both halves")
    checking(project).write_text(CHECKS)
    commit("the check")
    status, told = protocol(capsys)
    assert status == 1
    assert "came before its check" in told["fixtures"][0]["faults"][0]


def test_a_check_that_changes_another_fixture_on_the_way_is_told(project, commit, capsys):
    """S104."""
    back = emptied(project)
    lay(project / "evals" / "older", "verdict: accept\nby: assert_refund\n", 1)
    checking(project).write_text(VACUOUS)
    commit("an older good run")
    back("refund-reject")
    commit("red")
    checking(project).write_text(CHECKS)
    commit("the check, which rejects the older run")
    status, told = protocol(capsys)
    assert status == 1
    assert told["fixtures"][0]["faults"] == ["turned green while older changed its verdict, check or reason"]


def test_a_record_that_was_exchanged_on_the_way_is_told(project, commit, capsys):
    back = emptied(project)
    checking(project).write_text(VACUOUS)
    back("refund-reject")
    commit("red")
    checking(project).write_text(CHECKS)
    record = project / "evals" / "refund-reject" / "record.json"
    record.write_text(record.read_text().replace("42", "43"))
    commit("the check, and another record")
    assert protocol(capsys)[1]["fixtures"][0]["faults"] == ["has another record than the one that was red"]


def test_a_case_or_an_expectation_that_was_bent_until_it_held_is_told(project, commit, capsys):
    back = emptied(project)
    back("refund-reject")
    case = project / "evals" / "refund-reject" / "case.yaml"
    right = case.read_text()
    case.write_text(right.replace("4200", "42"))
    commit("red, since the case expects the wrong amount")
    case.write_text(right)
    commit("another case, and no check was touched")
    told = protocol(capsys)[1]["fixtures"][0]["faults"]
    assert told == ["has another case or expectation than the one that was red"]


def test_a_good_run_that_becomes_a_bad_one_with_its_check_was_never_red(project, commit, capsys):
    back = emptied(project)
    checking(project).write_text(VACUOUS)
    back("refund-reject")
    expect = project / "evals" / "refund-reject" / "expect.yaml"
    expect.write_text("verdict: accept\nby: no_such_check\n")
    commit("a run that must be accepted")
    checking(project).write_text(CHECKS)
    expect.write_text(REJECT)
    commit("the check, and the other verdict")
    told = protocol(capsys)[1]["fixtures"][0]["faults"]
    assert told == ["was committed with a check that already rejects it: it was never seen red"]


def test_a_fixture_keeps_its_course_under_another_name(project, commit, capsys):
    back = emptied(project)
    checking(project).write_text(VACUOUS)
    back("refund-reject")
    red = commit("red")
    checking(project).write_text(CHECKS)
    green = commit("the check")
    for name in ("money", "refund-of-a-hundredth"):
        folder = next(each for each in (project / "evals").iterdir())
        folder.rename(project / "evals" / name)
        moved = commit("another name")
    expected = [{"name": "refund-of-a-hundredth", "red": red, "green": green, "faults": []}]
    assert protocol(capsys)[1]["fixtures"] == expected
    assert protocol(capsys, "--since", f"{moved}~1")[1]["fixtures"] == []


def test_a_place_that_is_no_folder_is_told_as_such(project, commit):
    with pytest.raises(UsageError, match="no folder"):
        history_of([project / "nowhere"], None)


def test_since_judges_only_what_came_later(project, commit, capsys):
    base = commit("all at once")
    lay(project / "evals" / "later-reject", REJECT, 1)
    commit("another, never red")
    status, told = protocol(capsys, "--since", base)
    assert [each["name"] for each in told["fixtures"]] == ["later-reject"]
    assert status == 1
    assert run(["check", "evals", "--protocol", "--since", "no-such-revision"]) == 2
    assert "--since names no commit" in capsys.readouterr().err
    assert run(["check", "evals", "--protocol", "--since", "--output=x"]) == 2


def test_since_holds_where_nothing_of_fixtures_or_checks_came_since(project, commit, capsys):
    """A pull request that touches neither has nothing to be red first."""
    commit("all at once")
    assert protocol(capsys, "--since", "HEAD") == (0, {"commits": 0, "fixtures": []})
    (project / "empty").mkdir()
    assert run(["check", "empty", "--protocol", "--since", "HEAD"]) == 2
    assert run(["check", "nowhere", "--protocol"]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_a_manufactured_record_has_no_incident_to_be_red_for(project, commit, capsys):
    back = emptied(project)
    back("refund-reject")
    (project / "evals" / "refund-reject" / "expect.yaml").write_text(REJECT + "manufactured: amount_x100\n")
    commit("made by a mutation")
    assert protocol(capsys) == (0, {"commits": 1, "fixtures": []})


def test_no_repository_ends_with_2(project, monkeypatch, capsys):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    assert run(["check", "evals", "--protocol"]) == 2
    assert "no git repository" in capsys.readouterr().err


def test_two_folders_of_one_name_are_two_runs_of_the_audit(project, capsys):
    lay(project / "evals" / "elsewhere" / "refund-accept", ACCEPT, 4200)
    assert run(["check", "evals", "--audit", "audit.sqlite"]) == 0
    assert run(["audit", "audit.sqlite", "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["assertion_id"], told["runs"], told["rejections"]) == ("assert_refund", 3, 1)


def test_no_control_and_no_mark_of_direction_stands_in_a_report(project):
    lay(project / "evals" / "a\x1b[31m\u202eb&lt;-reject", REJECT, 42)
    assert run(["check", "evals", "--junit", "checks.xml", "--summary", "checks.md"]) == 0
    for name in ("checks.xml", "checks.md"):
        text = (project / name).read_text("utf-8")
        assert not {"\x1b", "\u202e"} & {*text}
    assert "&amp;lt;" in (project / "checks.md").read_text("utf-8")


def test_a_reason_that_no_twin_shows_is_not_claimed_to_be_proved(project, capsys):
    def proved():
        assert run(["check", "evals", "--json"]) == 0
        return json.loads(capsys.readouterr().out)["proved"]

    assert "for the reason" in proved()
    for each in (project / "evals" / "refund-accept").iterdir():
        each.unlink()
    (project / "evals" / "refund-accept").rmdir()
    assert "for the reason" not in proved()
    assert "only where the accepted twin is known" in proved()


def by_itself(project, *arguments):
    environment = os.environ | {"PYTHONPATH": str(Path(extractor.__file__).parent.parent)}
    command = [sys.executable, "-m", "extractor", "check", "evals", *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_a_module_that_ends_the_process_does_not_end_it_with_success(project):
    checking(project).write_text("import os\nos._exit(0)\n")
    done = by_itself(project)
    assert (done.returncode, "cannot be imported" in done.stderr) == (2, True)


def test_what_a_check_writes_past_python_is_no_part_of_the_report(project):
    raw = '    import os, sys\n    os.write(1, b"raw")\n    sys.__stdout__.write("raw")\n'
    checking(project).write_text(CHECKS.replace(":\n", f":\n{raw}", 1))
    done = by_itself(project, "--json")
    assert (done.returncode, json.loads(done.stdout)["held"]) == (0, True)
    assert "raw" in done.stderr
