"""``pytest --audit-asserts FILE``: a stable id for every plain assert of a suite, and a row for what it did in each test (S138).

The asserts of test modules, conftest files and modules that pytest rewrites are given a handler before pytest's own rewriting
sees them, so that failures are told as ever. What runs in another process, or in a module that pytest does not rewrite, is not
seen; ``audit_asserts_in`` names modules to be rewritten and audited as well.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from _pytest.assertion import rewrite

from .checks.rows import VERDICTS, Row, Sink, one_line, prune, recording
from .errors import ExtractFixtureError

_NAME: Final = "@extract_fixture_asserts"  # no identifier, so no name of a project
_PASSED, _LEFT = "passed", "left"
_UNTOLD, _BROKE, _ACCEPTED, _REJECTED = (VERDICTS.index(each) for each in VERDICTS)
_COLLECTED: Final = "collected"
_AUDIT: pytest.StashKey[Audit] = pytest.StashKey()


class Audit:
    """Ids and places of the asserts that were met, and what those of the test that is running did."""

    def __init__(self, root: Path, at: datetime) -> None:
        self.root = root
        self.at = at
        self.known: list[tuple[str, str]] = []
        self.modules: list[tuple[str, int, int]] = []
        self.running: dict[int, int] = {}
        self.sink: Sink | None = None

    def passed(self, number: int) -> None:
        """Note that an assert held."""
        self.running[number] = max(self.running.get(number, _UNTOLD), _ACCEPTED)

    def left(self, number: int) -> None:
        """Note that an assert did not hold, or that its predicate ended in something else and judged nothing."""
        _, error, frames = sys.exc_info()
        here = frames is not None and frames.tb_next is None  # an AssertionError from below is another assert's
        verdict = _REJECTED if isinstance(error, AssertionError) and here else _BROKE
        self.running[number] = max(self.running.get(number, _UNTOLD), verdict)

    def instrument(self, tree: ast.Module, module: str, file: Path) -> None:
        """Give every assert of a module its number and a handler."""
        first = len(self.known)
        within = file.is_relative_to(self.root)
        shown = file.relative_to(self.root) if within else Path(file.name)
        name = ".".join(shown.with_suffix("").parts) if within else module
        _Instrument(self.known, name, shown.as_posix()).visit(tree)
        ast.fix_missing_locations(tree)
        self.modules.append((name, first, len(self.known)))

    def tell(self, case: str, record: str) -> None:
        """Hand over the rows of the test that has ended, and those that say which asserts there are."""
        running, self.running = self.running, {}
        if self.sink is None:
            return
        for name, first, end in self.modules:
            for number in range(first, end):
                self.sink(self._row(number, name, _COLLECTED, _UNTOLD))
        self.modules.clear()
        for number, verdict in sorted(running.items()):
            self.sink(self._row(number, case, record, verdict))

    def _row(self, number: int, case: str, record: str, verdict: int) -> Row:
        identity, place = self.known[number]
        return Row(
            assertion_id=one_line(identity),
            case_id=one_line(case),
            record=one_line(record),
            verdict=VERDICTS[verdict],
            at=self.at,
            place=place,
        )


class _Instrument(ast.NodeTransformer):
    """Put each assert into ``try … except BaseException: left; raise … else: passed``."""

    def __init__(self, known: list[tuple[str, str]], module: str, file: str) -> None:
        self._known = known
        self._module = module
        self._file = file
        self._scope: list[str] = []
        self._alike: Counter[str] = Counter()

    def _scoped(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        self._scope.append(node.name)
        found = self.generic_visit(node)
        self._scope.pop()
        return found

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _scoped  # noqa: N815  # names of ast

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Return the statement that holds the assert."""
        number = len(self._known)
        self._known.append((self._id(node), f"{self._file}:{node.lineno}"))
        handler = ast.ExceptHandler(type=_name("BaseException"), name=None, body=[_call(_LEFT, number), ast.Raise()])
        made = ast.Try(body=[node], handlers=[handler], orelse=[_call(_PASSED, number)], finalbody=[])
        for each in (made, handler, *handler.body, *made.orelse):
            ast.copy_location(each, node)
        return made

    def _id(self, node: ast.Assert) -> str:
        """Return module, qualified name and a digest of the predicate as Python spells it: lines, spaces, message are free."""
        try:
            spelled = ast.unparse(node.test)
        except ValueError:  # some f-strings of Python 3.11 have no second spelling
            spelled = ast.dump(node.test)
        digest = hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        identity = ":".join((self._module, ".".join(self._scope), digest))
        self._alike[identity] += 1
        return identity if self._alike[identity] == 1 else f"{identity}.{self._alike[identity]}"


