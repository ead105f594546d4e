"""The public Python API: the stages of the commands ``extract`` and ``redact``, for programs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from pathlib import Path
from typing import Generic, Literal, TypeAlias, TypeVar, overload

from . import making, pipeline, read, ruleset, settings
from .errors import InputUnreadable, UsageError, WorkspaceKeyError
from .loose import Engine, Redaction, Source, Teller, Told
from .model.case import Fixture, Proofs, Residual
from .model.config import Limit, Override, RunConfig, Statement, Wanted
from .model.json import JsonValue, MalformedJson, compact, parse
from .redact import WorkspaceKey, load_key
from .ruleset import RuleSet
from .scope import chosen
from .settings import Settings

__all__ = [
    "AnyPath",
    "Extracted",
    "Fixture",
    "JsonValue",
    "Limit",
    "Proofs",
    "Redacted",
    "Residual",
    "RunConfig",
    "Statement",
    "Told",
    "WorkspaceKey",
    "extract",
    "load_key",
    "redact",
]

AnyPath: TypeAlias = str | Path
_Value_co = TypeVar("_Value_co", covariant=True)
_Part = TypeVar("_Part", RunConfig, Statement, Limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A proved case. ``path`` is its folder and ``state`` what the run did there, both None for a case in memory alone.

    ``capture`` are the bytes of capture.json, which leads back to the original trace: restricted, never committed.
    """

    fixture: Fixture
    path: Path | None
    state: Literal["written", "unchanged", "replaced"] | None
    capture: bytes = field(repr=False)

    @property
    def case_id(self) -> str:
        """The id of the case."""
        return self.fixture.case_id

    @property
    def proofs(self) -> Proofs:
        """What was proved of the bytes in ``fixture.files``."""
        return self.fixture.proofs

    @property
    def residual(self) -> tuple[Residual, ...]:
        """What a reviewer has to look at, by field path and char range."""
        return self.fixture.proofs.residual


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted(Generic[_Value_co]):
    """A redacted value or text. ``replaced`` tells each replacement where it was asked for, else it is empty.

    ``not_finite`` are the lines, from 1, where NaN or Infinity stood and became a text.
    """

    value: _Value_co
    replaced: tuple[Told, ...] = ()
    not_finite: tuple[int, ...] = ()


def extract(  # noqa: PLR0913 # what a run may be asked, by name
    sources: AnyPath | Sequence[AnyPath],
    *,
    trace_id: str | Sequence[str] = (),
    session: str | Sequence[str] = (),
    key: AnyPath | WorkspaceKey | None = None,
    rules: AnyPath | Sequence[AnyPath] = (),
    at: str | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    at_most: int | Limit | None = None,
    statement: Statement | None = None,
    scope: str | None = None,
    scope_of: AnyPath | None = None,
    out: AnyPath | None = None,
    replace: bool = False,
    container: str | None = None,
    evidence: AnyPath | Sequence[AnyPath] = (),
    project: AnyPath | None = None,
    config: RunConfig | None = None,
) -> Extracted:
    """Return the proved case of the traces with these ids (hex, whole or a prefix of eight digits) or of these sessions.

    ``sources`` are files, folders, globs or URIs, as the command takes them; ``key`` is a key or its file, ``rules`` are
    folders of rules beside ours. ``out`` is the store in whose quarantine the case is written; without it nothing is written.
    ``project`` is the folder whose ``[tool.extract-fixture]``, or that of the nearest folder above, gives the defaults:
    without it no settings file is read. ``config`` holds what has no name of its own here, before the project's; what is
    named here goes before both. A case that cannot be replayed is returned too: ``fixture.replayable`` says so.

    Raises `UsageError`, `WorkspaceKeyError`, `RulesError`, `TraceNotFound`, `InputUnreadable`, `ProofFailed`,
    `RedactionRefused`, `CaseExists` (without ``replace``), and for ``scope_of`` `ProvenanceInvalid` and `ValidationFailed`.
    """
    wanted = Wanted(trace_ids=_several(trace_id), sessions=_several(session))
    if not wanted.trace_ids and not wanted.sessions:
        raise UsageError("which trace? trace_id or session is needed")
    defaults = _defaults(project)
    base = _instance("config", config, RunConfig) or defaults.config
    used = _key(key, defaults)
    given = chosen(scope, None if scope_of is None else Path(scope_of), used, base.scope)
    asked = changed(
        base,
        wanted=wanted,
        at=at or base.at,
        override=Override(keep=_several(keep) or base.override.keep, drop=_several(drop) or base.override.drop),
        at_most=Limit(number=at_most)
        if isinstance(at_most, int)
        else _instance("at_most", at_most, Limit, or_else="a number or ") or base.at_most,
        statement=_instance("statement", statement, Statement) or base.statement,
        scope=given.name,
        scope_of=given.of or base.scope_of,
    )
    named = [str(source) for source in ([sources] if isinstance(sources, (str, Path)) else sources)]
    reading = read.read(named, wanted, container=container)
    reading = read.with_evidence(reading, _paths(evidence))
    loaded = _rules(rules, defaults)
    if out is None:
        made = pipeline.extract(reading, asked, loaded, used, making.occasion())
        return Extracted(fixture=made.fixture, path=None, state=None, capture=made.capture)
    run = making.Run(config=asked, rules=loaded, key=used, store=Path(out), replace=replace)
    case = making.made(reading, run)
    return Extracted(fixture=case.fixture, path=case.stored.path, state=case.stored.state, capture=case.capture)


