from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from extractor.errors import UsageError
from extractor.minimise.oracle import Oracle, Verdict


def oracle(program: str, *arguments: str, **asked) -> Oracle:
    return Oracle(command=(sys.executable, "-c", program, *arguments), environment=dict(os.environ), **asked)


def test_the_exit_status_is_the_verdict(tmp_path):
    assert oracle("raise SystemExit(3)").run(tmp_path) == Verdict(status=3, matched=True)
    assert oracle("").run(tmp_path) == Verdict(status=0, matched=True)
    assert oracle("import os; os.kill(os.getpid(), 9)").run(tmp_path).status == -9


def test_the_folder_is_named_by_the_variable_and_by_each_lone_pair_of_braces(tmp_path):
    program = "import os, sys; sys.exit(sys.argv[1:] != [os.environ['EXTRACT_FIXTURE_CASE'], 'x{}', sys.argv[1]])"
    assert oracle(program, "{}", "x{}", "{}").run(tmp_path).status == 0


def test_no_shell_reads_the_command(tmp_path):
    program = "import sys; sys.exit(sys.argv[1] != '$HOME; exit 1')"
    assert oracle(program, "$HOME; exit 1").run(tmp_path).status == 0


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_text_is_looked_for_in_both_streams_across_pieces(tmp_path, stream):
    program = f"import sys; s = sys.{stream}; s.write('x' * 65530 + 'duplicate '); s.flush(); s.write('shipment'); sys.exit(1)"
    asked = oracle(program, match="duplicate shipment")
    assert asked.run(tmp_path) == Verdict(status=1, matched=True)
    assert asked.output_bytes == 65530 + len("duplicate shipment")
    assert oracle(program, match="two shipments").run(tmp_path) == Verdict(status=1, matched=False)


def test_what_takes_too_long_is_ended_with_its_children(tmp_path):
    pids = tmp_path / "pids"
    program = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pids)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)"
    )
    assert oracle(program, timeout_s=2.0).run(tmp_path).status is None
    assert gone(int(pids.read_text()))


def test_an_interrupted_run_leaves_no_command_behind(tmp_path, monkeypatch):
    pid = tmp_path / "pid"
    program = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    wait = subprocess.Popen.wait

    def interrupted(process, timeout=None):
        if timeout is None:
            return wait(process)
        while not (pid.exists() and pid.read_text()):
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        oracle(program).run(tmp_path)
    assert gone(int(pid.read_text()))


def gone(pid: int) -> bool:
    """Say whether a process has ended; whoever inherited it may not have taken note yet."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def test_a_child_that_holds_the_output_open_does_not_hold_the_verdict(tmp_path):
    program = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(20)'], start_new_session=True)\n"
        "sys.exit(4)"
    )
    assert oracle(program, timeout_s=15.0).run(tmp_path).status == 4


def test_what_cannot_be_started_is_a_usage_error_that_names_nothing(tmp_path):
    with pytest.raises(UsageError) as told:
        Oracle(command=("no-such-command-of-ours",), environment={}).run(tmp_path)
    assert "no-such" not in told.value.message


def test_a_check_that_was_edited_is_another_one(tmp_path):
    check = tmp_path / "check.py"
    check.write_text("raise SystemExit(1)")
    asked = Oracle(command=("python3", str(check), "{}"), environment={})
    digest, identity = asked.digest, asked.identity
    assert asked.identity == identity
    check.write_text("raise SystemExit(0)")
    assert asked.digest == digest
    assert asked.identity != identity


def test_other_words_or_another_time_are_another_question():
    asked = [
        Oracle(command=("check", "{}"), environment={}, **more) for more in ({}, {"match": "a"}, {"timeout_s": 5.0})
    ]
    assert len({each.identity for each in asked}) == 3
    assert len({each.digest for each in asked}) == 1


def test_words_are_told_apart_in_the_digest():
    assert Oracle(command=("a", "b c"), environment={}).digest != Oracle(command=("a b", "c"), environment={}).digest
