from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor.write import _exchange as module
from extractor.write._exchange import exchange


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text("")
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def test_two_folders_change_places_or_stay(tmp_path: Path, folder: int) -> None:
    swapped = exchange(folder, "one", "other")
    assert (tmp_path / "one" / ("other" if swapped else "one")).exists()
    assert (tmp_path / "other" / ("one" if swapped else "other")).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="the errors of renameat2")
@pytest.mark.parametrize(("code", "answer"), [(errno.ENOSYS, False), (errno.EINVAL, False), (errno.ENOSPC, None)])
def test_only_a_system_that_cannot_says_false(
    folder: int, monkeypatch: pytest.MonkeyPatch, code: int, answer: bool | None
) -> None:
    class Library:
        @staticmethod
        def renameat2(*_: object) -> int:
            ctypes.set_errno(code)
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Library)
    if answer is None:
        with pytest.raises(OSError, match=os.strerror(code)):
            exchange(folder, "one", "other")
    else:
        assert exchange(folder, "one", "other") is answer


def test_a_system_without_the_call_says_false(folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CALLS", {})
    assert exchange(folder, "one", "other") is False
