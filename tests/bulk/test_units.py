"""Times, bytes and numbers as people say them."""

from __future__ import annotations

import pytest

from extractor.bulk.units import counted, lasted, size, span_of_time


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0, "0 bytes"), (999, "999 bytes"), (999.6, "1.0 kB"), (1500, "1.5 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
        (2.05e9, "2.0 GB"), (9e15, "9,000.0 TB"),
    ],
)  # fmt: skip
def test_bytes(number, told):
    assert size(number) == told


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "0.0 s"), (0.44, "0.4 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"),
        (3599.7, "1 h 0 min"), (7500, "2 h 5 min"), (4_000_000, "1,111 h 6 min"),
    ],
)  # fmt: skip
def test_times(seconds, told):
    assert span_of_time(seconds) == told


@pytest.mark.parametrize(("number", "told"), [(0, "0 traces"), (1, "1 trace"), (2000, "2,000 traces")])
def test_numbers_with_their_noun(number, told):
    assert counted(number, "trace") == told


@pytest.mark.parametrize(
    ("milliseconds", "told"), [(0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (200_000, "3 min 20 s")]
)
def test_how_long_something_took(milliseconds, told):
    assert lasted(milliseconds) == told
