"""Named checks: plain functions of a record and a case, each with an id that stays when the function moves."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from extractor.errors import UsageError

from .case import CheckCase
from .importing import why_not
from .record import RunRecord

Body: TypeAlias = Callable[[RunRecord, CheckCase], object]
"""Raises `AssertionError` or returns False for a run that it rejects; returns nothing, or True, for one that it accepts."""

_MARK = "_extract_fixture_check"


class Rejected(AssertionError):
    """A run is rejected for ``reason``, the name of a property; ``path`` is where it stands, as the check knows it."""

    def __init__(self, reason: str, message: str = "", *, path: str | None = None) -> None:
        super().__init__(message or reason)
        self.reason = reason
        self.path = path


class NotApplicable(Exception):  # no error: the check has nothing to say of this run
    """The check says nothing about this run; it neither passes nor rejects it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check: its stable id, the function, its module and the line where it begins."""

    id: str
    body: Body
    module: str
    line: int


def check(identity: str | Body | None = None) -> Any:  # noqa: ANN401  # a decorator, with an id or without
    """Declare a check. ``@check`` takes the function's name for its id, ``@check("assert_refund")`` keeps one of its own."""
    if callable(identity):
        setattr(identity, _MARK, getattr(identity, "__name__", "check"))
        return identity

    def declare(body: Body) -> Body:
        setattr(body, _MARK, identity or getattr(body, "__name__", "check"))
        return body

    return declare


def checks_of(modules: Iterable[str]) -> tuple[Check, ...]:
    """Return the checks that modules declare, in their order: decorated ones, and functions called ``assert_…`` or ``check_…``.

    Raises `UsageError` for a module that cannot be imported, for one id said twice, and where there is no check at all: an
    empty suite is never a pass.
    """
    found: dict[str, Check] = {}
    for name in modules:
        for each in _declared(name):
            if each.id in found and found[each.id].body is not each.body:
                raise UsageError(f"two checks are called {each.id}: an id is one check's")
            found.setdefault(each.id, each)
    if not found:
        told = ", ".join(dict.fromkeys(modules))
        hint = "a function (record, case) called assert_… or check_…, or one under @check, is a check"
        raise UsageError(f"no check is declared in {told}" if told else "no check is declared", hint=hint)
    return tuple(found.values())


@contextmanager
def _staying() -> Iterator[None]:
    """Let no module end this process, with a status of its own choice, before any check has judged."""
    process, end = os.getpid(), os._exit

    def leave(status: int) -> NoReturn:
        if os.getpid() != process:
            end(status)  # a child of a module may
        raise SystemExit(status)

    os._exit = leave
    try:
        yield
    finally:
        os._exit = end


def _declared(name: str) -> Iterator[Check]:
    try:
        with _staying():
            module = importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # whatever importing a project's module raises, sys.exit(0) too
        raise UsageError(f"the checks of {name} cannot be imported: {why_not(error, name)}") from None
    for title, body in vars(module).items():
        marked = getattr(body, _MARK, None)
        plain = callable(body) and title.startswith(("assert_", "check_")) and getattr(body, "__module__", "") == name
        if callable(body) and (isinstance(marked, str) or plain):
            code = getattr(body, "__code__", None)
            yield Check(
                id=marked if isinstance(marked, str) else title,
                body=body,
                module=name,
                line=code.co_firstlineno if code else 0,
            )
