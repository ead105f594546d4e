"""``bulk``: many traces, each as if it had been asked for alone; nothing in one of them ends the run."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import extractor
from extractor import pipeline, read, ruleset
from extractor.bulk import run as bulk_run
from extractor.cli.app import run
from extractor.model.config import RunConfig, Wanted
from extractor.model.layout import PROVED
from extractor.redact.keys import load_key

from .conftest import EXPORTS, TRACE

OCCASION = pipeline.Occasion(extracted_at="2026-12-03T00:00:00Z", expires_at="2027-01-02T00:00:00Z", host="h")


def span(trace_id, number, **attributes):
    return {
        "traceId": trace_id,
        "spanId": f"{number:016x}",
        "name": "chat",
        "startTimeUnixNano": str(1_780_000_000_000_000_000 + number),
        "endTimeUnixNano": str(1_780_000_000_000_000_001 + number),
        "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]
        + [{"key": name, "value": value} for name, value in attributes.items()],
    }


def line(*spans):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [*spans]}]}]}) + "\n"


@pytest.fixture
def exports(here):
    """Three containers: a file that can be sought in, a compressed one, and length-prefixed messages."""
    folder = here / "exports"
    folder.mkdir()
    for name in ("weather.otlp.jsonl", "duplicate-shipment.otlp.jsonl.gz", "foreign-order-refund.otlp.binpb"):
        (folder / name).write_bytes((EXPORTS / name).read_bytes())
    return folder


def told(capsys):
    return json.loads(capsys.readouterr().out)


def cases(out):
    """Return the files of every case by their names, without what tells when and where."""
    return {
        f"{file.parent.name}/{file.name}": file.read_bytes()
        for file in sorted((out / "quarantine").glob("2*/*"))
        if file.name in PROVED
    }


def test_each_case_is_that_of_a_run_for_its_trace_alone_and_a_second_run_writes_nothing(here, exports, key, capsys):
    assert run(["bulk", "exports", "--where", "side_effect", "--json", "--workers", "2"]) == 0
    report = told(capsys)
    assert report["outcomes"]["written"] == len({name.split("/")[0] for name in cases(here / "fixtures")}) > 3
    assert report["traces"] == report["outcomes"]["written"] + report["passed"]["not_chosen"]
    rules, secret = ruleset.load(()), load_key(Path(key))
    for folder in (here / "fixtures" / "quarantine").glob("2*"):
        trace_id = json.loads((folder / "capture.json").read_bytes())["trace_id"]
        wanted = Wanted(trace_ids=(trace_id,))
        alone = pipeline.extract(read.read([str(exports)], wanted), RunConfig(wanted=wanted), rules, secret, OCCASION)
        assert {name: (folder / name).read_bytes() for name in PROVED} == alone.fixture.files
    before = cases(here / "fixtures")
    assert run(["bulk", "exports", "--where", "side_effect", "--json"]) == 0
    again = told(capsys)
    assert (again["outcomes"], again["passed"]["known"]) == ({}, report["outcomes"]["written"])
    assert cases(here / "fixtures") == before
    assert not list((here / "fixtures" / ".bulk").glob("plan*")), "a plan names traces: it goes with its run"


def test_what_is_not_converted_is_counted_never_silent(here, exports, capsys):
    (here / "tickets").write_text(f"{'ab' * 16}\n")
    asked = ["bulk", "exports", "--out", "cases", "--json", "--workers", "1"]
    assert run([*asked, "--where", "error", "--flagged", "tickets", "--limit", "1"]) == 3
    report = told(capsys)
    assert report["outcomes"] == {"written": 1}
    assert report["passed"]["absent"] == 1
    assert report["passed"]["over_limit"] > 0
    assert report["passed"]["not_chosen"] > 0
    assert run([*asked, "--all", "--settle", "20000d"]) == 0
    assert told(capsys)["passed"]["settling"] == report["traces"] - 1
    assert run([*asked[:-3], "--all", "--limit", "1"]) == 0
    assert "over --limit, left for another run" in capsys.readouterr().out


@pytest.fixture
def broken(here):
    """Ten good traces, one record that is no JSON, one trace over which a recognizer of the project never ends."""
    (here / "slow.yaml").write_text(
        "recognizers:\n- name: ours\n  supported_entity: CODE\n  supported_language: en\n"
        '  patterns:\n  - {name: slow, regex: "(a|aa)+$", score: 0.9}\n'
    )
    (here / "extract-fixture.toml").write_text('[nlp]\nrecognizers = ["slow.yaml"]\n')
    said = [{"role": "user", "parts": [{"type": "text", "content": f"this is text {'a' * 60}! and more of it"}]}]
    file = here / "broken.jsonl"
    lines = [line(span(f"{number:032x}", number)) for number in range(1, 11)]
    lines.insert(3, '{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "Ines Kaplan"}]}]\n')
    lines.insert(7, line(span("f" * 32, 99, **{"gen_ai.input.messages": {"stringValue": json.dumps(said)}})))
    file.write_text("".join(lines))
    return file


def test_one_bad_trace_and_one_bad_record_cost_no_other(here, broken, capsys):
    assert run(["bulk", str(broken), "--all", "--json", "--workers", "2"]) == 5
    report = told(capsys)
    assert report["outcomes"] == {"dead": 1, "written": 10}
    assert report["exit_status"] == 5
    assert [(each["code"], each["count"]) for each in report["ledger"] if each["code"] == "record_refused"] == [
        ("record_refused", 1)
    ]
    (dead,) = (here / "fixtures" / ".bulk" / "report" / "dead.jsonl").read_text().splitlines()
    assert json.loads(dead)["place"] == "file 1 record 8"
    assert json.loads(dead)["stage"] == "redact"
    everything = b"".join(file.read_bytes() for file in (here / "fixtures" / ".bulk").rglob("*") if file.is_file())
    assert b"Kaplan" not in everything
    assert b"f" * 32 not in everything
    # What failed is tried again by another run, and not by one that was cut short and is resumed.
    journal = here / "fixtures" / ".bulk" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))
    assert run(["bulk", str(broken), "--all", "--json", "--resume"]) == 5
    assert told(capsys)["outcomes"] == {"dead": 1, "written": 10}
    for again in ([], ["--resume"]):
        assert run(["bulk", str(broken), "--all", "--json", *again]) == 5
        assert told(capsys)["outcomes"] == {"dead": 1}


def test_a_schedule_that_always_resumes_tells_of_each_run_alone(here, capsys):
    asked = ["bulk", "day.jsonl", "--all", "--resume", "--json", "--workers", "1"]
    (here / "day.jsonl").write_text(line(span("1" * 32, 1)) + '{"resourceSpans": [\n')
    assert run(asked) == 1
    capsys.readouterr()
    (here / "day.jsonl").write_text(line(span("2" * 32, 2)) + line(span("3" * 32, 3)))
    assert run(asked) == 0
    report = told(capsys)
    assert (report["traces"], report["outcomes"]) == (2, {"written": 2})


def test_a_run_that_was_cut_short_after_its_data_set_is_gone_on_with(here, capsys):
    asked = ["bulk", "day.jsonl", "--all", "--resume", "--dataset", "lake", "--workers", "1"]
    (here / "day.jsonl").write_text(line(span("1" * 32, 1)) + line(span("2" * 32, 2)))
    assert run(asked) == 0
    lake = {file.name: file.read_bytes() for file in (here / "lake").iterdir()}
    journal = here / "fixtures" / ".bulk" / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    assert run(asked) == 0
    assert {file.name: file.read_bytes() for file in (here / "lake").iterdir()} == lake
    capsys.readouterr()
    (here / "day.jsonl").write_text(line(span("3" * 32, 3)))
    assert run(asked) == 2, "another run's data set is not written over"
    assert "name a folder of its own" in capsys.readouterr().err
    assert run([each for each in asked if each != "--resume"]) == 2
    assert not (here / "fixtures" / ".bulk" / "plan.sqlite").exists()
    told = capsys.readouterr()
    assert "name a folder of its own" in told.err
    assert "written" not in told.out, "said before the work, not after it"


def test_a_broken_record_alone_ends_with_1(here, capsys):
    (here / "export.jsonl").write_text(line(span("1" * 32, 1)) + '{"resourceSpans": [\n')
    assert run(["bulk", "export.jsonl", "--all", "--workers", "1"]) == 1
    assert "not read  record_refused 1 (file 1 record 2 (syntax))" in " ".join(
        capsys.readouterr().out.split(" ")
    ).replace("    ", "  ")


def test_a_file_that_holds_no_export_is_told_and_its_name_to_people_alone(here, capsys, monkeypatch):
    (here / "a.jsonl").write_text(line(span("1" * 32, 1)))
    (here / "b.txt").write_text("{\n  name: 'chat',\n  traceId: '1234',\n  kind: 0,\n}\n")
    asked = ["bulk", "a.jsonl", "b.txt", "--all", "--workers", "1"]
    assert run(asked) == 1
    out = capsys.readouterr().out
    assert "file_javascript_text 1 (file 2)" in out
    assert "b.txt" not in out
    monkeypatch.setattr("extractor.cli.bulk.interactive", lambda: True)
    assert run(asked) == 1
    assert "file 2  b.txt" in capsys.readouterr().out


def test_another_result_supersedes_a_case_that_nobody_approved(here, export, capsys):
    (here / "tickets").write_text(f"{TRACE}\n")
    asked = ["bulk", str(export), "--flagged", "tickets", "--json", "--workers", "1"]
    assert run(asked) == 0
    (before,) = (here / "fixtures" / "quarantine").glob("2*")
    old = (before / "fixture.json").read_bytes()
    capsys.readouterr()
    (here / "extract-fixture.toml").write_text('time-zone = "Europe/Paris"\nlocale = "fr-FR"\n')
    assert run(asked) == 0
    assert told(capsys)["passed"]["known"] == 1
    assert run([*asked, "--again"]) == 0
    assert told(capsys)["outcomes"] == {"superseded": 1}
    (after,) = (here / "fixtures" / "quarantine").glob("2*")
    assert (after / "fixture.json").read_bytes() != old
    lines = [json.loads(each) for each in (after.parent / ".register.jsonl").read_text().splitlines()]
    assert [each["event"] for each in lines] == ["extracted", "superseded"]
    assert run(["register", "--json"]) == 0
    assert run([*asked, "--again"]) == 0


def test_a_rejected_case_is_not_made_again(here, export, capsys):
    (here / "tickets").write_text(f"{TRACE}\n")
    asked = ["bulk", str(export), "--flagged", "tickets", "--json", "--workers", "1"]
    assert run(asked) == 0
    (case,) = (here / "fixtures" / "quarantine").glob("2*")
    assert run(["reject", str(case), "--role", "qa", "--reviewer", "Ines Kaplan", "--reason", "no incident"]) == 0
    for file in (here / "fixtures" / ".bulk").glob("journal*"):
        file.unlink()
    capsys.readouterr()
    assert run(asked) == 0
    assert told(capsys)["passed"]["known"] == 1


def register_of(out):
    """Return what the register's local half has of each case, in its order."""
    lines = (out / "quarantine" / ".register.jsonl").read_text().splitlines()
    return [(told["event"], told["case_id"]) for told in map(json.loads, lines)]


