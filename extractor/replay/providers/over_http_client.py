"""The standard library's client, and whatever is built on it (urllib.request): blocked, never served."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NoReturn
from urllib.parse import urlsplit

from ..faults import ReplayFault
from ..patching import Install, Patches
from .answering import blocked
from .call import Call


def install(report: Callable[[ReplayFault], None]) -> Install:
    """Return what patches ``http.client``."""

    def patch(module: ModuleType, patches: Patches) -> None:
        def putrequest(_self: object, method: str, url: str, *_args: object, **_kwargs: object) -> NoReturn:
            parts = urlsplit(url)
            raise blocked(Call(library="http.client", method=method, path=parts.path, query=parts.query), report)

        patches.attribute(module.HTTPConnection, "putrequest", putrequest)

    return patch