@overload
def redact(
    value: str,
    *,
    key: AnyPath | WorkspaceKey | None = ...,
    rules: AnyPath | Sequence[AnyPath] = ...,
    scope: str | None = ...,
    scope_of: AnyPath | None = ...,
    joint: bool = ...,
    explain: bool = ...,
    project: AnyPath | None = ...,
    config: RunConfig | None = ...,
) -> Redacted[str]: ...
@overload
def redact(
    value: JsonValue,
    *,
    key: AnyPath | WorkspaceKey | None = ...,
    rules: AnyPath | Sequence[AnyPath] = ...,
    scope: str | None = ...,
    scope_of: AnyPath | None = ...,
    joint: bool = ...,
    explain: bool = ...,
    project: AnyPath | None = ...,
    config: RunConfig | None = ...,
) -> Redacted[JsonValue]: ...
def redact(
    value: JsonValue,
    *,
    key: AnyPath | WorkspaceKey | None = None,
    rules: AnyPath | Sequence[AnyPath] = (),
    scope: str | None = None,
    scope_of: AnyPath | None = None,
    joint: bool = False,
    explain: bool = False,
    project: AnyPath | None = None,
    config: RunConfig | None = None,
) -> Redacted[str] | Redacted[JsonValue]:
    """Return a JSON value, or a text, with its identifiers replaced, as the command ``redact`` would write it.

    A text that is JSON, JSON lines or an OTLP/JSON export is read as such and keeps its spelling: lines stand under scopes of
    their own, or with ``joint`` under one; spans under that of their trace. ``scope`` (``workspace`` or a name), or that of
    the case ``scope_of``, links what is redacted apart. ``explain`` fills ``replaced``. The rest as in `extract`. The result
    is not proved as a case is.

    Raises `UsageError`, `WorkspaceKeyError`, `RulesError`, `RedactionRefused`, and `InputUnreadable` for what is no JSON value
    or no JSON that is accepted.
    """
    defaults = _defaults(project)
    used = _key(key, defaults)
    taken = chosen(scope, None if scope_of is None else Path(scope_of), used, "case")
    replaced: list[Told] = []
    engine = Engine(
        rules=_rules(rules, defaults),
        config=_instance("config", config, RunConfig) or defaults.config,
        key=used,
        name=None if taken.name == "case" else taken.name,
        teller=Teller(replaced.append) if explain else None,
    )
    text = value if isinstance(value, str) else _text(value)
    written: list[str] = []
    redaction = Redaction(engine, written.append, joint=joint)
    redaction.run(Source(stream=io.BytesIO(_bytes(text)), file=None))
    after, not_finite = "".join(written), tuple(sorted(redaction.not_finite))
    if isinstance(value, str):
        return Redacted(value=after, replaced=tuple(replaced), not_finite=not_finite)
    # No line of a value that is one document.
    places = tuple(changed(one, line=None) for one in replaced)
    return Redacted(value=parse(after), replaced=places, not_finite=not_finite)


def _defaults(project: AnyPath | None) -> Settings:
    return settings.find(Path(project).resolve()) if project is not None else Settings()


def _key(given: AnyPath | WorkspaceKey | None, defaults: Settings) -> WorkspaceKey:
    if isinstance(given, WorkspaceKey):
        return given
    file = given if given is not None else defaults.key_file
    if file is None:
        raise WorkspaceKeyError(
            "no workspace key: pass key, or a project that names a key-file; EXTRACT_FIXTURE_KEY_FILE is read by commands alone",
            hint='key=os.environ["EXTRACT_FIXTURE_KEY_FILE"] takes the file that the commands take',
        )
    return load_key(Path(file))


def _rules(given: AnyPath | Sequence[AnyPath], defaults: Settings) -> RuleSet:
    return ruleset.load((*defaults.rules, *_paths(given)))


def _paths(given: AnyPath | Sequence[AnyPath]) -> list[Path]:
    return [Path(each) for each in ([given] if isinstance(given, (str, Path)) else given)]


def _instance(name: str, given: _Part | None, kind: type[_Part], *, or_else: str = "") -> _Part | None:
    """Return what was given, if anything. Raises `UsageError` where it is something else, whatever its annotation says."""
    if given is None or isinstance(given, kind):
        return given
    raise UsageError(f"{name} is {or_else}an extractor.{kind.__name__}, not a {type(given).__name__}")


def _several(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return one text or many as many: the letters of a text are never meant one by one."""
    return (given,) if isinstance(given, str) else tuple(given)


def _text(value: JsonValue) -> str:
    """Return a value as one line of JSON. Raises `InputUnreadable` for what is none, whatever its annotations say."""
    try:
        text = compact(value)
        parse(text, non_finite_as_text=True)
    except MalformedJson as fault:
        raise InputUnreadable(f"the value is no JSON that is accepted: {fault.code}") from None
    except RecursionError:
        raise InputUnreadable("the value is no JSON that is accepted: too_deep") from None
    except (TypeError, ValueError):
        raise InputUnreadable("the value is no JSON: only None, bool, int, float, str, list and dict are") from None
    return text


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as fault:
        # Its message would quote the text.
        raise InputUnreadable(f"the text has no UTF-8 at its character {fault.start}") from None