@pytest.mark.parametrize("bound", [[], ["--per-signature", "4"]])
@pytest.mark.parametrize("resumed", [["--resume"], []])
def test_a_case_that_was_written_and_not_yet_put_on_record_is_no_older_case(here, monkeypatch, capsys, bound, resumed):
    """A run that ends between a case's folder and its lines leaves neither one case more nor one line less."""
    (here / "export.jsonl").write_text("".join(line(span(f"{number:032x}", number)) for number in range(1, 9)))
    asked = ["bulk", "export.jsonl", "--all", "--json", "--workers", "1", *bound]
    assert run([*asked, "--out", "calm"]) == 0
    calm = told(capsys)["outcomes"]
    with monkeypatch.context() as cut:

        def killed(*_, **__):
            raise KeyboardInterrupt

        cut.setattr(bulk_run.review, "enrol_all", killed)
        assert run([*asked, "--out", "stormy"]) == 130
    assert cases(here / "stormy"), "written before the cut"
    capsys.readouterr()
    assert run([*asked, "--out", "stormy", *resumed]) == 0
    assert told(capsys)["outcomes"] == calm
    assert cases(here / "stormy") == cases(here / "calm")
    assert register_of(here / "stormy") == register_of(here / "calm")


def test_an_older_result_goes_even_where_a_run_ended_before_it_had_gone(here, export, monkeypatch, capsys):
    (here / "tickets").write_text(f"{TRACE}\n")
    asked = ["bulk", str(export), "--flagged", "tickets", "--json", "--workers", "1"]
    assert run(asked) == 0
    (old,) = (here / "fixtures" / "quarantine").glob("2*")
    for name in ("2020-01-01-zz-00000000", "2999-01-01-zz-00000000"):
        # The same trace under an id of another time, as another set of rules would have named it.
        older = json.loads((old / "fixture.json").read_bytes()) | {"case_id": name}
        shutil.copytree(old, old.with_name(name))
        (old.with_name(name) / "fixture.json").write_text(json.dumps(older))
    assert run([*asked, "--again"]) == 0
    assert [each.name for each in old.parent.glob("2*")] == [old.name]
    capsys.readouterr()


