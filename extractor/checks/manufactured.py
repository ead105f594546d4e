"""A reject fixture where no incident supplied one: a passing record with one corruption, marked as manufactured (S124)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from extractor.model import layout
from extractor.model.json import JsonValue, compact, pretty, quote

from .case import CheckCase
from .declaring import Check
from .loading import CASE, RECORD, CheckFixture
from .mutations import Corrupted, Variant
from .passing import Run
from .patterns import touch
from .running import Outcome, property_of, run_all_checks

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,199}", re.ASCII)
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
# What a YAML stream may not hold as it is; JSON may.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How one variant fared: what the named check says of it, and the check that fails it first."""

    variant: Variant
    said: Outcome
    failed_check: str | None

    @property
    def shown(self) -> bool:
        """Whether the named check rejects the variant, and before any other."""
        return self.said.verdict == "rejected" and self.failed_check == self.said.check

    @property
    def to_the_point(self) -> bool:
        """Whether it is rejected for what was changed."""
        return self.shown and self.said.path is not None and touch(self.said.path, self.variant.path)


def proofs(made: Corrupted, checks: Sequence[Check], by: str) -> tuple[Proof, ...]:
    """Return how each variant fares, those that show teeth first, and of them those rejected for what was changed."""
    found = []
    for variant in made.variants:
        result = run_all_checks(variant.record, variant.case, checks)
        said = next(each for each in result.outcomes if each.check == by)
        found.append(Proof(variant=variant, said=said, failed_check=result.failed_check))
    return tuple(sorted(found, key=lambda each: (not each.shown, not each.to_the_point)))


def rejecting(made: Corrupted, checks: Sequence[Check]) -> str | None:
    """Return the check that rejects the first variant that any check rejects, None where none does."""
    for variant in made.variants:
        result = run_all_checks(variant.record, variant.case, checks)
        first = next((each for each in result.outcomes if each.check == result.failed_check), None)
        if first is not None and first.verdict == "rejected":
            return first.check
    return None


def files(run: Run, made: Corrupted, proof: Proof) -> dict[str, bytes]:
    """Return the files of the fixture by name: the case, the corrupted record, the verdict, and what it is."""
    reason = proof.said.reason if proof.shown else None
    told: dict[str, JsonValue] = {
        "verdict": "reject",
        "by": proof.said.check,
        "reason": reason or property_of(proof.variant.path),
        "manufactured": made.mutation.name,
    }
    texts = {
        CASE: "".join(_case_lines(proof.variant.case)),
        RECORD: pretty(proof.variant.record.document),
        layout.EXPECT: "".join(f"{name}: {_scalar(value)}\n" for name, value in told.items()),
        layout.README: "".join(_readme(run, made, proof, str(told["reason"]))),
    }
    return {name: text.encode("utf-8", "replace") for name, text in texts.items()}


def says(fixture: CheckFixture, variant: Variant) -> bool:
    """Say whether a fixture holds the record and the case of a variant, value for value."""
    one, other = fixture.case, variant.case
    return compact(fixture.record.document) == compact(variant.record.document) and (
        (one.now, compact(one.input), compact(dict(one.expectations)), compact(dict(one.facts)))
        == (other.now, compact(other.input), compact(dict(other.expectations)), compact(dict(other.facts)))
    )


def _readme(run: Run, made: Corrupted, proof: Proof, reason: str) -> Iterator[str]:
    mutation = made.mutation
    yield f"# {mutation.name}, manufactured\n\n"
    yield f"**Manufactured: no incident stands behind this record.** It is the passing record of {_code(run.name)} with one\n"
    yield f"corruption, {_code(mutation.name)} at {_code(proof.variant.path)}: {mutation.said}.\n\n"
    yield f"{_code(proof.said.check)} must reject it for {_code(reason)}. "
    if proof.shown:
        yield "That shows that the check rejects this corruption; it says\nnothing of any other, nor of the agent.\n"
    else:
        yield "When it was written the check did not: the fixture\nis red until the check is repaired.\n"


def _code(text: str) -> str:
    return f"`{_UNPRINTABLE.sub('?', ' '.join(text.split())).replace('`', chr(39))}`"


def _case_lines(case: CheckCase) -> Iterator[str]:
    if case.now is not None:
        yield f"now: {_scalar(case.now.isoformat())}\n"
    if case.input is not None:
        yield from _member("input", case.input)
    yield from _member("expectations", case.expectations)
    yield from _member("facts", case.facts)


def _member(name: str, value: JsonValue | Mapping[str, JsonValue]) -> Iterator[str]:
    """Yield a member in YAML: its own members a line each, what lies deeper as JSON, which YAML takes as it is."""
    if isinstance(value, dict) and value:
        yield f"{name}:\n"
        yield from (f"  {_scalar(key)}: {_flow(member)}\n" for key, member in dict(value).items())
    elif not isinstance(value, Mapping):
        yield f"{name}: {_flow(value)}\n"


def _flow(value: JsonValue) -> str:
    return _escaped(compact(value, item=", ", member=": "))


def _scalar(value: JsonValue) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return _escaped(quote(value)) if isinstance(value, str) else _flow(value)


def _escaped(text: str) -> str:
    return _UNPRINTABLE.sub(lambda char: f"\\u{ord(char.group()):04x}", text)
