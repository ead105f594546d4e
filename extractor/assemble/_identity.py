"""Who the run was for, as claims, and who owns what the tools returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model.calls import Call, words
from ..model.json import JsonValue
from ..model.trace import Subject
from ._policy import Policy


def identity(
    subject: Subject, tokens: Mapping[str, JsonValue], calls: Sequence[Call], tables: Policy
) -> dict[str, JsonValue]:
    """Return the ``identity`` member; a requester and an owner who differ stay two (S13).

    Attributes speak first; what they leave open the first token says.
    """
    first = tokens.get("token")
    token = first if isinstance(first, dict) else {}
    sub = token.get("sub")
    return {
        "subject": subject.user if subject.user is not None else sub if isinstance(sub, str) else None,
        "tenant": subject.tenant if subject.tenant is not None else _first(token, tables.token_tenant),
        "roles": list(subject.roles) or _listed(token, tables.token_roles),
        "claims": {**subject.claims, **tokens},
        "resources": _resources(calls, tables),
    }


def _first(token: Mapping[str, JsonValue], names: Sequence[str]) -> str | None:
    return next((value for name in names if isinstance(value := token.get(name), str)), None)


def _listed(token: Mapping[str, JsonValue], names: Sequence[str]) -> list[JsonValue]:
    for name in names:
        value = token.get(name)
        if isinstance(value, str) and value:
            return [value]
        if isinstance(value, list) and value:
            return [each for each in value if isinstance(each, str)]
    return []


def _resources(calls: Sequence[Call], tables: Policy) -> list[JsonValue]:
    """Return objects of tool results that have an id beside an owner, each once, in order."""
    found: dict[tuple[str, str, str], JsonValue] = {}
    for call in calls:
        kind = _noun(call.tool.name)
        for key, node in _objects(call.tool.result):
            owner = _owner(node, tables)
            named = _id_of(node, key or kind, tables)
            if owner is not None and named is not None and named[1] != owner:
                resource: JsonValue = {"type": named[0], "id": named[1], "owner": owner}
                found.setdefault((named[0], repr(named[1]), repr(owner)), resource)
    return list(found.values())


def _owner(node: dict[str, JsonValue], tables: Policy) -> JsonValue:
    """Return the owner that an object names, by a member of its own or as an object inside it; None when it names none."""
    for name in tables.owner:
        if _names(node.get(name)):
            return node[name]
    for name in tables.holder:
        holder = node.get(name)
        told = holder if isinstance(holder, dict) else {}
        for member in ("id", f"{name}_id"):
            if _names(told.get(member)):
                return told[member]
    return None


def _id_of(node: dict[str, JsonValue], kind: str, tables: Policy) -> tuple[str, JsonValue] | None:
    if _names(node.get("id")):
        return (kind, node["id"])
    for name, value in node.items():
        if name.endswith("_id") and name not in tables.owner and _names(value):
            return (name.removesuffix("_id"), value)
    return None


def _objects(tree: JsonValue) -> Iterator[tuple[str | None, dict[str, JsonValue]]]:
    """Yield the objects of a tree with the singular of the member that holds them."""
    stack: list[tuple[str | None, JsonValue]] = [(None, tree)]
    while stack:
        key, node = stack.pop()
        if isinstance(node, dict):
            yield key, node
            stack.extend((_singular(name), child) for name, child in reversed(node.items()))
        elif isinstance(node, list):
            stack.extend((key, child) for child in reversed(node))


def _singular(name: str) -> str | None:
    # A member named by an id (a map of objects) says nothing of its kind.
    if any(char.isdigit() for char in name):
        return None
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def _noun(tool: str) -> str:
    parts = [word for word in words(tool)[1:] if word not in ("details", "by", "info", "status")]
    return parts[0] if parts else tool


def _names(value: JsonValue) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""
