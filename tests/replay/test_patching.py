"""Modules patched for a while: unknown versions are said, and everything is put back."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from extractor.replay.patching import Patches, Watched

NAME = "invented_client"


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / f"{NAME}.py"
    sys.modules.pop(NAME, None)


def replace_send(module, patches):
    patches.attribute(module, "kept", 2)
    patches.attribute(module.Client, "send", lambda _self: "replayed")


def test_a_module_is_patched_when_it_is_imported_and_put_back_afterwards(source):
    source.write_text("kept = 1\nclass Base:\n    def send(self): return 'live'\nclass Client(Base): pass\n")
    with Watched({NAME: replace_send}) as watched:
        assert watched.state() == {NAME: "absent"}
        module = importlib.import_module(NAME)
        assert watched.state() == {NAME: "patched"}
        assert (module.kept, module.Client().send(), module.Base().send()) == (2, "replayed", "live")
        assert module.__spec__.loader is module.__loader__
        assert module.__loader__.get_source(NAME)
    assert (module.kept, module.Client().send()) == (1, "live")
    assert "send" not in vars(module.Client)


def test_a_version_that_is_not_known_is_said_and_left_whole(source):
    source.write_text("kept = 1\n")
    with Watched({NAME: replace_send}) as watched:
        module = importlib.import_module(NAME)
        assert watched.state() == {NAME: "failed: AttributeError"}
        assert module.kept == 1


def test_a_module_that_cannot_be_imported_fails_as_ever(source):
    source.write_text("raise KeyError('broken')\n")
    with Watched({NAME: replace_send}) as watched:
        with pytest.raises(KeyError, match="broken"):
            importlib.import_module(NAME)
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("no_such_client")
        assert watched.state() == {NAME: "absent"}


def test_a_module_that_does_not_exist_stays_missing():
    with Watched({"no_such_client": replace_send}), pytest.raises(ModuleNotFoundError):
        importlib.import_module("no_such_client")


def test_the_last_replacement_is_taken_back_first():
    module, patches = ModuleType("plain"), Patches()
    module.value = 1
    for value in (2, 3):
        patches.attribute(module, "value", value)
    patches.restore()
    assert module.value == 1
    with pytest.raises(AttributeError):
        patches.attribute(module, "missing", 1)
