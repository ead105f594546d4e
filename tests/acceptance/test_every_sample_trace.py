"""Every trace of the sample exports, the bystanders' too, yields a case whatever is kept of it."""

from __future__ import annotations

import pytest

from extractor import pipeline, read
from extractor.model.config import Override, RunConfig, Wanted

from .samples import INCIDENTS, KEY, OCCASION, RULES, source_of


@pytest.mark.parametrize("override", [Override(), Override(keep=("all",))], ids=["default", "all"])
def test_every_trace_yields_a_case(name, override) -> None:
    source = str(source_of(name))
    traces = [each.trace_id for each in read.survey([source]) if each.spans > 1]
    assert len(traces) > 1
    for trace_id in traces:
        config = RunConfig(wanted=Wanted(trace_ids=(trace_id,)), override=override)
        fixture = pipeline.extract(read.read([source], config.wanted), config, RULES, KEY, OCCASION).fixture
        assert fixture.proofs.leaks == 0


def test_the_samples_are_all_there() -> None:
    assert len(INCIDENTS) == 5
