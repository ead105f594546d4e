from __future__ import annotations

import pytest

from extractor.errors import UsageError
from extractor.replay.guard import Allow


@pytest.mark.parametrize(
    "host",
    [
        "",
        "example.com",
        "example.com:",
        ":443",
        "*.example.com:443",
        "*:443",
        "2001:db8::1:443",
        "a:b@example.com:443",
        "example.com:65536",
        "example.com:-1",
        "https://example.com:443",
        "unix:",
        "a,b:1",
        "192.0.2.0/24:80",
    ],
)
def test_an_entry_names_one_host_and_port(host):
    with pytest.raises(UsageError) as raised:
        Allow(hosts=("127.0.0.1:8080", host))
    assert "hosts[1]" in raised.value.message


@pytest.mark.parametrize("program", ["git", "./git", "", "bin/git"])
def test_a_program_is_an_absolute_path(program):
    with pytest.raises(UsageError):
        Allow(programs=(program,))


def test_children_are_none_or_forked():
    with pytest.raises(UsageError):
        Allow(children="spawned")  # type: ignore[arg-type]


def test_a_tool_has_no_entry():
    assert Allow.__slots__ == ("hosts", "children", "programs")


@pytest.mark.parametrize(
    ("entry", "address", "is_allowed"),
    [
        ("127.0.0.1:80", ("127.0.0.1", 80), True),
        ("127.0.0.1:80", ("127.0.0.1", 81), False),
        ("127.0.0.1:80", ("127.0.0.2", 80), False),
        ("[::1]:80", ("::1", 80, 0, 0), True),
        ("[::1]:80", ("::2", 80, 0, 0), False),
        ("unix:/run/a.sock", "/run/a.sock", True),
        ("unix:/run/a.sock", b"/run/a.sock", True),
        ("unix:/run/a.sock", "/run/b.sock", False),
        ("127.0.0.1:80", 80, False),
        ("127.0.0.1:80", (1, 2), False),
        ("127.0.0.1:80", None, False),
    ],
)
def test_an_address_is_compared_whole(entry, address, is_allowed):
    assert Allow(hosts=(entry,)).address(address) is is_allowed
