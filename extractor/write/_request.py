"""What a case was asked for, as capture.json remembers it, so that it can be extracted again: nothing that people typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Literal, cast

from ..errors import InputUnreadable
from ..model.config import Mark, Override, RunConfig, Wanted
from ..model.json import JsonValue
from ..model.layout import CAPTURE


def asked(config: RunConfig) -> dict[str, JsonValue]:
    """Return the members of ``request``; statement, versions and given facts stand redacted in the case itself."""
    return {
        "at": config.at,
        "keep": list(config.override.keep),
        "drop": list(config.override.drop),
        "time_zone": config.time_zone,
        "locale": config.locale,
        "frozen_at": config.frozen_at,
        "treat": dict(sorted(config.treat.items())),
        "structural": config.structural,
        "ordering": config.ordering,
        "fidelity": config.fidelity,
        "scope": config.scope,
        "scope_of": config.scope_of,
        "model": config.nlp.model,
        "model_sha256": config.nlp.model_sha256,
    }


def marks(marked: Sequence[Mark]) -> list[JsonValue]:
    """Return marks as capture.json holds them, each once, in their order."""
    return [asdict(mark) for mark in dict.fromkeys(marked)]


def asked_again(capture: Mapping[str, JsonValue], base: RunConfig) -> RunConfig:
    """Return the configuration that a capture remembers, on top of what the project's settings say today.

    Raises `InputUnreadable` for a capture that remembers none.
    """
    request, traces = capture.get("request"), capture.get("traces")
    if not isinstance(request, dict) or not isinstance(traces, list):
        raise InputUnreadable(
            f"{CAPTURE} does not say what the case was asked for", hint="extract it again with --replace"
        )
    treat = request.get("treat")
    return replace(
        base,
        wanted=Wanted(trace_ids=tuple(map(str, traces))),
        override=Override(keep=_texts(request.get("keep")), drop=_texts(request.get("drop"))),
        treat={path: str(said) for path, said in treat.items()} if isinstance(treat, dict) else {},
        structural=request.get("structural") is True,
        scope=str(request.get("scope")),
        nlp=replace(base.nlp, model=str(request.get("model")), model_sha256=_text(request.get("model_sha256"))),
        marks=remembered_marks(capture),
        at=_text(request.get("at")),
        time_zone=_text(request.get("time_zone")),
        locale=_text(request.get("locale")),
        frozen_at=_text(request.get("frozen_at")),
        ordering=_text(request.get("ordering")),
        fidelity=_text(request.get("fidelity")),
        scope_of=_text(request.get("scope_of")),
    )


def remembered_marks(capture: Mapping[str, JsonValue]) -> tuple[Mark, ...]:
    """Return the marks that a capture holds; none in one that was written without."""
    listed = capture.get("marks")
    return tuple(
        Mark(mark=_mark(one.get("mark")), digest=_text(one.get("digest")), path=_text(one.get("path")))
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict)
    )


def _mark(value: JsonValue) -> Literal["name", "must_go", "accept"]:
    if value not in ("name", "must_go", "accept"):
        raise InputUnreadable(f"{CAPTURE} holds a mark of no known kind")
    return cast("Literal['name', 'must_go', 'accept']", value)


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
