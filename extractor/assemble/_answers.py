"""What the statuses of the two sides of a call say."""

from __future__ import annotations

from ..model.trace import Step

_UNSENT_BY_OTHERS = frozenset({"1", "4", "14", "cancelled", "deadline_exceeded", "unavailable"})
"""gRPC codes that a client writes itself: it gave up, was cancelled, or found nobody."""

_REFUSALS = frozenset(
    {"3", "5", "6", "7", "8", "9", "11", "12", "16", "invalid_argument", "not_found", "already_exists"}
    | {
        "permission_denied",
        "resource_exhausted",
        "failed_precondition",
        "out_of_range",
        "unimplemented",
        "unauthenticated",
    }
)
"""gRPC codes with which a service says that it did not do what was asked."""


_WITH_STATUS = frozenset({"http", "grpc", "connect_rpc", "evidence", "unknown"})
"""Protocols of which an answer leaves a status; ``unknown`` is what no convention names."""


def status(step: Step) -> str | None:
    """Return the protocol's status, lower case, None when there is none."""
    found = step.dependency.status if step.dependency is not None else None
    return found.lower() if found is not None else None


def grpc(step: Step) -> bool:
    """Return whether a dependency span speaks gRPC or its kin."""
    return step.dependency is not None and step.dependency.protocol in ("grpc", "connect_rpc")


def is_code(step: Step, number: str, name: str) -> bool:
    """Return whether a gRPC span has a status, by number or by name."""
    return grpc(step) and status(step) in (number, name)


def answered(client: Step) -> bool:
    """Return whether an answer was read. HTTP and RPC clients write a status with it; others just end without an error."""
    found = status(client)
    if found is not None:
        return not (grpc(client) and found in _UNSENT_BY_OTHERS)
    if client.dependency is None or client.dependency.protocol in _WITH_STATUS:
        return False
    return client.span.end_ns is not None and client.error_type is None and client.span.status_code != "error"


def by_another(client: Step) -> bool:
    """Return whether an answer may come from something before the dependency: a gateway, or the broker of a message."""
    return client.span.kind == "producer" or (not grpc(client) and status(client) in ("502", "503", "504"))


def succeeded(step: Step) -> bool:
    """Return whether a side says that the work was done; a gRPC 0 on a span whose caller gave up is checked elsewhere."""
    found = status(step)
    if found is None:
        return step.span.kind == "client" and answered(step)
    return found in ("0", "ok") if grpc(step) else found.startswith("2") and len(found) == 3


def refused(step: Step) -> bool:
    """Return whether the dependency said no, so that nothing was done: 4xx but for a timeout, a conflict with a twin."""
    found = status(step) or ""
    if grpc(step):
        return found in _REFUSALS
    return len(found) == 3 and found.startswith("4") and found not in ("408", "425", "499")
