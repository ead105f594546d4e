"""Checks judge a frozen record: they reach nothing outside, and the only clock is the case's."""

from __future__ import annotations

import datetime as dt
import socket
import subprocess
import threading
import time

import pytest

from extractor.checks.declaring import Check
from extractor.checks.isolation import isolated
from extractor.checks.running import run_all_checks

from .runs import good_case, good_record


def called(body, name="assert_it") -> Check:
    return Check(id=name, body=body, module="", line=0)


def asks_a_service(record, case):
    socket.create_connection(("192.0.2.1", 80), timeout=1)


def hides_that_it_asked(record, case):
    try:  # noqa: SIM105
        asks_a_service(record, case)
    except BaseException:  # noqa: BLE001  # the worst that a check can do
        pass


def asks_in_a_thread(record, case):
    thread = threading.Thread(target=hides_that_it_asked, args=(record, case))
    thread.start()
    thread.join()


def starts_a_program(record, case):
    subprocess.run(["true"], check=True)


def asks_the_clock(record, case):
    assert dt.datetime.now(dt.UTC) > case.now


def asks_the_time(record, case):
    assert time.time() > 0


def asks_the_case(record, case):
    assert case.now.year == 2026


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (asks_a_service, "connect"),
        (hides_that_it_asked, "connect"),
        (asks_in_a_thread, "connect"),
        (starts_a_program, "child_process"),
        (asks_the_clock, "real_clock"),
        (asks_the_time, "real_clock"),
    ],
)
def test_a_check_that_reaches_outside_has_judged_nothing(body, code):
    """S92 S110."""
    told = run_all_checks(good_record(), good_case(), [called(body)])
    assert (told.passed, told.outcomes[0].verdict, told.outcomes[0].reason) == (False, "error", code)


def test_each_check_is_told_by_itself_and_the_others_go_on():
    bodies = {"a": asks_the_clock, "b": asks_the_case, "c": asks_the_clock, "d": asks_a_service}
    told = run_all_checks(good_record(), good_case(), [called(body, name) for name, body in bodies.items()])
    assert [each.verdict for each in told.outcomes] == ["error", "accepted", "error", "error"]


def test_one_guard_holds_for_all_runs_within_it():
    with isolated() as outer:
        told = [run_all_checks(good_record(), good_case(), [called(asks_the_clock)]).passed for _ in range(3)]
        with isolated() as inner:
            assert inner is outer
    assert told == [False] * 3
    assert dt.datetime.now(dt.UTC).year > 2000


def test_what_was_real_before_is_real_again():
    run_all_checks(good_record(), good_case(), [called(asks_a_service)])
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
