from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

import extractor
from extractor import errors
from extractor.cli.app import run

EXPORTS = Path(__file__).parents[2] / "sample_traces" / "exports"
EXPORT = EXPORTS / "refund-timeout.otlp.jsonl"
TRACE = "6d383010fe32bfe09c943d88b718f3e3"
TOLD = {"customer": {"name": "Oda Marlow", "email": "oda.marlow@example.com"}, "note": "Oda Marlow called."}


@pytest.fixture(scope="module")
def key_file(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("key") / "workspace.key"
    file.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    file.chmod(0o600)
    return file


@pytest.fixture
def here(tmp_path, monkeypatch, key_file) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXTRACT_FIXTURE_KEY_FILE", str(key_file))
    return tmp_path


def test_importing_the_package_loads_the_version_alone():
    program = (
        "import sys; before = set(sys.modules); import extractor; "
        "print(sorted(n for n in set(sys.modules) - before if n.startswith('extractor')))"
        "; extractor.replay.load_case; extractor.errors.UsageError"
        "; print(sorted({'click', 'spacy', 'pyarrow', 'jsonschema', 'presidio_analyzer'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['extractor', 'extractor.version']", "[]"]


def test_every_public_name_is_there_and_no_other():
    for name in extractor.__all__:
        assert getattr(extractor, name) is not None
    assert set(extractor.__all__) <= set(dir(extractor))
    with pytest.raises(AttributeError, match="no attribute 'extrcat'"):
        _ = extractor.extrcat  # type: ignore[attr-defined]


@pytest.mark.nlp
def test_a_case_in_memory_is_the_case_that_the_command_writes(here, key_file):
    made = extractor.extract(EXPORT, trace_id=TRACE[:8], key=key_file)
    assert (made.path, made.state) == (None, None)
    assert not list(here.iterdir())
    assert run(["--trace-id", TRACE, str(EXPORT), "--quiet"]) == 0
    (case,) = (here / "fixtures" / "quarantine").glob("2*")
    assert made.case_id == case.name
    for name in ("fixture.json", "provenance.json", "README.md"):
        assert made.fixture.files[name] == (case / name).read_bytes()
    assert made.proofs.leaks == 0
    assert made.proofs.known_values > 0
    assert made.residual == made.proofs.residual
    assert json.loads(made.capture)["trace_id"] == TRACE
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.path = here  # type: ignore[misc]


@pytest.mark.nlp
def test_options_mean_what_those_of_the_command_mean(here, key_file):
    told = extractor.Statement(failure="The agent said that it was refunded.", prohibit=("it is refunded",))
    made = extractor.extract(
        [str(EXPORT)],
        trace_id=[TRACE],
        key=extractor.load_key(key_file),
        at_most=9,
        keep=["retrieval"],
        statement=told,
        scope="workspace",
        out="ours",
    )
    again = ["--trace-id", TRACE, str(EXPORT), "--at-most", "9", "--keep", "retrieval", "--scope", "workspace"]
    again += ["--failure", "The agent said that it was refunded.", "--prohibit", "it is refunded", "--quiet"]
    assert run([*again, "--out", "theirs"]) == 0
    (theirs,) = (here / "theirs" / "quarantine").glob("2*")
    assert made.path is not None
    assert made.state == "written"
    assert made.path.relative_to("ours") == theirs.relative_to(here / "theirs")
    for name in ("fixture.json", "provenance.json", "README.md"):
        assert (made.path / name).read_bytes() == (theirs / name).read_bytes()
    twin = extractor.extract(EXPORT, trace_id=TRACE, key=key_file, scope_of=made.path, out="ours", replace=True)
    assert twin.state == "replaced"
    assert json.loads(twin.fixture.files["provenance.json"])["predicate"]["redaction"]["scope_of"] == made.case_id
    with pytest.raises(errors.CaseExists):
        extractor.extract(EXPORT, trace_id=TRACE, key=key_file, out="ours")


@pytest.mark.nlp
def test_settings_are_read_where_a_project_is_named_and_nowhere_else(here, key_file):
    (here / "extract-fixture.toml").write_text(f'key-file = "{key_file}"\n[deny]\nvalues = ["Blue Kettle"]\n')
    (here / "inner").mkdir()
    text = "The Blue Kettle arrived."
    assert extractor.redact(text, key=key_file).value == text
    assert "Blue Kettle" not in extractor.redact(text, project="inner").value
    with pytest.raises(errors.WorkspaceKeyError, match="pass key"):
        extractor.redact(text)


@pytest.mark.nlp
def test_a_folder_of_rules_is_in_force(here, key_file):
    (here / "ours").mkdir()
    (here / "ours" / "crate.toml").write_text(
        '[[rule]]\nid = "crate"\nentity = "record_id"\npattern = \'(?<!\\w)CRATE-[0-9]{4}(?!\\w)\'\n'
        'why = "Crates are numbered."\nmatches = ["CRATE-1234"]\nnon_matches = ["CRATE-12"]\n'
    )
    assert extractor.redact("See CRATE-4711.", key=key_file).value == "See CRATE-4711."
    assert "CRATE-4711" not in extractor.redact("See CRATE-4711.", key=key_file, rules=["ours"]).value


@pytest.mark.nlp
def test_a_text_comes_out_as_the_command_writes_it(here, key_file, capsys):
    lines = "".join(json.dumps({"email": f"oda{n}@example.com", "n": n}) + "\n" for n in range(3))
    (here / "lines.jsonl").write_text(lines)
    for options, given in (([], {}), (["--joint"], {"joint": True}), (["--scope", "trip"], {"scope": "trip"})):
        assert run(["redact", "lines.jsonl", *options]) == 0
        assert extractor.redact(lines, key=key_file, **given).value == capsys.readouterr().out


@pytest.mark.nlp
def test_a_value_keeps_its_form_and_its_relations(key_file):
    done = extractor.redact(TOLD, key=key_file, explain=True)
    value = done.value
    assert isinstance(value, dict)
    assert isinstance(value["customer"], dict)
    name = value["customer"]["name"]
    assert name != "Oda Marlow"
    assert value["note"] == f"{name} called."
    assert extractor.redact(TOLD, key=key_file).value == value
    assert {(one.line, one.path) for one in done.replaced} == {
        (None, "{0}.{0}"), (None, "{0}.{1}"), (None, "{1}")
    }  # fmt: skip
    assert "Oda" not in repr(done.replaced)


@pytest.mark.nlp
def test_what_is_not_finite_becomes_a_text_and_is_told(key_file):
    assert extractor.redact({"ratio": float("nan")}, key=key_file) == extractor.Redacted(
        value={"ratio": "NaN"}, not_finite=(1,)
    )


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"a": {1, 2}}, "no JSON"),
        ({1: "oda@example.com"}, "no JSON"),
        (b"oda@example.com", "no JSON"),
        ("oda@example.com \ud800", "character 16"),
    ],
)
def test_what_is_no_json_is_refused_and_not_quoted(key_file, value, told):
    with pytest.raises(errors.InputUnreadable, match=told) as caught:
        extractor.redact(value, key=key_file)
    assert "oda" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_wish_without_a_trace_is_refused(key_file):
    with pytest.raises(errors.UsageError, match="which trace"):
        extractor.extract(EXPORT, key=key_file)
    with pytest.raises(errors.TraceNotFound):
        extractor.extract(EXPORT, trace_id="f" * 32, key=key_file)
    with pytest.raises(errors.InputUnreadable):
        extractor.extract(Path("nowhere.jsonl"), trace_id=TRACE, key=key_file)


