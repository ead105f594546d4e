"""Cases in other tools' formats, each with the list of what it has no place for. Documents in, text out; no file is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ..errors import UsageError
from ._document import NOT_APPROVED, Source
from ._exported import Exported, Warned
from ._losses import Loss
from .evals import Folder, evals
from .otlp import otlp
from .promptfoo import promptfoo
from .pydantic_evals import pydantic_evals
from .tracely import artifact, artifact_digest, bundle, legacy_bundle

__all__ = [
    "FORMATS",
    "NOT_APPROVED",
    "TRACELY_VERSIONS",
    "Exported",
    "Folder",
    "Loss",
    "Source",
    "Warned",
    "artifact_digest",
    "evals",
    "export",
]

TRACELY_VERSIONS: Final[Mapping[str, Callable[[Source], Exported]]] = {
    "v2": bundle,
    "v1": legacy_bundle,
    "artifact": artifact,
}
FORMATS: Final[Mapping[str, Callable[[Source], Exported]]] = {
    "tracely": bundle,
    "otlp": otlp,
    "promptfoo": promptfoo,
    "pydantic-evals": pydantic_evals,
}
"""By name; ``tracely`` has versions, and this is its newest."""


def export(source: Source, form: str, *, version: str | None = None) -> Exported:
    """Return a case in a format. Raises `UsageError` for one that is unknown, or that has no such version."""
    if version is not None and (form != "tracely" or version not in TRACELY_VERSIONS):
        raise UsageError("--version chooses a form of tracely: v2, v1 or artifact")
    if form not in FORMATS:
        raise UsageError(f"no format is called so; there are {', '.join(FORMATS)}")
    return (FORMATS[form] if version is None else TRACELY_VERSIONS[version])(source)
