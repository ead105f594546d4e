"""One replay of one case by one implementation: everything that reaches the agent from outside, and the record of it."""

from __future__ import annotations

import marshal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from extractor.model.json import JsonValue, parse, pretty
from extractor.model.replayable import replayable

from . import ending
from .adapting import Adapter, Adapting
from .boundary import Check, Run, Verdict, judge
from .case import ReplayCase
from .clock import FrozenClock
from .deadline import deadline_of
from .effects import Effects
from .exchange import ModelAnswer, ModelRequest
from .faults import fault_within
from .guard import Allow, Clock, Guard
from .identity import identity_of
from .keys import Keys
from .ledger import Ledger
from .matching import as_json
from .mcp import scripted_mcp
from .order import Ordering
from .providers import intercept
from .results.labels import LABELS, first_of
from .running import run
from .scripted_model import ScriptedModel, model_events
from .templates import Resolver, Templates
from .threads import Threads
from .tools import ScriptedTools, Unconsumed
from .turns import Turn, turns

if TYPE_CHECKING:  # it imports asyncio, which takes longer than all of replay
    from .racing.schedule import Schedule

Expect: TypeAlias = Literal["red", "green"]

_OF_THE_RUN: Final = frozenset({"output", "turn"})
"""What a run sets; everything else is set once."""

_open: list[Session] = []
_lock = threading.Lock()


def current() -> Session | None:
    """Return the session that is open in this process, whatever the thread; None outside of any."""
    return _open[-1] if _open else None