@pytest.mark.parametrize("first", ["", "import extractor.redact; ", "from extractor.redact import load_key; "])
def test_redact_is_a_function_whatever_was_imported_before(first, key_file):
    program = (
        f"{first}import extractor, inspect; from extractor import redact\n"
        "try: extractor.redact('x')\n"
        "except extractor.errors.WorkspaceKeyError: print('asked for a key')\n"
        "from extractor.redact import WorkspaceKey; import extractor.redact.keys as keys\n"
        "print(callable(redact), keys.WorkspaceKey is WorkspaceKey is extractor.WorkspaceKey)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["asked for a key", "True True"]


@pytest.mark.parametrize(
    ("kind", "told", "wanted"),
    [
        (extractor.Statement, {"prohibit": "the refund has been completed"}, "Statement: prohibit is a tuple of texts"),
        (extractor.Statement, {"claims": ("refund", 7)}, "Statement: claims is a tuple of texts: one of its values"),
        (extractor.Statement, {"alternates": {"refund": 1}}, "Statement: alternates is a tuple"),
        (extractor.Statement, {"adapter": "refund@1"}, "Statement: adapter is a tuple of texts"),
        (extractor.Statement, {"effects": {"refund": 1}}, "Statement: effects is a dict of pairs"),
        (extractor.RunConfig, {"facts": [("refund", 1)]}, "RunConfig: facts is a dict"),
        (extractor.RunConfig, {"statement": {"claims": ["refund"]}}, "RunConfig: statement is a Statement"),
    ],
    ids=["text", "no text", "no tuple", "no pair", "no bounds", "no mapping", "no part"],
)
def test_what_is_told_otherwise_than_declared_is_refused_and_not_quoted(kind, told, wanted):
    """A text that stands where several are wanted would be taken letter by letter."""
    with pytest.raises(errors.UsageError) as caught:
        kind(**told)
    assert str(caught.value).startswith(wanted)
    assert "refund" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "wanted"), [("statement", "Statement"), ("config", "RunConfig"), ("at_most", "Limit")]
)
@pytest.mark.parametrize("given", [{"failure": "Oda was refunded."}, {}, "Oda"])
def test_a_part_of_a_wish_is_of_its_class(key_file, name, wanted, given):
    with pytest.raises(errors.UsageError) as caught:
        extractor.extract(EXPORT, trace_id=TRACE, key=key_file, **{name: given})
    assert f"{name} is " in str(caught.value)
    assert f"an extractor.{wanted}, not a {type(given).__name__}" in str(caught.value)
    assert "Oda" not in str(caught.value)


def test_texts_may_stand_in_a_list_and_one_path_alone(key_file, here):
    assert extractor.Statement(prohibit=["a", "b"]).prohibit == ("a", "b")  # type: ignore[arg-type]
    (here / "none").mkdir()
    with pytest.raises(errors.RulesError) as caught:
        extractor.redact("x", key=key_file, rules="none")
    assert len(caught.value.faults) == 1


def test_the_key_of_the_commands_is_not_read_and_the_error_says_so(here):
    with pytest.raises(errors.WorkspaceKeyError, match="EXTRACT_FIXTURE_KEY_FILE is read by commands alone") as caught:
        extractor.redact("x")
    assert caught.value.hint is not None
    assert 'key=os.environ["EXTRACT_FIXTURE_KEY_FILE"]' in caught.value.hint
