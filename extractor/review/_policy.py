"""The policy of approvals: which roles, how many people, whose keys, for how long. Data in TOML, all faults at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from .. import settings
from ..errors import UsageError
from ..model.layout import POLICY
from ._roles import ROLES, Role, is_machine, person, same_person

if TYPE_CHECKING:
    from ._keys import PublicKey

_TABLE = "tool.extract-fixture.approvals"
_KNOWN = (
    *("version", "roles", "distinct", "author-differs", "unsigned", "lasts-days", "review-due-days", "missing-red"),
    "people",
)
_SAYABLE = re.compile(r"[a-z][a-z0-9_-]{0,40}")
_T = TypeVar("_T")
_MOST_PEOPLE, _MOST_DAYS = 9, 36_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody the policy knows: the roles they may take (all, when none is named) and the keys they sign with."""

    name: str
    roles: tuple[Role, ...] = ()
    keys: tuple[PublicKey, ...] = ()


_DEFAULT_ROLES: Mapping[Role, int] = MappingProxyType({"privacy": 1, "incident-owner": 1})
_NO_ROLES: Mapping[Role, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What an approval needs. The default stands where a project says nothing: two people, no signature.

    ``roles`` says how many people are needed in each role, ``missing_red`` how many more for a case without a red run.
    Nobody may hold two of the ``distinct`` roles of one case; ``author_differs`` keeps whoever made the case from
    approving it. ``lasts_days`` ends an approval, ``review_due_days`` only asks for another look; None is never.
    """

    version: str = "1"
    roles: Mapping[Role, int] = field(default_factory=lambda: _DEFAULT_ROLES)
    distinct: tuple[Role, ...] = ROLES
    author_differs: bool = False
    unsigned: bool = True
    lasts_days: int | None = None
    review_due_days: int | None = 180
    missing_red: Mapping[Role, int] = field(default_factory=lambda: _NO_ROLES)
    people: tuple[Person, ...] = ()
    given: bool = False

    def needed(self, *, red: bool) -> Mapping[Role, int]:
        """Return how many people each role needs, for a case with a red run or without."""
        more = {} if red else self.missing_red
        names = [role for role in ROLES if role in self.roles or role in more]
        return {role: self.roles.get(role, 0) + more.get(role, 0) for role in names}

    def known(self, name: str) -> Person | None:
        """Return the policy's entry of a person, None where it has none."""
        return next((one for one in self.people if same_person(one.name, name)), None)


def policy(root: Path) -> Policy:
    """Return the policy of a store: ``policy.toml`` in it, or ``[tool.extract-fixture.approvals]`` of the project above.

    Raises `UsageError` for two policies, or one that is not understood, with all its faults.
    """
    file = root / POLICY
    table = settings.find(root.resolve()).approvals
    if not file.exists() and not file.is_symlink():
        return Policy() if table is None else from_table(table, _TABLE)
    if table is not None:
        raise UsageError(f"both {POLICY} and {_TABLE} hold a policy; keep one of them")
    try:
        content = tomllib.loads(file.read_bytes().decode("utf-8"))
    except OSError:
        raise UsageError(f"{POLICY} cannot be read") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise UsageError(f"{POLICY} is no valid TOML in UTF-8") from None
    return from_table(content, POLICY)


def from_table(table: Mapping[str, object], where: str) -> Policy:
    """Return the policy that one table holds. Raises `UsageError` naming every fault."""
    reader = _Reader(table)
    plain = Policy()
    people = reader.people()
    made = Policy(
        version=reader.version(plain.version),
        roles=reader.counts("roles", plain.roles),
        distinct=reader.roles(table.get("distinct", list(ROLES)), "distinct"),
        author_differs=reader.flag("author-differs", default=plain.author_differs),
        # Whoever names keys wants decisions signed with them: else anybody could decide under a name that is not listed.
        unsigned=reader.flag("unsigned", default=plain.unsigned and not any(one.keys for one in people)),
        lasts_days=reader.days("lasts-days", plain.lasts_days),
        review_due_days=reader.days("review-due-days", plain.review_due_days),
        missing_red=reader.counts("missing-red", plain.missing_red),
        people=people,
        given=True,
    )
    if "roles" in table and not sum(made.roles.values()):
        reader.faults.append("roles: a policy that asks for nobody approves nothing")
    if not made.unsigned and not any(one.keys for one in made.people):
        reader.faults.append("people: nobody has a key, and unsigned approvals do not count")
    if reader.faults:
        raise UsageError(f"{where} is not understood:\n" + "\n".join(f"  {fault}" for fault in reader.faults))
    return made


class _Reader:
    """Takes values out of a table and gathers what is wrong; names of ours may be said, values never."""

    def __init__(self, table: Mapping[str, object]) -> None:
        self._table = table
        self.faults = [
            f"unknown key: {key if _SAYABLE.fullmatch(key) else f'member {position}'}"
            for position, key in enumerate(table, start=1)
            if key not in _KNOWN
        ]

    def version(self, default: str) -> str:
        value = self._table.get("version", default)
        if isinstance(value, str) and 0 < len(value) <= 40 and value.isprintable():
            return value
        return self._fault("version: must be a short text", default)

    def flag(self, name: str, *, default: bool) -> bool:
        value = self._table.get(name, default)
        return value if isinstance(value, bool) else self._fault(f"{name}: must be true or false", default)

    def days(self, name: str, default: int | None) -> int | None:
        if name not in self._table:
            return default
        value = self._table[name]
        if value is False:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_DAYS:
            return value
        return self._fault(f"{name}: must be a number of days, at least 1, or false for never", default)

    def counts(self, name: str, default: Mapping[Role, int]) -> Mapping[Role, int]:
        if name not in self._table:
            return default
        value = self._table[name]
        if not isinstance(value, dict):
            return self._fault(f"{name}: must be a table of roles", default)
        self.roles(list(value), name)
        counts: dict[Role, int] = {}
        for role in ROLES:
            count = value.get(role)
            if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST_PEOPLE:
                counts[role] = count
            elif count is not None:
                self.faults.append(f"{name}.{role}: must be a number of people, at most {_MOST_PEOPLE}")
        return {role: count for role, count in counts.items() if count}

    def roles(self, value: object, name: str) -> tuple[Role, ...]:
        if not isinstance(value, list) or any(each not in ROLES for each in value):
            return self._fault(f"{name}: holds what is no role; roles are {', '.join(ROLES)}", ())
        return tuple(role for role in ROLES if role in value)

    def people(self) -> tuple[Person, ...]:
        value = self._table.get("people", {})
        if not isinstance(value, dict):
            return self._fault("people: must be a table", ())
        found: list[Person] = []
        for position, (name, entry) in enumerate(value.items(), start=1):
            one = self._person(name, entry, f"people, entry {position}")
            if one is not None and any(same_person(one.name, other.name) for other in found):
                self.faults.append(f"people, entry {position}: stands twice")
            elif one is not None:
                found.append(one)
        held = [key.key_id for one in found for key in one.keys]
        if len(held) != len(set(held)):
            self.faults.append("people: one key belongs to two of them")
        return tuple(found)

    def _person(self, name: str, entry: object, place: str) -> Person | None:
        if not isinstance(entry, dict) or not set(entry) <= {"roles", "keys"}:
            return self._fault(f"{place}: must be a table of roles and keys", None)
        try:
            name = person(name)
        except UsageError as error:
            return self._fault(f"{place}: {error}", None)
        if is_machine(name):
            return self._fault(f"{place}: is no person", None)
        roles = self.roles(entry.get("roles", []), f"{place}, roles")
        return Person(name=name, roles=roles, keys=self._keys(entry.get("keys", []), place))

    def _keys(self, lines: object, place: str) -> tuple[PublicKey, ...]:
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            return self._fault(f"{place}, keys: must be a list of texts", ())
        if not lines:
            return ()
        from ._keys import public_key  # cryptography, for policies with keys alone

        found = []
        for position, line in enumerate(lines, start=1):
            try:
                found.append(public_key(line))
            except ValueError as error:
                self.faults.append(f"{place}, key {position}: {error}")
        return tuple(found)

    def _fault(self, line: str, instead: _T) -> _T:
        self.faults.append(line)
        return instead
