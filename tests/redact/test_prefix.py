"""What says the type of an id stays; what could be a person's name does not."""

from __future__ import annotations

import re

import pytest

from extractor import ruleset
from extractor.model.config import RunConfig
from extractor.redact import WorkspaceKey, redact_documents
from extractor.redact.prefix import algorithm, type_prefix

RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))


def prefix(text, known=()):
    return type_prefix(text, {"prompt", "run"}, set(known).__contains__)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("scenariorun_0f3k9Qm2XrV7bKpLz1", "scenariorun_"),
        ("evalrun-0f3k9Qm2XrV7", "evalrun-"),
        ("wf_exec_0f3k9Qm2", "wf_exec_"),
        ("prompt_8sJd02kLmQw", "prompt_"),
        ("FH-204816", "FH-"),
        ("batch_9b1d4111-1111-4111-8111-111111111111", "batch_"),
        ("asst_0f3k9Qm2", "asst_"),
    ],
)
def test_a_prefix_that_says_the_type_stays(text, stays):
    assert prefix(text) == stays


@pytest.mark.parametrize(
    "text",
    [
        "kaplan_0f3k9Qm2",  # a family name
        "markgrant_0f3k9Qm2",  # a given and a family name
        "chidubem_0f3k9Qm2",  # nothing known
        "ABCD-12F4-99XZ",  # groups of a key
        "aXqZrT_0f3k9Qm2",  # drawn too
        "scenario_run_step",  # nothing drawn
        "0f3k9Qm2XrV7bKpLz1",
        "scenario_1a",
    ],
)
def test_a_prefix_that_could_be_somebodys_goes(text):
    assert prefix(text) == ""


def test_a_known_word_is_no_type_unless_the_rules_call_it_one():
    assert prefix("scenario_0f3k9Qm2", known=["scenario"]) == ""
    assert prefix("prompt_0f3k9Qm2", known=["prompt"]) == "prompt_"


@pytest.mark.parametrize(
    ("text", "stays"),
    [("hmac-sha256:9b1d", "hmac-sha256:"), ("sha512-256:9b1d", "sha512-256:"), ("md5:9b1d", "md5:"), ("sha_9b1d", "")],
)
def test_the_algorithm_of_a_digest_stays(text, stays):
    assert algorithm(text) == stays


@pytest.mark.nlp
def test_the_random_part_goes_everywhere_and_a_persons_name_with_it():
    value = {
        "full_name": "Ines Kaplan",
        "run": "scenariorun_0f3k9Qm2XrV7bKpLz1",
        "said": "see scenariorun_0f3k9Qm2XrV7bKpLz1",
        "session_id": "kaplan_0f3k9Qm2XrV7",
        "case_id": "IK-204816",
        "user_id": "scenario_99231",
        "user_hash": "hmac-sha256:d92fce3726746a0b1c2d3e4f50617283",
    }
    (made,) = redact_documents([value], RULES, RunConfig(), KEY)
    assert re.fullmatch(r"scenariorun_[A-Za-z0-9]{18}", made["run"])
    assert made["said"] == f"see {made['run']}"
    assert made["session_id"].startswith(made["full_name"].split()[1].lower())
    assert not made["case_id"].startswith("IK")
    assert not made["user_id"].startswith("scenario")
    assert re.fullmatch(r"hmac-sha256:[0-9a-f]{32}", made["user_hash"])
    assert not any("0f3k9" in text or "d92fce" in text for text in made.values())