RECOGNIZER = """
import logging, warnings
from presidio_analyzer import EntityRecognizer

class Talkative(EntityRecognizer):
    def __init__(self):
        super().__init__(supported_entities=["CODE"])

    def load(self):
        pass

    def analyze(self, text, entities, nlp_artifacts=None):
        logging.getLogger("ours").error("read: %s", text)
        warnings.warn(text)
        return []
"""


def test_what_libraries_log_of_a_text_is_not_heard_from_workers_either(here):
    (here / "talkative.py").write_text(RECOGNIZER)
    (here / "extract-fixture.toml").write_text('[nlp]\nrecognizers = ["talkative:Talkative"]\n')
    said = [{"role": "user", "parts": [{"type": "text", "content": "this is what Ines Kaplan wrote to the desk"}]}]
    (here / "export.jsonl").write_text(
        line(span("1" * 32, 1, **{"gen_ai.input.messages": {"stringValue": json.dumps(said)}}))
    )
    paths = os.pathsep.join((str(here), str(Path(extractor.__file__).parent.parent)))
    done = subprocess.run(
        [sys.executable, "-m", "extractor", "bulk", "export.jsonl", "--all", "--workers", "1"],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert list((here / "fixtures" / "quarantine").glob("2*"))
    assert b"Kaplan" not in done.stderr + done.stdout


def test_so_many_of_a_kind_are_kept(here, capsys):
    (here / "export.jsonl").write_text("".join(line(span(f"{number:032x}", number)) for number in range(1, 9)))
    assert run(["bulk", "export.jsonl", "--all", "--per-signature", "3", "--json", "--workers", "2"]) == 0
    assert told(capsys)["outcomes"] == {"kept_back": 5, "written": 3}
    kept = {
        json.loads(file.read_bytes())["trace_id"] for file in (here / "fixtures").glob("quarantine/2*/capture.json")
    }
    assert kept == {f"{number:032x}" for number in (1, 2, 3)}, "the earliest, whatever ended first"
    assert run(["bulk", "export.jsonl", "--all", "--per-signature", "3", "--json"]) == 0
    assert told(capsys)["outcomes"] == {}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--all", "--where", "error"],
        ["--where", "errors"],
        ["--all", "--settle", "soon"],
        ["--all", "--timeout", "0"],
        ["--flagged", "nothing"],
    ],
)
def test_what_cannot_be_meant_is_refused(here, export, arguments):
    assert run(["bulk", str(export), *arguments]) in (2, 6)


