"""Identity as claims: who asked, in whose name, and who owns what. Never a session, never a credential."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from extractor.model.json import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Something that somebody owns; ``owner`` is None where the recording does not say."""

    type: str
    id: str
    owner: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The synthetic requester, with the claims as they were, stale ones included."""

    subject: str | None = None
    tenant: str | None = None
    roles: tuple[str, ...] = ()
    claims: Mapping[str, JsonValue] = field(default_factory=dict)
    resources: tuple[Resource, ...] = ()

    @property
    def verified(self) -> bool | None:
        """Whether the sign-in was confirmed, None where no claim says so."""
        value = self.claims.get("verified", self.claims.get("email_verified"))
        return value if isinstance(value, bool) else None

    def owner_of(self, resource: str) -> str | None:
        """Return the owner of a resource by its id, None where the recording names none."""
        return next((each.owner for each in self.resources if each.id == str(resource)), None)

    def owns(self, resource: str) -> bool | None:
        """Say whether the requester owns a resource, None where the recording does not say."""
        owner = self.owner_of(resource)
        return None if owner is None or self.subject is None else owner == self.subject


def identity_of(found: Mapping[str, JsonValue]) -> Identity:
    """Return the identity that a fixture holds."""
    roles, resources, claims = found.get("roles"), found.get("resources"), found.get("claims")
    return Identity(
        subject=_text(found.get("subject")),
        tenant=_text(found.get("tenant")),
        roles=tuple(role for role in roles if isinstance(role, str)) if isinstance(roles, list) else (),
        claims=claims if isinstance(claims, dict) else {},
        resources=tuple(
            Resource(type=str(each.get("type")), id=str(each.get("id")), owner=_name(each.get("owner")))
            for each in (resources if isinstance(resources, list) else [])
            if isinstance(each, dict)
        ),
    )


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _name(value: JsonValue) -> str | None:
    return None if value is None else str(value)