def _name(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _call(method: str, number: int) -> ast.Expr:
    function = ast.Attribute(value=_name(_NAME), attr=method, ctx=ast.Load())
    return ast.Expr(value=ast.Call(func=function, args=[ast.Constant(value=number)], keywords=[]))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option, how long rows are kept, and modules beside the tests."""
    group = parser.getgroup("incidents")
    group.addoption(
        "--audit-asserts", metavar="FILE", type=Path, help="Add to this table what every assert of the suite did."
    )
    group.addoption(
        "--audit-keep-days", metavar="N", type=int, default=180, help="Forget rows that are older (default: 180)."
    )
    parser.addini("audit_asserts_in", "Modules beside the tests whose asserts are audited.", type="args", default=[])


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Stand before pytest's rewriting from the first conftest file on."""
    if early_config.known_args_namespace.audit_asserts is None:
        return
    hook = next((each for each in sys.meta_path if _rewrites(each, early_config)), None)
    if not isinstance(hook, rewrite.AssertionRewritingHook):
        raise pytest.UsageError("--audit-asserts needs pytest's assertion rewriting: leave --assert=plain out")
    audit = Audit(early_config.rootpath, datetime.now(UTC))
    early_config.stash[_AUDIT] = audit
    hook.mark_rewrite(*early_config.getini("audit_asserts_in"))
    theirs = hook.exec_module

    def exec_module(module: ModuleType) -> None:
        origin = Path(str(module.__spec__.origin if module.__spec__ else ""))
        if not origin.is_relative_to(audit.root) or "site-packages" in origin.parts:
            theirs(module)
            return
        hook._rewritten_names[module.__name__] = origin  # noqa: SLF001  # as its own method does
        source = origin.read_bytes()
        tree = ast.parse(source, filename=str(origin))
        audit.instrument(tree, module.__name__, origin)
        rewrite.rewrite_asserts(tree, source, str(origin), early_config)
        vars(module)[_NAME] = audit
        # Never from the cache, and never into it: there, asserts are rewritten without handlers.
        exec(compile(tree, str(origin), "exec", dont_inherit=True), vars(module))  # noqa: S102  # what an import does

    hook.exec_module = exec_module  # type: ignore[method-assign]  # of this one hook
    early_config.add_cleanup(lambda: vars(hook).pop("exec_module", None))


def _rewrites(hook: object, config: pytest.Config) -> bool:
    return isinstance(hook, rewrite.AssertionRewritingHook) and hook.config is config


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tell a worker of xdist when the run began, so that its rows are of one run with all others."""
    config: pytest.Config = node.config  # type: ignore[attr-defined]  # xdist ships no types
    if _AUDIT in config.stash:
        node.workerinput["extract_fixture_at"] = config.stash[_AUDIT].at.isoformat()  # type: ignore[attr-defined]


def pytest_configure(config: pytest.Config) -> None:
    """Open the table before the first test; what is no table ends the run here."""
    audit = config.stash.get(_AUDIT, None)
    if audit is None:
        return
    begun = getattr(config, "workerinput", {}).get("extract_fixture_at")
    if begun is not None:
        audit.at = datetime.fromisoformat(begun)
    stack = ExitStack()
    try:
        audit.sink = stack.enter_context(recording(config.getoption("--audit-asserts")))
    except ExtractFixtureError as error:
        raise pytest.UsageError(f"--audit-asserts: {error.message}") from None
    config.add_cleanup(stack.close)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give the rows of a test, its fixtures included, the name of its function and the position of its parameters."""
    audit = item.config.stash.get(_AUDIT, None)
    if audit is None:
        return (yield)
    result = yield
    audit.tell(_function(item), _position(item))
    return result


def _function(item: pytest.Item) -> str:
    """Return the id of a test without that of its parameters. A bracket may also stand in the name of a folder."""
    parameters = getattr(getattr(item, "callspec", None), "id", None)
    return item.nodeid if parameters is None else item.nodeid.removesuffix(f"[{parameters}]")


def _position(item: pytest.Item) -> str:
    """Return which case of a test this is by positions alone: the ids of parameters may quote a case's values."""
    indices: dict[str, int] = getattr(getattr(item, "callspec", None), "indices", {})
    return "-".join(str(index) for index in indices.values()) or "alone"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over what was imported and never run, and forget what is too old."""
    audit = session.config.stash.get(_AUDIT, None)
    if audit is None:
        return
    audit.tell(_COLLECTED, _COLLECTED)
    if not hasattr(session.config, "workerinput"):
        prune(
            session.config.getoption("--audit-asserts"),
            before=audit.at - timedelta(days=session.config.getoption("--audit-keep-days")),
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say where the table stands."""
    for line in _told(config):
        terminalreporter.line(line)


def _told(config: pytest.Config) -> Iterator[str]:
    if _AUDIT in config.stash:
        yield f"asserts audited: extract-fixture audit {config.getoption('--audit-asserts')}"