def test_two_runs_in_one_folder_do_not_meet(here, export, capsys):
    (here / "fixtures" / ".bulk").mkdir(parents=True)
    with (here / "fixtures" / ".bulk" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run(["bulk", str(export), "--all"]) == 2
    assert "another bulk run is at work" in capsys.readouterr().err


def test_killed_at_any_point_and_resumed_it_ends_as_if_undisturbed(here, exports, tmp_path):
    """The whole run is killed, workers and all; no original stands in any file that it leaves."""
    words = originals(exports)
    assert run(["bulk", "exports", "--all", "--out", "calm", "--quiet", "--workers", "2"]) == 0
    draw = random.Random(9)
    command = [
        sys.executable,
        "-m",
        "extractor",
        "bulk",
        "exports",
        "--all",
        "--out",
        "stormy",
        "--quiet",
        "--workers",
        "2",
        "--resume",
    ]
    environment = os.environ | {"PYTHONPATH": str(Path(extractor.__file__).parent.parent)}
    for _ in range(3):
        process = subprocess.Popen(command, env=environment, start_new_session=True)
        time.sleep(draw.uniform(2, 7))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        left = [file for file in (here / "stormy").rglob("*") if file.is_file() and file.name != "capture.json"]
        content = b"".join(file.read_bytes() for file in left)
        assert not [word for word in words if word in content]
    assert subprocess.run(command, env=environment, check=False).returncode == 0
    assert cases(here / "stormy") == cases(here / "calm")
    assert {file.name for file in (here / "stormy" / ".bulk").iterdir()} == {
        ".gitignore",
        "journal.jsonl",
        "lock",
        "report",
    }


def originals(exports):
    """Return identifiers that stand in the exports: addresses of people, and numbers of orders."""
    content = (exports / "weather.otlp.jsonl").read_bytes()
    content += gzip.decompress((exports / "duplicate-shipment.otlp.jsonl.gz").read_bytes())
    found = set(re.findall(rb"[a-z.]+@[a-z]+\.(?:example|com|org)", content))
    assert found
    return found


def cut_journal(out, lines):
    """Leave so many lines of a run's journal, as if it had been cut short there."""
    file = out / ".bulk" / "journal.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:lines]))


def test_what_a_run_did_before_it_was_cut_short_counts_for_its_limit(here, capsys):
    (here / "export.jsonl").write_text("".join(line(span(f"{number:032x}", number)) for number in range(1, 9)))
    asked = ["bulk", "export.jsonl", "--all", "--limit", "4", "--json", "--workers", "1", "--resume"]
    assert run(asked) == 0
    calm = told(capsys)
    journal = here / "fixtures" / ".bulk" / "journal.jsonl"
    written = [number for number, each in enumerate(journal.read_text().splitlines(), 1) if '"outcome"' in each]
    cut_journal(here / "fixtures", written[1])
    assert run(asked) == 0
    again = told(capsys)
    assert (again["outcomes"], again["passed"]) == (calm["outcomes"], calm["passed"])
    assert again["outcomes"] == {"written": 4}


def test_cases_that_were_kept_are_not_one_too_many_of_their_own_kind(here, capsys):
    (here / "export.jsonl").write_text("".join(line(span(f"{number:032x}", number)) for number in range(1, 6)))
    asked = ["bulk", "export.jsonl", "--all", "--json", "--workers", "1"]
    assert run([*asked, "--per-signature", "2"]) == 0
    assert told(capsys)["outcomes"] == {"kept_back": 3, "written": 2}
    for _ in range(2):
        assert run([*asked, "--per-signature", "2", "--again"]) == 0
        assert told(capsys)["outcomes"] == {"kept_back": 3, "unchanged": 2}
    assert run([*asked, "--per-signature", "3"]) == 0
    assert told(capsys)["outcomes"] == {"kept_back": 2, "written": 1}, "no case was ever made of what was kept back"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_a_supervisor_ends_takes_its_plan_and_its_pieces_along(here, number):
    content = "".join(line(span(f"{number:032x}", number)) for number in range(1, 2_000))
    (here / "export.jsonl.gz").write_bytes(gzip.compress(content.encode()))
    environment = os.environ | {"PYTHONPATH": str(Path(extractor.__file__).parent.parent)}
    command = [sys.executable, "-m", "extractor", "bulk", "export.jsonl.gz", "--all", "--quiet", "--workers", "1"]
    before = signal.signal(number, signal.SIG_DFL)  # under nohup a child would ignore it, as is right
    process = subprocess.Popen(command, env=environment)
    signal.signal(number, before)
    own = here / "fixtures" / ".bulk"
    while not (own / "journal.jsonl").exists() or b"begun" not in (own / "journal.jsonl").read_bytes():
        assert process.poll() is None
        time.sleep(0.05)
    assert (own / "spill").exists()
    process.send_signal(number)
    assert process.wait(timeout=60) == 128 + number
    assert {file.name for file in own.iterdir()} == {".gitignore", "journal.jsonl", "lock"}
    assert not list((here / "fixtures" / "quarantine").glob(".new*"))


@pytest.mark.parametrize("linked", ["fixtures", "fixtures/.bulk"])
def test_a_store_that_no_case_can_be_written_to_is_told_before_the_work(here, export, linked, capsys):
    (here / "elsewhere").mkdir()
    (here / linked).parent.mkdir(exist_ok=True)
    (here / linked).symlink_to(here / "elsewhere")
    assert run(["bulk", str(export), "--all"]) == 2
    assert "symbolic link" in capsys.readouterr().err
    assert not list((here / "elsewhere").iterdir())


def test_a_run_is_gone_on_with_by_one_that_asks_for_the_same_alone(here, capsys):
    (here / "export.jsonl").write_text("".join(line(span(f"{number:032x}", number)) for number in range(1, 7)))
    asked = ["bulk", "export.jsonl", "--json", "--workers", "1", "--resume"]
    assert run([*asked, "--all"]) == 0
    capsys.readouterr()
    cut_journal(here / "fixtures", 7 + 3)  # the run, what it began, three of its traces
    before = (here / "fixtures" / ".bulk" / "journal.jsonl").read_bytes()
    for other in (["--where", "attr:a=b"], ["--all", "--limit", "3"], ["--all", "--scope", "other"]):
        (here / "fixtures" / ".bulk" / "journal.jsonl").write_bytes(before)
        assert run([*asked, *other]) == 0
        report = told(capsys)
        assert (report["run"]["number"], report["run"]["resumed"]) == (2, False)
        assert report["traces"] == 6 == sum(report["outcomes"].values()) + sum(report["passed"].values())
    # Files may go meanwhile: what was done of them is done.
    (here / "fixtures" / ".bulk" / "journal.jsonl").write_bytes(before)
    (here / "export.jsonl").write_text("".join(line(span(f"{number:032x}", number)) for number in range(3, 9)))
    assert run([*asked, "--all"]) == 0
    report = told(capsys)
    assert (report["run"]["number"], report["run"]["resumed"]) == (1, True)
    assert report["traces"] == 8 == sum(report["outcomes"].values()) + sum(report["passed"].values())


def test_a_case_that_a_run_was_cut_short_with_and_that_was_purged_since_is_not_made_again(here, capsys):
    (here / "export.jsonl").write_text(line(span("1" * 32, 1)))
    asked = ["bulk", "export.jsonl", "--all", "--json", "--workers", "1"]
    assert run(asked) == 0
    cut_journal(here / "fixtures", 2)
    assert run(["purge", "--ttl", "0"]) == 0
    assert not list((here / "fixtures" / "quarantine").glob("2*"))
    capsys.readouterr()
    assert run(asked) == 0
    assert told(capsys)["passed"]["known"] == 1


@pytest.mark.parametrize("option", ["--report", "--dataset"])
def test_what_cannot_be_written_at_the_end_is_told_before_the_work(here, export, option, capsys):
    (here / "file").write_text("no folder")
    assert run(["bulk", str(export), "--all", option, "file/within", "--resume"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert not (here / "fixtures").exists()


def test_a_trace_may_be_given_all_the_time_there_is(here, capsys):
    (here / "export.jsonl").write_text(line(span("1" * 32, 1)))
    assert run(["bulk", "export.jsonl", "--all", "--json", "--workers", "1", "--timeout", "999999999d"]) == 0
    assert told(capsys)["outcomes"] == {"written": 1}


def test_the_end_names_the_page_and_the_first_case_to_read(here, exports, capsys):
    assert run(["bulk", "exports/weather.otlp.jsonl", "--all", "--limit", "1"]) == 0
    said = capsys.readouterr().out
    (case,) = (here / "fixtures" / "quarantine").glob("2*")
    assert "report  fixtures/.bulk/report/report.html\n" in said
    assert f"next    extract-fixture review fixtures/quarantine/{case.name}\n" in said
    assert run(["bulk", "exports/weather.otlp.jsonl", "--where", "tool=nothing"]) == 0
    assert "next" not in capsys.readouterr().out
