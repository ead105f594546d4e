"""One replay of one case by one implementation: everything that reaches the agent from outside, and the record of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TypeAlias

from extractor.model.json import JsonValue, parse, pretty
from extractor.model.replayable import replayable

from .boundary import Check, Run, Verdict, judge
from .case import ReplayCase
from .clock import FrozenClock
from .deadline import Deadline
from .effects import Effects
from .exchange import ModelAnswer, ModelRequest
from .faults import AdapterFailed, AgentFailed, HarnessDefect, ReplayFault
from .guard import Allow, Clock, Guard
from .identity import identity_of
from .keys import Keys
from .labels import LABELS, first_of
from .ledger import Ledger
from .matching import as_json
from .mcp import scripted_mcp
from .order import Ordering
from .providers import intercept
from .running import run
from .scripted_model import ScriptedModel, model_events
from .tools import ScriptedTools, Unconsumed
from .turns import Turn, turns

if TYPE_CHECKING:  # it imports asyncio, which takes longer than all of replay
    from .schedule import Schedule

Expect: TypeAlias = Literal["red", "green"]
Adapter: TypeAlias = Callable[[str, JsonValue], JsonValue]
"""Reads the application's own schema as production did: the tool and its recorded result in, what the agent saw out."""

_open: list[Session] = []
_lock = threading.Lock()


def current() -> Session | None:
    """Return the session that is open in this process, whatever the thread; None outside of any."""
    return _open[-1] if _open else None


class Session:
    """A context: inside it nothing is live. ``version`` names the implementation, as the manifest will.

    ``allow`` is what its guard lets through, ``clock`` what a reading of the real clock is. ``expect`` is ``red`` for the
    affected version, which is served recorded calls alone, and ``green`` for a current one. With a ``schedule`` it runs
    within `explore.drive`, and each tool call waits for its turn. Leaving it raises what was recorded as a fault, even if an
    agent swallowed it, and `Unconsumed` when recorded evidence
    did not come.
    """

    def __init__(
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
    ) -> None:
        self.case = case
        self.version = version
        self.expect = expect
        self.ledger = Ledger()
        self.clock = FrozenClock(case.frozen_at, case.text("time_zone"))
        self.identity = identity_of(case.members("identity"))
        self.deadline = _deadline(case, self.clock)
        self.tools = ScriptedTools(
            case.tool_events,
            ordering=ordering or _ordering(case),
            alternates=case.alternates,
            recorded_only=expect == "red",
            ledger=self.ledger,
            deadline=self.deadline,
            schedule=schedule,
        )
        self.schedule = schedule
        if schedule is not None:
            schedule.attach(rank=self.tools.place, report=self.ledger.report, leave=self.leave)
        self.model = ScriptedModel(model_events(case), ledger=self.ledger)
        self.keys = Keys(case.tool_events)
        self.turns = turns(case)
        self.turn: Turn | None = self.turns[0] if self.turns else None
        self.output: JsonValue = None
        self.ended = False
        self.guarded = False
        self.intercepted: Mapping[str, str] = {}
        self._checks = checks or {}
        self._adapters = adapters or {}
        self.guard = Guard(self.ledger.report, allow=allow or Allow(), clock=clock)
        self.ledger.forward = self.guard.forward
        self._verdict: Verdict | None = None
        self._stack = ExitStack()
        self._block: AbstractContextManager[Session] = nullcontext(self)

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
        told = self.case.members("adapter")
        if not told:
            return value
        name = f"{told.get('name')}@{told.get('version')}"
        adapter = self._adapters.get(name)
        if adapter is None:
            raise self.ledger.fail(
                AdapterFailed(
                    f"the case needs the adapter {name}, and the project names none",
                    code="adapter_unknown",
                    called=f"tools:{tool}",
                    cure='name it: [tool.extract-fixture.replay.adapters] "NAME@VERSION" = "module:function"',
                )
            )
        try:
            return as_json(adapter(tool, value))
        except Exception as error:  # noqa: BLE001  # whatever a project's adapter raises, it is the adapter's
            raise self.ledger.fail(
                AdapterFailed(
                    f"the adapter {name} cannot read the recorded result: {type(error).__name__}",
                    code="adapter_failed",
                    called=f"tools:{tool}",
                    cure="mend the adapter; a case keeps the schema of its incident and is never regenerated to please it",
                )
            ) from None

    def new_key(self) -> str:
        """Return the next idempotency key: the recorded ones in their order, then synthetic ones."""
        return self.keys.draw()

    @contextmanager
    def opened(self) -> Iterator[Session]:
        """Let nothing be live within the block, whatever it does; judge nothing. A block within it changes nothing."""
        if self in _open:
            yield self
            return
        with _lock:
            _open.append(self)
        try:
            self._stack.enter_context(self.guard)
            self._stack.enter_context(self._intercepted())
            self.guarded = True
            yield self
        finally:
            self.leave()

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
                self.intercepted = {name: state for name, state in told.items() if state != "absent"}

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
        elif isinstance(error, ReplayFault):
            self.ledger.report(error)
        return False

    def run(self, agent: Callable[..., object]) -> Session:
        """Run ``agent`` once a turn within this session and finish it; faults are recorded, `hold` raises them.

        An agent is given what the user said; one whose first parameter is called ``incident`` is given this session.
        Raises `UsageError` for a generator.
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
        self.ended = True
        try:
            self.output = _storable(output)
        except TypeError as strange:
            self.output = None  # a test may have set what no manifest can hold
            self.ledger.report(
                HarnessDefect(
                    f"the agent returned {strange}, which no manifest can hold",
                    code="output_not_json",
                    cure="let the entry point return the agent's final output as text or JSON",
                )
            )
        if error is not None and not isinstance(error, ReplayFault):
            self.ledger.report(
                AgentFailed(
                    f"the agent ended with {type(error).__name__} at {_place(error)}",
                    code="agent_raised",
                    cure="an answer to the user is part of every boundary: decide what the product must do here",
                )
            )
        self._verdict = self._judged(aborted=error is not None)
        return self._verdict

    def _judged(self, *, aborted: bool) -> Verdict:
        run = Run(
            output=self.output,
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


def _place(error: BaseException) -> str:
    """Return the file's name and the line where an exception came from; its own words may quote anything."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "an unknown place" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


def _ordering(case: ReplayCase) -> Ordering:
    mode = case.members("ordering").get("mode")
    return mode if mode in ("per_key", "none") else "total"  # type: ignore[return-value]  # one of the two


def _deadline(case: ReplayCase, clock: FrozenClock) -> Deadline:
    schedule = case.members("timing").get("fidelity") == "schedule"
    given = (event.timing.get("deadline_ms") for event in case.tool_events)
    return Deadline(clock, budget_ms=next((at for at in given if at is not None), None), schedule=schedule)
