"""S85, S105, S107: a fixed twin under the scope of its incident differs only in what the fix changed."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from dataclasses import replace

import pytest

from extractor.assemble import assemble
from extractor.cli.app import run
from extractor.model.config import Wanted
from extractor.model.json import leaves
from extractor.normalise import normalise
from extractor.read import read
from extractor.redact import redact
from extractor.select import select
from sample_traces.recording.otlp import batches, json_lines

from .samples import INCIDENTS, KEY, RULES, config_of, options_of, source_of

pytestmark = pytest.mark.nlp


@pytest.fixture(scope="module", params=INCIDENTS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def twin(name, tmp_path_factory):
    """The same request to the fixed agent, recorded under trace ids of its own: source and trace id."""
    package = INCIDENTS[name]["agent"].rpartition(".")[0]
    module, agent = (importlib.import_module(f"{package}.{part}") for part in ("record", "agent"))
    recorded = module.record
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "run_buggy", agent.run_fixed)
        patched.setattr(module, "record", lambda each: recorded(replace(each, name=f"{each.name}-fixed")))
        spans = module.spans()
    file = tmp_path_factory.mktemp("twin") / "fixed.jsonl"
    file.write_bytes(json_lines(batches(spans)))
    # The incident is recorded first; health checks have traces of one span.
    traces = Counter(span.context.trace_id for span in spans)
    incident = next(span.context.trace_id for span in spans if traces[span.context.trace_id] > 5)
    return file, f"{incident:032x}"


def stand_ins(source, config):
    """Return what each text of a case became."""
    reading = read([str(source)], config.wanted)
    trace = normalise(reading, RULES)
    case = assemble(trace, select(trace, RULES, config), reading, config, RULES)
    made = redact(case, RULES, config, KEY)
    pairs = zip(leaves(made.original), leaves(made.document), strict=True)
    return made.scope, {old: new for (_, old), (_, new) in pairs if isinstance(old, str) and old != new}


def test_what_stands_in_both_has_one_pseudonym(name, twin):
    file, trace_id = twin
    config = config_of(name)
    scope, incident = stand_ins(source_of(name), config)
    harmless = replace(config.statement, violations=())  # the harm is what the twin does not do
    fixed = replace(config, statement=harmless, wanted=Wanted(trace_ids=(trace_id,)))
    own_scope, apart = stand_ins(file, fixed)
    taken, together = stand_ins(file, replace(fixed, scope=scope))
    both = incident.keys() & together.keys()
    assert (taken, own_scope != scope) == (scope, True)
    assert len(both) > 5
    assert {text: incident[text] for text in both} == {text: together[text] for text in both}
    assert not [text for text in both if apart[text] == incident[text]]


def test_the_command_takes_the_scope_over_and_records_it(name, twin, tmp_path, monkeypatch, capsys):
    file, trace_id = twin
    monkeypatch.chdir(tmp_path)
    key = tmp_path / "workspace.key"
    key.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    key.chmod(0o600)
    monkeypatch.setenv("EXTRACT_FIXTURE_KEY_FILE", str(key))
    assert run([*options_of(name), "--json"]) == 0
    incident = tmp_path / json.loads(capsys.readouterr().out)["path"]
    run(["--trace-id", trace_id, str(file), "--scope-of", str(incident), "--json"])
    fixed = tmp_path / json.loads(capsys.readouterr().out)["path"]
    was, now = (
        json.loads((case / "provenance.json").read_bytes())["predicate"]["redaction"] for case in (incident, fixed)
    )
    assert was["scope_of"] is None
    assert (now["scope"], now["scope_of"]) == (was["scope"], incident.name)
    documents = [json.loads((case / "fixture.json").read_bytes()) for case in (incident, fixed)]
    assert documents[0]["input"] == documents[1]["input"]
    assert documents[0]["identity"]["subject"] == documents[1]["identity"]["subject"]
