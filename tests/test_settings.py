from __future__ import annotations

from pathlib import Path

import pytest

from extractor.errors import UsageError
from extractor.model.config import Deny, Nlp, Override, Own, RunConfig
from extractor.settings import Settings, find, from_table


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_without_a_file_the_defaults_hold(tmp_path):
    assert find(tmp_path) == Settings()


def test_every_key_reaches_its_member(tmp_path):
    write(
        tmp_path,
        "extract-fixture.toml",
        """
        out = "cases"
        key-file = "secrets/workspace.key"
        time-zone = "Europe/Berlin"
        locale = "de-DE"
        workflow-version = "refunds-12"
        prompt-version = "p7"
        keep = ["policy"]
        drop = ["metrics"]
        rules = ["our-rules"]
        [own]
        domains = ["example.com"]
        hosts = ["api.example.com"]
        brands = ["Example Air"]
        mailboxes = ["help@example.com"]
        [deny]
        names = ["Oda Marlow"]
        values = ["orchid-nine"]
        [nlp]
        model = "en_core_web_lg"
        language = "en"
        entities = ["PERSON"]
        recognizers = ["recognizers.yaml"]
        model-sha256 = "%s"
        """
        % ("0a" * 32),
    )
    assert find(tmp_path) == Settings(
        out=tmp_path / "cases",
        key_file=tmp_path / "secrets/workspace.key",
        rules=(tmp_path / "our-rules",),
        config=RunConfig(
            override=Override(keep=("policy",), drop=("metrics",)),
            time_zone="Europe/Berlin",
            locale="de-DE",
            workflow_version="refunds-12",
            prompt_version="p7",
            own=Own(
                domains=("example.com",),
                hosts=("api.example.com",),
                brands=("Example Air",),
                mailboxes=("help@example.com",),
            ),
            deny=Deny(names=("Oda Marlow",), values=("orchid-nine",)),
            nlp=Nlp(
                model="en_core_web_lg",
                language="en",
                entities=("PERSON",),
                recognizers=("recognizers.yaml",),
                model_sha256="0a" * 32,
            ),
        ),
    )


@pytest.mark.parametrize("digest", ["0A" * 32, "0a", ""])
def test_a_pin_is_a_digest(tmp_path, digest):
    write(tmp_path, "extract-fixture.toml", f'[nlp]\nmodel-sha256 = "{digest}"')
    with pytest.raises(UsageError, match=r"nlp\.model-sha256: must be"):
        find(tmp_path)


def test_the_nearest_folder_upwards_wins(tmp_path):
    write(tmp_path, "extract-fixture.toml", 'locale = "en-GB"')
    inner = write(tmp_path / "service", "pyproject.toml", '[tool.extract-fixture]\nlocale = "fr-FR"')
    assert find(inner / "src" / "deep").config.locale == "fr-FR"


def test_a_pyproject_without_our_table_is_passed_by(tmp_path):
    write(tmp_path, "extract-fixture.toml", 'locale = "en-GB"')
    inner = write(tmp_path / "service", "pyproject.toml", '[project]\nname = "x"')
    assert find(inner).config.locale == "en-GB"


def test_two_files_of_one_folder_are_refused(tmp_path):
    write(tmp_path, "extract-fixture.toml", "")
    write(tmp_path, "pyproject.toml", "[tool.extract-fixture]")
    with pytest.raises(UsageError, match="keep one of them"):
        find(tmp_path)


def test_all_faults_are_told_at_once_and_no_value_is():
    table = {"tiem-zone": "x", "locale": ["Zebra"], "out": "", "own": {"domain": ["z"], "hosts": "Zebra"}, "nlp": 3}
    with pytest.raises(UsageError) as caught:
        from_table(table, folder=Path(), file="extract-fixture.toml")
    assert caught.value.message.splitlines()[1:] == [
        "  unknown key: tiem-zone",
        "  locale: must be a text, not empty",
        "  out: must be a text, not empty",
        "  unknown key: own.domain",
        "  own.hosts: must be a list of texts",
        "  nlp: must be a table",
    ]


@pytest.mark.parametrize("key", ["Zoë Zebra", "sk-Live_KEY", "x" * 60, ""])
def test_a_key_that_is_no_plain_word_is_named_by_position(key):
    with pytest.raises(UsageError) as caught:
        from_table({"locale": "en", key: 1}, folder=Path(), file="extract-fixture.toml")
    assert "member 2" in caught.value.message
    assert not key or key not in caught.value.message


@pytest.mark.parametrize("content", [b'locale = "Zebra', b"locale = \xff"])
def test_a_file_that_is_no_toml_is_refused_without_quoting_it(tmp_path, content):
    (tmp_path / "extract-fixture.toml").write_bytes(content)
    with pytest.raises(UsageError, match="no valid TOML") as caught:
        find(tmp_path)
    assert "Zebra" not in caught.value.message
    assert caught.value.__cause__ is None