class Session:
    """A context: inside it nothing is live. ``version`` names the implementation, as the manifest will.

    ``allow`` is what its guard lets through, ``clock`` what a reading of the real clock is. ``expect`` is ``red`` for the
    affected version, which is served recorded calls alone, and ``green`` for a current one. ``templates`` fetches protected
    prompt templates, before the session opens. A ``lenient`` run is served calls that differ from the recorded ones, and decides
    nothing: its label is ``not_comparable``. With a ``schedule`` it runs within `explore.drive`, and each tool call waits
    for its turn. Leaving it raises what was recorded as a fault, even if an agent swallowed it, and `Unconsumed` when recorded
    evidence did not come.
    """

    def __init__(  # noqa: PLR0913 # each is a thing that reaches the run from outside
        self,
        case: ReplayCase,
        *,
        version: str,
        expect: Expect | None = None,
        checks: Mapping[str, Check] | None = None,
        adapters: Mapping[str, Adapter] | None = None,
        ordering: Ordering | None = None,
        allow: Allow | None = None,
        clock: Clock = "fail",
        schedule: Schedule | None = None,
        templates: Resolver | None = None,
        lenient: bool = False,
    ) -> None:
        self.case = case
        self.version = version
        self.expect = expect
        self.lenient = lenient
        self.ledger = Ledger()
        self.clock = FrozenClock(case.frozen_at, case.text("time_zone"))
        self.identity = identity_of(case.members("identity"))
        self.deadline = deadline_of(case, self.clock)
        self.tools = ScriptedTools(
            case.tool_events,
            ordering=ordering or case.ordering,
            alternates=case.alternates,
            recorded_only=expect == "red",
            lenient=lenient,
            ledger=self.ledger,
            deadline=self.deadline,
            schedule=schedule,
        )
        self.schedule = schedule
        if schedule is not None:
            schedule.attach(rank=self.tools.place, report=self.ledger.report, leave=self.leave)
        self.model = ScriptedModel(model_events(case), ledger=self.ledger)
        self.keys = Keys(case.tool_events)
        self._templates = Templates(case.listed("templates"), resolver=templates, ledger=self.ledger)
        self.turns = turns(case)
        self.turn: Turn | None = self.turns[0] if self.turns else None
        self._output: JsonValue = None
        self._ended = False
        self._guarded = False
        self._intercepted_by: Mapping[str, str] = {}
        self._threads = Threads()
        self._sealed = _sealed(case)
        self._checks = checks or {}
        self._adapting = Adapting(case, adapters or {}, self.ledger)
        self.guard = Guard(self.ledger.report, allow=allow or Allow(), clock=clock)
        self.ledger.forward_by(self.guard.forward)
        self._verdict: Verdict | None = None
        self._stack = ExitStack()
        self._block: AbstractContextManager[Session] = nullcontext(self)

    def __setattr__(self, name: str, value: object) -> None:
        """Let nothing that a verdict depends on be replaced by the agent that is judged."""
        if name.startswith("_") or name in _OF_THE_RUN or not (name in vars(self) or hasattr(type(self), name)):
            super().__setattr__(name, value)
            return
        raise AttributeError(f"{name} of a session cannot be replaced")

    @property
    def output(self) -> JsonValue:
        """The final output; a test that runs no agent sets it before the session ends."""
        return self._output

    @output.setter
    def output(self, value: JsonValue) -> None:
        if self._ended:
            raise self.ledger.fail(ending.output_after_end())
        self._output = value

    @property
    def ended(self) -> bool:
        """Whether the run was judged."""
        return self._ended

    @property
    def guarded(self) -> bool:
        """Whether its guard was on."""
        return self._guarded

    @property
    def intercepted(self) -> Mapping[str, str]:
        """How the libraries that are loaded are intercepted: ``patched`` or ``failed: ERROR``; known at the end."""
        return self._intercepted_by

    @property
    def effects(self) -> Effects:
        """The side effects of this run, and its decisions."""
        return self.tools.effects

    @property
    def text(self) -> str:
        """What the user said in the current turn."""
        return self.turn.text if self.turn else ""

    @property
    def facts(self) -> Mapping[str, JsonValue]:
        """What a decision read, by name: staffed hours, rates, tables; of facts that share a name, the last."""
        return {str(fact["name"]): fact.get("value") for fact in self.case.listed("facts")}

    def call_tool(self, tool: str, arguments: Mapping[str, object] | None = None) -> JsonValue:
        """Return the recorded result of a call as the agent saw it, read by the case's adapter; raises as `ScriptedTools`."""
        return self.adapted(tool, self.tools.call(tool, arguments))

    async def acall_tool(self, tool: str, arguments: Mapping[str, object] | None = None) -> JsonValue:
        """Return what `call_tool` does, for agents that await their tools."""
        return self.adapted(tool, await self.tools.acall(tool, arguments))

    def answer(self, request: ModelRequest) -> ModelAnswer:
        """Return the next recorded answer of a model; raises as `ScriptedModel`."""
        return self.model.answer(request)

    def adapted(self, tool: str, value: JsonValue) -> JsonValue:
        """Return a recorded value as the case's adapter reads it; without one, as it stands. Raises `AdapterFailed`."""
        return self._adapting.read(tool, value)

    def template(self, name: str) -> str:
        """Return a prompt template of the case by its name, or by its role; raises as `Templates.text`."""
        return self._templates.text(name)

    def new_key(self) -> str:
        """Return the next idempotency key: the recorded ones in their order, then synthetic ones."""
        return self.keys.draw()

    @contextmanager
    def opened(self) -> Iterator[Session]:
        """Let nothing be live within the block, whatever it does; judge nothing. A block within it changes nothing."""
        if self in _open:
            yield self
            return
        self._templates.fetch()
        with _lock:
            _open.append(self)
        self._threads = Threads()
        try:
            self._stack.enter_context(self.guard)
            self._stack.enter_context(self._intercepted())
            self._guarded = True
            yield self
        finally:
            if self._guarded and self.schedule is None:
                self._look_back()
            self.leave()

    def _look_back(self) -> None:
        """Report what would go on behind the end, and whether the run took the guard off itself."""
        outliving = self._threads.outliving()
        if outliving:
            self.ledger.report(ending.thread_outlives(outliving))
        if self not in _open or not self.guard.state().on:
            self.ledger.report(ending.left_from_within())

    @contextmanager
    def _intercepted(self) -> Iterator[None]:
        """Answer unchanged SDK clients and MCP sessions from the recording."""
        report, instant = self.ledger.report, int(self.case.frozen_at.timestamp())
        names = tuple(dict.fromkeys(event.tool for event in self.case.tool_events))
        with (
            intercept(self.answer, report, instant=instant) as providers,
            scripted_mcp(self.call_tool, names, report) as mcp,
        ):
            try:
                yield
            finally:
                told = {**providers.state().libraries, **mcp.state()}
                self._intercepted_by = {name: state for name, state in told.items() if state != "absent"}

    def __enter__(self) -> Session:
        self._block = self.opened()
        return self._block.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self._block.__exit__(kind, error, trace)
        if error is None:
            self.finish(self.output)
            self.hold()
        else:
            fault = fault_within(error)
            if fault is not None:
                self.ledger.report(fault)
        return False

    def run(self, agent: Callable[..., object]) -> Session:
        """Run ``agent`` once a turn within this session and finish it; faults are recorded, `hold` raises them.

        An agent is given what the user said; one whose first parameter is called ``incident`` is given this session.
        Raises `UsageError` for a generator, and for an agent that wants more than that.
        """
        return run(self, agent)

    def leave(self) -> None:
        """Leave, from whatever thread: the agent of a run that was given up never comes back to do it."""
        try:
            self._stack.close()
        finally:
            with _lock:
                if self in _open:
                    _open.remove(self)

    def finish(self, output: object, *, error: BaseException | None = None) -> Verdict:
        """Say how the run ended: its final output, or the exception it ended with; return the boundary's verdict."""
        self._ended = True
        self.ledger.close()
        try:
            self._output = _storable(output)
        except TypeError as strange:
            self._output = None  # a test may have set what no manifest can hold
            self.ledger.report(ending.output_not_json(strange))
        if error is not None and fault_within(error) is None:
            self.ledger.report(ending.agent_raised(error))
        if _sealed(self.case) != self._sealed:
            self.ledger.report(ending.case_changed())
        self._verdict = self._judged(aborted=error is not None)
        return self._verdict

    def _judged(self, *, aborted: bool) -> Verdict:
        run = Run(
            output=self._output,
            calls=tuple(self.tools.calls),
            effects=self.effects,
            identity=self.identity,
            expected=self.case.expected,
            facts=self.facts,
        )
        verdict = judge(self.case, run, self._checks)
        if verdict.passed and (aborted or self.ledger.faults):
            # What did not end, or went another way than the recording, has shown nothing.
            reason = "the run did not reach its end" if aborted else "the run had a fault"
            return Verdict(passed=None, check=verdict.check, reason=reason)
        return verdict

    @property
    def verdict(self) -> Verdict | None:
        """What the boundary says, None before the run has ended."""
        return self._verdict

    def labels(self) -> set[str]:
        """Return every label that this run alone deserves, whatever its boundary says."""
        found = {fault.label for _, fault in self.ledger.faults}
        if not replayable(self.case.document):
            found.add("non_replayable")
        if self.ended and not self.ledger.faults and self.left_out():
            found.add("returned_early")  # what is left out after a fault is its consequence
        if self._one_of_many():
            found.add("not_expressible")
        if self.lenient:
            found.add("not_comparable")
        return found

    def _one_of_many(self) -> bool:
        """Say whether this run shows one order of calls that could have come in others; to show the harm, one is enough."""
        if self.schedule is None or self.expect == "red" or not self.tools.concurrent:
            return False
        return self.schedule.alternatives and not self.schedule.explored

    @property
    def label(self) -> str | None:
        """The label that is told first, None for a run that nothing speaks against."""
        return first_of(self.labels())

    def left_out(self) -> list[str]:
        """Return the recorded evidence that did not come: tools; the model where the case has no tool evidence at all."""
        tools = [f"tools:{event.tool}" for _, event in self.tools.unconsumed() if event.role == "evidence"]
        scripted = any(event.role == "evidence" for event in self.case.tool_events)
        return tools if scripted else [f"llm:{event.model}" for _, event in self.model.unconsumed()]

    def hold(self) -> None:
        """Raise the first fault of the session, swallowed or not, else `Unconsumed`; return when nothing is wrong."""
        faults = [fault for _, fault in self.ledger.faults]
        if faults:
            raise min(faults, key=lambda fault: LABELS.index(fault.label))
        remaining = self.left_out()
        if remaining:
            raise Unconsumed(f"replay ended before recorded calls: {[name.partition(':')[2] for name in remaining]}")


def _sealed(case: ReplayCase) -> bytes:
    # Several times as fast as JSON; version 2 writes what is equal alike.
    return marshal.dumps(case.document, 2)  # type: ignore[arg-type]  # JSON is


def _storable(output: object) -> JsonValue:
    """Return what an agent answered as JSON; raises `TypeError` for what no file of JSON can hold."""
    try:
        told = as_json(output)
        parse(pretty(told))
    except RecursionError:
        raise TypeError("a value that is nested too deeply") from None
    except ValueError as fault:  # no number, too many digits, too deep
        raise TypeError(f"a value that is no JSON ({type(fault).__name__})") from None
    return told
