"""A provider to record from, and a recording to replay."""

from __future__ import annotations

import pytest

from extractor.replay.exchange import ModelAnswer, ModelRequest
from extractor.replay.faults import NothingRecorded
from extractor.replay.providers import intercept

from .fake_provider import ANSWERS, FakeProvider


class Recording:
    """Serves answers in order and keeps what was asked and reported."""

    def __init__(self, answers: tuple[ModelAnswer, ...] = ANSWERS) -> None:
        self.answers = list(answers)
        self.asked: list[ModelRequest] = []
        self.faults: list[BaseException] = []

    def answer(self, request: ModelRequest) -> ModelAnswer:
        self.asked.append(request)
        if not self.answers:
            fault = NothingRecorded("no recorded call", code="exhausted")
            self.faults.append(fault)
            raise fault
        return self.answers.pop(0)

    def open(self, **more):
        return intercept(self.answer, self.faults.append, **more)


@pytest.fixture
def provider():
    fake = FakeProvider()
    yield fake
    fake.close()


@pytest.fixture
def recording():
    return Recording()


@pytest.fixture
def record():
    return Recording
