from __future__ import annotations

from typing import Any, get_args

import pytest

from extractor.replay.results.claims import CHECKED, COMPARED, NOT_PROVED, REPLAYED, Subject, claimed
from extractor.replay.results.labels import LABELS

TABLES: dict[str, Any] = {"comparison": COMPARED, "replay": REPLAYED, "check": CHECKED}


def test_every_label_claims_something_of_its_own() -> None:
    assert tuple(COMPARED) == LABELS
    assert len({*COMPARED.values()}) == len(LABELS)


@pytest.mark.parametrize("subject", get_args(Subject))
def test_every_result_says_that_it_closes_no_incident(subject: Any) -> None:
    """S52, S70, S130: controls, monitoring and roll-out remain, whatever is green."""
    for ending in TABLES[subject]:
        last = claimed(subject, ending).not_proved[-1]
        assert last == "that the incident is closed: verify controls, monitoring and roll-out"


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("comparison", ["other routes", "the model", "a changed prompt", "nobody has noticed", "incident is closed"]),
        ("replay", ["other routes", "the model", "a changed prompt", "nobody has noticed", "incident is closed"]),
        (
            "check",
            ["other routes", "lock the checker", "other corruptions", "nobody has noticed", "incident is closed"],
        ),
    ],
)
def test_what_is_not_proved_is_said_of_each_kind(subject: Any, words: list[str]) -> None:
    """S78, S102, S116, S117, S122."""
    told = claimed(subject, next(iter(TABLES[subject]))).not_proved
    assert all(any(word in text for text in told) for word in words)


def test_only_two_labels_claim_more_than_nothing_of_a_fix() -> None:
    """S70: a green is one boundary under recorded conditions; everything that is unsound proves nothing."""
    assert COMPARED["red_to_green"].startswith("one boundary under recorded conditions")
    unsound = LABELS[: LABELS.index("missing_red")]
    assert all(COMPARED[label].startswith("nothing: ") for label in unsound)


def test_no_text_says_more_than_a_replay_can() -> None:
    texts = [*COMPARED.values(), *REPLAYED.values(), *CHECKED.values(), *(text for text, _ in NOT_PROVED)]
    assert not any(word in text for text in texts for word in ("well tested", "safe", "fixed for good", "guarantee"))


def test_an_ending_that_nobody_knows_claims_nothing() -> None:
    with pytest.raises(KeyError):
        claimed("replay", "green")
