"""What a replay must not survive, and what it replays.

ReplayFault (BaseException)        label
├── LiveCall                       live_call        a socket, a name look-up, a child process; blocked before it left
├── NothingRecorded                incomplete       a call that no recording can answer
├── CallMismatch                   needs_review     a recorded call was due, and another one came
├── HarnessDefect                  harness_defect   the test itself is unsound: a real clock, os._exit, a guard that does not bite
├── AdapterFailed                  adapter_error    the reader of the application's schema cannot read this case
├── AgentFailed                    needs_review     the agent ended with an exception instead of an answer
└── NotExpressible                 not_expressible  concurrent calls, and no schedule that could order them

RecordedToolError (RuntimeError)   the failure that production saw, for the agent to handle

Faults stand outside `Exception`, so that no ``except Exception`` of an agent turns a miss into a handled failure. One that is
swallowed all the same (``except BaseException``, ``gather(return_exceptions=True)``, ``finally: return``, a thread) was
recorded before it was raised: its session stays failed.
"""

from __future__ import annotations

from typing import ClassVar


class ReplayFault(BaseException):
    """Root of all faults: what happened, where it differs from the recording, and what settles it.

    ``called`` names the call (``tools:refund.create``), ``nearest`` the closest recording (``tool_events[2]``), ``path`` the
    first place where the two differ (``arguments.amount_cents``); None where there is none.
    """

    label: ClassVar[str] = "harness_defect"

    def __init__(
        self,
        message: str,
        *,
        code: str,
        called: str | None = None,
        nearest: str | None = None,
        path: str | None = None,
        cure: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.called = called
        self.nearest = nearest
        self.path = path
        self.cure = cure

    def __reduce__(self) -> tuple[object, ...]:
        """Cross from a child process whole: a pool that cannot read a fault calls itself broken."""
        return _restored, (type(self), self.message, self.code, self.called, self.nearest, self.path, self.cure)

    def __str__(self) -> str:
        """Return the message, the nearest recording, the first difference and the cure, a line each."""
        lines = [self.message]
        if self.nearest:
            differing = f", first difference at {self.path}" if self.path else ""
            lines.append(f"nearest recording: {self.nearest}{differing}")
        if self.cure:
            lines.append(f"what to do: {self.cure}")
        return "\n".join(lines)


def _restored(
    kind: type[ReplayFault],
    message: str,
    code: str,
    called: str | None,
    nearest: str | None,
    path: str | None,
    cure: str | None,
) -> ReplayFault:
    return kind(message, code=code, called=called, nearest=nearest, path=path, cure=cure)


def fault_within(error: BaseException | None) -> ReplayFault | None:
    """Return the first fault that an exception is or holds: task groups raise theirs inside a group. None for none."""
    if isinstance(error, ReplayFault):
        return error
    if isinstance(error, BaseExceptionGroup):
        return next((found for each in error.exceptions if (found := fault_within(each)) is not None), None)
    return None


class LiveCall(ReplayFault):
    """Something reached for the network or another process; it was blocked before it left."""

    label = "live_call"


class NothingRecorded(ReplayFault):
    """No recording can answer this call; it never becomes a live one."""

    label = "incomplete"


class CallMismatch(ReplayFault):
    """Another call was due: a wrong argument, a wrong order, one call too many. People decide whether it is the fix."""

    label = "needs_review"


class HarnessDefect(ReplayFault):
    """The test is unsound, whatever the agent does: told before any verdict."""

    label = "harness_defect"


class AdapterFailed(ReplayFault):
    """The named adapter cannot read the case in its original schema; a case is never regenerated to please it."""

    label = "adapter_error"


class AgentFailed(ReplayFault):
    """The agent ended with an exception of its own; that is no answer to anybody."""

    label = "needs_review"


class NotExpressible(ReplayFault):
    """The order of concurrent calls decided, and this run cannot impose one."""

    label = "not_expressible"


class RecordedToolError(RuntimeError):
    """The failure that a tool call had in production.

    ``error_class`` is the class that production raised, by name; ``ended_by`` what ended the attempt (``remote_timeout``,
    ``local_deadline``, …, or None); ``retryable`` whether a retry could have helped: None when the evidence does not say.
    """

    def __init__(
        self,
        message: str,
        *,
        error_class: str | None = None,
        ended_by: str | None = None,
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.error_class = error_class
        self.ended_by = ended_by
        self.retryable = retryable
