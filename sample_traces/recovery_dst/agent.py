"""The account recovery agent, as it was on the day the clocks changed, and as it was fixed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from sample_traces.agents import Arguments, JsonValue, Request, Seam, converse, member

INSTRUCTIONS = (
    "You are the account recovery assistant of Larkfield Mail. Find the account and tell the user that you have it; "
    "the workflow then decides between a colleague and self-service. Never send recovery codes into the chat."
)
NOT_FOUND = "I could not find that mailbox. Please check the address."
SELF_SERVICE = (
    "Our team is not at work right now. I have sent instructions to the recovery address of your account; follow them "
    "to choose a new password yourself."
)
HANDED_OVER = "I have passed this to a colleague of the recovery team, who will contact you on the number we hold."

LocalTime = Callable[[datetime, Request, JsonValue], datetime]


def run_buggy(request: Request, seam: Seam) -> str:
    """Answer one turn, with local time from the offset that the policy noted down in summer."""
    return _Recovery(request, seam, _by_noted_offset).answer()


def run_fixed(request: Request, seam: Seam) -> str:
    """Answer one turn, with local time from the time zone's own rules."""
    return _Recovery(request, seam, _by_zone_rules).answer()


def _by_noted_offset(instant: datetime, _request: Request, policy: JsonValue) -> datetime:
    offset = datetime.fromisoformat(f"2000-01-01T00:00:00{member(policy, 'utc_offset')}").tzinfo
    return instant.astimezone(offset)


def _by_zone_rules(instant: datetime, request: Request, _policy: JsonValue) -> datetime:
    return instant.astimezone(ZoneInfo(request.time_zone))


class _Recovery:
    def __init__(self, request: Request, seam: Seam, local_time: LocalTime) -> None:
        self._request = request
        self._seam = seam
        self._local_time = local_time
        self._account_id: JsonValue = None

    def answer(self) -> str:
        converse(INSTRUCTIONS, self._request, self._seam, self._execute)
        return self._route() if self._account_id else NOT_FOUND

    def _execute(self, tool: str, arguments: Arguments) -> JsonValue:
        result = self._seam.call_tool(tool, arguments)
        if tool == "account.find":
            self._account_id = member(result, "account_id")
        return result

    def _route(self) -> str:
        instant = self._seam.now().astimezone(UTC)
        clock: Arguments = {
            "at": instant.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "time_zone": self._request.time_zone,
        }
        policy = self._seam.call_tool("policy.get", {"name": "account-recovery", **clock})
        desk = self._seam.call_tool("handoff.availability", clock)
        local = self._local_time(instant, self._request, policy)
        case: Arguments = {"account_id": self._account_id, "policy_version": member(policy, "version")}
        if _staffed(local, policy) and member(desk, "on_shift"):
            self._seam.call_tool("handoff.create", {**case, "queue": "recovery"})
            return HANDED_OVER
        noted = {"channel": "email", "local_time": local.isoformat(timespec="minutes")}
        self._seam.call_tool("recovery.send_instructions", {**case, **noted})
        return SELF_SERVICE


def _staffed(local: datetime, policy: JsonValue) -> bool:
    hours = member(policy, "staffed_hours")
    opens, closes = (time.fromisoformat(str(member(hours, edge))) for edge in ("opens", "closes"))
    return opens <= local.time() < closes
