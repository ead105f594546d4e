"""Conversations between an invented customer and an agent of a service: what was said, asked of tools, and returned."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from bulk_records import TOOLS, Use, customer, hand_over, note, reckon, think
from bulk_words import SERVICES, Words

TURNS = (10, 40)
"""Least and most calls of the model in a conversation."""
_MODE = 34  # most conversations are long: the middle one has some thirty calls
_FAILS = 0.07
_POLICY_CHARACTERS = 6000


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """What the customer wrote."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the model said to the customer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that the model asked for, and what the tool answered: JSON texts; ``failed`` when the result is an error."""

    call_id: str
    tool: str
    arguments: str
    result: str
    failed: bool


Act: TypeAlias = User | Answer | Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation. ``policy`` is the system prompt, the same in every call of the model."""

    service: str
    number: int
    user_id: str
    policy: str
    acts: tuple[Act, ...]
    reward: float


def talk(seed: int, number: int) -> Talk:
    """Return the conversation of that number: the same for a seed, however many are made and in whatever order."""
    draw = random.Random(f"{seed}:{number}")
    words = Words(draw, SERVICES[number % len(SERVICES)])
    customer(words)
    acts = tuple(_Conversation(words).acts(round(draw.triangular(*TURNS, _MODE))))
    return Talk(
        service=words.service,
        number=number,
        user_id=words.facts["user_id"],
        policy=policy(words),
        acts=acts,
        reward=float(draw.random() < 0.6),
    )


def policy(words: Words) -> str:
    """Return a system prompt of some six thousand characters."""
    lines = [f"# {words.say('title')}", ""]
    size = 0
    while size < _POLICY_CHARACTERS:
        section = [f"## {words.choice('head')} {words.say('rule_no')}", ""]
        section += [f"- {words.say('line')}" for _ in range(words.draw.randint(4, 9))]
        lines += [*section, ""]
        size += sum(map(len, section))
    return "\n".join(lines).strip()


class _Conversation:
    def __init__(self, words: Words) -> None:
        self._words = words
        self._tools = TOOLS[words.service]
        self._chance = words.draw.random
        self._new_record()

    def acts(self, turns: int) -> Iterator[Act]:
        """Yield what happens, with that many calls of the model."""
        done = 0
        for act in self._endless():
            if done == turns - 1 and isinstance(act, User):
                break
            done += not isinstance(act, User)
            if done == turns:
                break
            yield act
        yield User(text=self._words.say("thanks"))
        yield Answer(text=self._words.say("bye"))

    def _endless(self) -> Iterator[Act]:
        say = self._words.say
        yield User(text=say("open"))
        yield Answer(text=say("ask_identity"))
        yield User(text=say("identify"))
        yield from self._use(self._tools.profile(self._words))
        yield from self._use(self._tools.record(self._words))
        while True:
            yield from self._settle()
            yield User(text=say("more") if self._chance() < 0.5 else say("ask"))
            if self._chance() < 0.4:
                self._new_record()
                yield from self._use(self._tools.record(self._words))

    def _settle(self) -> Iterator[Act]:
        """Yield one matter from looking it up to its end."""
        say = self._words.say
        if self._chance() < 0.6:
            yield from self._use(self._tools.search(self._words))
        if self._chance() < 0.3:
            yield from self._use((think if self._chance() < 0.6 else reckon)(self._words))
        yield Answer(text=self._report())
        while self._chance() < 0.35:
            yield User(text=say("hesitate" if self._chance() < 0.7 else "frustrated"))
            yield Answer(text=f"{say('ack')} {say('report')} {say('offer')} {say('ask_confirm')}")
        yield User(text=say("confirm"))
        fails = self._chance() < _FAILS * 2
        yield from self._use(self._words.draw.choice(self._tools.changes)(self._words), fails=fails)
        if fails:
            yield Answer(text=f"{say('ack')} {say('failed')}")
            yield User(text=say("frustrated"))
            yield from self._use(hand_over(self._words))
        yield Answer(text=f"{say('done')} {say('report')}")

    def _report(self) -> str:
        say = self._words.say
        points = "\n".join(f"- {say('point')}" for _ in range(self._words.draw.randint(2, 6)))
        middle = f"\n\n{points}\n\n" if self._chance() < 0.6 else f" {say('report')} "
        return f"{say('ack')} {say('working')} {say('report')}{middle}{say('offer')} {say('ask_confirm')}"

    def _use(self, use: Use, *, fails: bool | None = None) -> Iterator[Call]:
        failed = self._chance() < _FAILS if fails is None else fails
        result = f"Error: {use.refusal} (request {self._words.code('~~~~~~~~')})" if failed else use.result
        if not failed:
            note(self._words, use.result)
        yield Call(
            call_id=f"call_{self._words.code('~' * 20)}",
            tool=use.tool,
            arguments=json.dumps(use.arguments, ensure_ascii=False),
            result=result if isinstance(result, str) else json.dumps(result, ensure_ascii=False),
            failed=failed,
        )

    def _new_record(self) -> None:
        self._words.facts["record"] = self._words.draw.choice(self._words.told["records"])
