"""Who had lost access, what the model said, and the recovery desk in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from sample_traces.agents import Arguments, JsonValue, Message, Request, asks, says, user

INSTANT = datetime(2026, 11, 1, 23, 29, 54, 612_000, tzinfo=UTC)
"""17:29 in Chicago, where the clocks went back that morning; 18:29 by the offset of the day before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """An account holder; ``noted_offset`` is what the policy says of their region since June."""

    id: str
    name: str
    email: str
    phone: str
    conversation: str
    account_id: str
    time_zone: str
    noted_offset: str
    locale: str = "en-US"


NADIA = Holder(
    id="user_58c1e07d",
    name="Nadia Ferreira-Holt",
    email="nadia.ferreira@example.net",
    phone="+1 312 555 0172",
    conversation="conv_e8460b9d2a",
    account_id="acct_66304f1b9c",
    time_zone="America/Chicago",
    noted_offset="-05:00",
)
BYSTANDERS = (
    Holder(
        id="user_0ad97b44",
        name="Thaddeus Quill",
        email="thaddeus.quill@example.com",
        phone="+1 602 555 0109",
        conversation="conv_2c75f1e608",
        account_id="acct_18f7b2a05d",
        time_zone="America/Phoenix",
        noted_offset="-07:00",
    ),
    Holder(
        id="user_f2613c88",
        name="Ottilie Marchetti",
        email="o.marchetti@example.org",
        phone="+1 212 555 0184",
        conversation="conv_b90d4e7712",
        account_id="acct_93d0c6e841",
        time_zone="America/New_York",
        noted_offset="-04:00",
    ),
)


def request(holder: Holder) -> Request:
    """Return the turn in which the holder gives an address; an earlier turn precedes it."""
    return Request(
        conversation=holder.conversation,
        subject=holder.id,
        tenant="larkfield",
        roles=("account_holder",),
        verified=False,
        locale=holder.locale,
        time_zone=holder.time_zone,
        history=(
            user("I cannot get into my mailbox any more, somebody seems to have changed the password."),
            {
                "role": "assistant",
                "parts": [{"type": "text", "content": "Let us sort that out. Which address is it, and who are you?"}],
            },
        ),
        text=f"My name is {holder.name}, the mailbox is {holder.email}. You can reach me on {holder.phone}.",
    )


def replies(holder: Holder) -> tuple[Message, ...]:
    """Return what the model said."""
    return (
        asks("call_find_1", "account.find", {"email": holder.email}),
        says(f"Thank you, {holder.name.split()[0]}. I have found {holder.email} and will see to it now."),
    )


@dataclass(slots=True, kw_only=True)
class RecoveryDesk:
    """Accounts, the policy in force and the human desk in memory; remembers which actions were taken."""

    holder: Holder
    actions: list[str] = field(default_factory=list)

    def call(self, tool: str, arguments: Arguments) -> JsonValue:
        """Serve the five tools of the recovery agent."""
        if tool == "account.find":
            return self._account()
        if tool == "policy.get":
            return self._policy(arguments)
        if tool == "handoff.availability":
            return {"at": arguments["at"], "time_zone": arguments["time_zone"], "on_shift": 3, "wait_minutes": 4}
        self.actions.append(tool)
        if tool == "handoff.create":
            return {"handoff_id": f"ho_{self.holder.account_id[5:11]}", "queue": arguments["queue"], "status": "queued"}
        return {"sent": True, "channel": "email", "to": self.holder.email, "expires_in_minutes": 30}

    def _account(self) -> JsonValue:
        return {
            "account_id": self.holder.account_id,
            "holder": {"name": self.holder.name, "email": self.holder.email, "phone": self.holder.phone},
            "state": "locked",
            "password_changed_at": "2026-11-01T21:58:03Z",
        }

    def _policy(self, arguments: Arguments) -> JsonValue:
        return {
            "name": arguments["name"],
            "version": "recovery-policy@2026-06",
            "valid_from": "2026-06-01",
            "time_zone": arguments["time_zone"],
            "utc_offset": self.holder.noted_offset,
            "staffed_hours": {"opens": "08:00", "closes": "18:00"},
            "in_hours": "handoff",
            "after_hours": "self_service",
        }
