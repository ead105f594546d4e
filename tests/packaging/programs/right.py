"""What a user writes: `mypy --strict` accepts it, and knows every type."""

from pathlib import Path
from typing import assert_type

import extractor
from extractor import Extracted, JsonValue, Redacted, Residual, WorkspaceKey, redact
from extractor.errors import ExtractFixtureError, ProofFailed
from extractor.replay import ReplayCase, load_case


def keep(export: Path, key: WorkspaceKey) -> str | None:
    try:
        made = extractor.extract(export, trace_id="6d383010", key=key, at_most=20, out="fixtures")
    except ProofFailed as failed:
        print(*failed.faults, failed.exit_status)
        return None
    except extractor.errors.ExtractFixtureError as error:
        print(error.message, error.hint)
        return None
    assert_type(made, Extracted)
    assert_type(made.path, Path | None)
    assert_type(made.fixture.files["fixture.json"], bytes)
    assert_type(made.proofs.leaks, int)
    assert_type(made.residual, tuple[Residual, ...])
    if made.path is not None:
        assert_type(load_case(made.path), ReplayCase)
        assert_type(extractor.replay.load_case(made.path), ReplayCase)
    return made.case_id


def several(files: list[Path], named: list[str]) -> Extracted:
    told = extractor.Statement(failure="It said so.", prohibit=("it is done",))
    extractor.extract(
        files, session=["s-1"], key="workspace.key", rules=[Path("ours")], keep=["retrieval"], statement=told
    )
    limit = extractor.Limit(number=40, percent=True)
    config = extractor.RunConfig(time_zone="Europe/Paris")
    return extractor.extract(named, trace_id=["6d383010"], project=".", at_most=limit, config=config)


def clean(line: str, value: JsonValue, key: WorkspaceKey) -> None:
    assert_type(extractor.redact(line, key=key), Redacted[str])
    assert_type(extractor.redact(value, key=key, scope="workspace"), Redacted[str] | Redacted[JsonValue])
    assert_type(redact({"email": "oda@example.com"}, key=key, explain=True).value, JsonValue)
    print([(one.path, one.entity) for one in redact(line, key=key, explain=True).replaced])
    assert_type(extractor.load_key(Path("workspace.key")), WorkspaceKey)
    assert_type(extractor.schemas.load("fixture"), dict[str, JsonValue])
    error: type[ExtractFixtureError] = extractor.errors.WorkspaceKeyError
    print(error, extractor.__version__)
