"""A suite at each commit that touched it: git's worktrees, and ``check`` run in them by a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from extractor.checks.loading import CASE, RECORD, WANTED, find, load_fixture, name_of
from extractor.checks.project import checking_modules
from extractor.checks.protocol import Commit, Seen
from extractor.errors import InputUnreadable, UsageError
from extractor.model.layout import FIXTURE

_SECONDS = 600
_ROOT = Path(__file__).parent.parent.parent


def history_of(places: Sequence[Path], since: str | None) -> tuple[list[Commit], dict[str, Seen]]:
    """Return the commits that touched fixtures or the checking modules, parents first, and the fixtures that stood before them.

    ``since`` is a revision: commits that it reaches are not judged. Raises `UsageError` where git cannot answer.
    """
    if not all(place.is_dir() for place in places):
        raise UsageError("a place of fixtures is no folder", hint=WANTED)
    top = Path(
        _git(places[0], "rev-parse", "--show-toplevel", fault="these fixtures stand in no git repository").strip()
    )
    if _git(top, "rev-parse", "--is-shallow-repository").strip() != "false":
        raise UsageError(
            "this is a shallow clone: its history does not say what came first", hint="git fetch --unshallow"
        )
    inside = [_within(place, top) for place in places]
    modules, project = checking_modules(places[0])
    touched = [*inside, *(path for name in modules for path in _files(name, _within(project, top)))]
    base = None if since is None else _commit(top, since)
    listed = _git(
        top,
        "rev-list",
        "--topo-order",
        "--reverse",
        "--parents",
        "HEAD",
        *([f"^{base}"] if base else []),
        "--",
        *touched,
    )
    order = [line.split() for line in listed.splitlines()]
    if not order:
        if base is None or not find(places).folders:
            raise UsageError("no commit touched these fixtures or their checks: commit them red, before the check")
        return [], {}  # what came since touches neither
    with _worktree(top, order[0][0]) as tree:
        before = {} if base is None else _at(tree, base, inside)
        commits = [Commit(id=one, parents=tuple(parents), fixtures=_at(tree, one, inside)) for one, *parents in order]
    return commits, before


def _commit(top: Path, revision: str) -> str:
    fault = "--since names no commit of this repository"
    asked = ("--verify", "--end-of-options", f"{revision}^{{commit}}")
    return _git(top, "rev-parse", *asked, fault=fault).strip()


@contextmanager
def _worktree(top: Path, commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="extract-fixture-") as folder:
        tree = Path(folder).resolve() / "tree"
        _git(top, "worktree", "add", "--detach", "--force", str(tree), commit)
        try:
            yield tree
        finally:
            _git(top, "worktree", "remove", "--force", "--force", str(tree))


def _at(tree: Path, commit: str, inside: Sequence[str]) -> dict[str, Seen]:
    _git(tree, "checkout", "--detach", "--force", commit)
    _git(tree, "clean", "-ffdxq")
    places = [place for each in inside if (place := tree / each).is_dir()]
    folders = find(places).folders if places else ()
    told = _checked(tree, places) if folders else {}
    return {name_of(folder): _seen(folder, told.get(name_of(folder))) for folder in folders}


def _seen(folder: Path, told: dict[str, object] | None) -> Seen:
    file = next((folder / name for name in (FIXTURE, RECORD) if (folder / name).is_file()), None)
    digest = hashlib.sha256(file.read_bytes()).hexdigest() if file else ""
    try:
        expected = load_fixture(folder).expectation
    except InputUnreadable:
        return Seen(expected=None, held=False, digest=digest)
    manufactured = expected.manufactured is not None
    case = (folder / CASE).read_bytes() if (folder / CASE).is_file() else b""
    demand = json.dumps((expected.verdict, expected.by, expected.reason)).encode()
    demanded = hashlib.sha256(demand + case).hexdigest()
    if told is None:  # no check was there, or none could be imported: red
        return Seen(expected=expected.verdict, held=False, digest=digest, demanded=demanded, manufactured=manufactured)
    passed = told.get("passed")
    return Seen(
        expected=expected.verdict,
        held=told.get("held") is True,
        digest=digest,
        demanded=demanded,
        passed=passed if isinstance(passed, bool) else None,
        failed_check=_text(told.get("failed_check")),
        reason=_text(told.get("rejected_for")),
        twin=_text(told.get("twin")),
        manufactured=manufactured,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _checked(tree: Path, places: Sequence[Path]) -> dict[str, dict[str, object]]:
    """Return what ``check --json`` says in a worktree, by fixture; nothing where it says nothing."""
    environment = _environment() | {
        "PYTHONPATH": os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = (sys.executable, "-m", "extractor", "check", "--json", *map(str, places))
    try:
        done = subprocess.run(  # the user's own git
            command,
            cwd=tree,
            env=environment,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        document = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}
    return {each["name"]: each for each in document.get("fixtures", [])}


def _within(place: Path, top: Path) -> str:
    try:
        return place.resolve().relative_to(top.resolve()).as_posix()
    except ValueError:
        raise UsageError("fixtures and checks must stand in one repository") from None


def _files(module: str, project: str) -> list[str]:
    stem = (Path(project) / module.replace(".", "/")).as_posix()
    return [f"{stem}.py", stem]


def _environment() -> dict[str, str]:
    # Without the variables of a hook, which may name another repository or index.
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def _git(folder: Path, *arguments: str, fault: str | None = None) -> str:
    # No hook, no monitor: a checkout runs nothing that the repository's settings name.
    # A place is a path, whatever stands in its name.
    quiet = (
        "--literal-pathspecs",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "log.showSignature=false",
    )
    try:
        done = subprocess.run(
            ("git", "--no-pager", *quiet, *arguments),  # noqa: S607 # the user's own git
            cwd=folder,
            env=_environment(),
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        raise UsageError("git does not answer") from None
    if done.returncode:
        raise UsageError(fault or f"git cannot say what --protocol needs: git {arguments[0]} failed")
    return done.stdout.decode("utf-8", "replace")
