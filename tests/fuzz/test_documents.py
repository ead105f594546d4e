"""Any document comes out redacted, in its shape, alike each time; ``FUZZ_DOCUMENTS`` says how many are tried."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractor.model.config import RunConfig
from extractor.model.json import JsonValue, compact
from extractor.redact import WorkspaceKey, redact_documents
from extractor.ruleset import load

from .documents import WAYS, documents

TOGETHER = 20  # documents in one scope; each such example costs as much as one alone
DOCUMENTS = int(os.environ.get("FUZZ_DOCUMENTS", "600"))
KEY = WorkspaceKey(material=bytes(range(32)))
RULES = load()
UNHURRIED = settings(
    max_examples=max(1, DOCUMENTS // TOGETHER),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def redacted(values: list[Any]) -> list[JsonValue]:
    return list(redact_documents(values, RULES, RunConfig(), KEY))


@UNHURRIED
@given(st.lists(documents(), min_size=TOGETHER, max_size=TOGETHER))
def test_no_planted_value_survives_in_any_form(told):
    values = [document for _, document in told]
    made = redacted(values)
    for (planted, before), after in zip(told, made, strict=True):
        assert shape(after) == shape(before)
        text = compact(after).casefold()
        for kind, value in planted:
            for way, write in WAYS.items():
                assert core(write(value), way) not in text, (kind, way)
    assert redacted(values) == made


@UNHURRIED
@given(st.lists(documents(), min_size=TOGETHER, max_size=TOGETHER), st.randoms(use_true_random=False))
def test_values_stay_apart_and_the_order_of_documents_changes_nothing(told, random):
    plain = sorted({value for planted, _ in told for _, value in planted})
    values = [*(document for _, document in told), *({"told": f"see {value} there"} for value in plain)]
    made = redacted(values)
    standins = [compact(one) for one in made[len(told) :]]
    assert len(set(standins)) == len(plain)
    places = list(range(len(values)))
    random.shuffle(places)
    assert redacted([values[place] for place in places]) == [made[place] for place in places]


def core(written: str, way: str) -> str:
    """Return the part of an encoded value that its neighbours do not change, as it would stand in compact JSON."""
    if way in ("base64", "base64url"):
        written = written.rstrip("=")[:-1]
    return compact(written)[1:-1].casefold()


def shape(value: JsonValue) -> object:
    """Return the tree of a value: types and counts, no texts."""
    if isinstance(value, dict):
        return [shape(child) for child in value.values()]
    if isinstance(value, list):
        return tuple(shape(child) for child in value)
    return type(value).__name__ if not isinstance(value, (int, float)) or isinstance(value, bool) else "number"
