"""expect.yaml: the verdict that the checks must return on a record, by which check, for which property."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, cast

from .yaml_texts import MalformedYaml, texts

_KNOWN: Final = frozenset({"verdict", "by", "reason", "twin", "manufactured"})
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What the checks must say. ``by`` is a check's id, ``reason`` the property (``amount_cents``, ``arguments.amount_cents``).

    ``twin`` names the folder of the other half of the pair, where neither incident nor folder name does. ``manufactured`` names
    the mutation that made the record, where no incident did.
    """

    verdict: Literal["reject", "accept"]
    by: str | None = None
    reason: str | None = None
    twin: str | None = None
    manufactured: str | None = None


def expectation(content: bytes) -> Expectation:
    """Return what an expect.yaml says. Raises `ValueError` for one that is not understood, quoting nothing of it."""
    try:
        told = texts(content)
    except MalformedYaml as fault:
        raise ValueError(f"expect.yaml is not accepted: {fault}") from None
    strange = sum(name not in _KNOWN for name in told)
    if strange:
        raise ValueError(f"expect.yaml has {strange} members beside {', '.join(sorted(_KNOWN))}")
    if told.get("verdict") not in ("reject", "accept"):
        raise ValueError("expect.yaml: verdict must be reject or accept")
    if any(not _NAME.fullmatch(value) for value in told.values()):
        raise ValueError("expect.yaml: every text must be one line of 1 to 200 characters")
    missing = [name for name in ("by", "reason") if told["verdict"] == "reject" and name not in told]
    if missing:
        raise ValueError(f"expect.yaml: a rejection must say {' and '.join(missing)}: which check, for which property")
    return Expectation(
        verdict=cast("Literal['reject', 'accept']", told["verdict"]),
        by=told.get("by"),
        reason=told.get("reason"),
        twin=told.get("twin"),
        manufactured=told.get("manufactured"),
    )


def names(path: str, reason: str) -> bool:
    """Say whether a field path is the property: the same, its last members, or that with positions left out."""
    bare = _INDEX.sub("", path)
    return any(each == reason or each.endswith(f".{reason}") for each in (path, bare))
