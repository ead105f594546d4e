"""Who may decide: the roles, what each binds, and names that are no person's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from ..errors import UsageError
from ..model.layout import EXPECT, FIXTURE, PROVENANCE, README

Role: TypeAlias = Literal["privacy", "incident-owner", "qa", "workflow", "dependency"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

BINDS: Final[Mapping[Role, tuple[str, ...]]] = MappingProxyType(
    {
        "privacy": (FIXTURE, README, PROVENANCE),
        "incident-owner": (FIXTURE, EXPECT),
        "qa": (FIXTURE,),
        "workflow": (FIXTURE,),
        "dependency": (FIXTURE,),
    }
)
"""The files whose bytes a role's statement is about. An absent expect.yaml is bound as absent."""

_LONGEST = 100
_WORD = re.compile(r"[^\W_]+")
_VERSION = re.compile(r"v?\d+[a-z]?")
# A name made of these alone names no person. One of them beside a family name does: Claude Moreau, Ai Tanaka.
_MACHINES = frozenset(
    (
        *("ai", "ki", "ia", "agent", "agents", "assistant", "automation", "bot", "bots", "chatbot", "robot", "machine"),
        *("llm", "llms", "model", "models", "gpt", "gpt4o", "chatgpt", "openai", "codex", "copilot", "dependabot"),
        *("claude", "anthropic", "opus", "sonnet", "haiku", "gemini", "gemma", "llama", "mistral", "qwen", "deepseek"),
        *("grok", "cursor", "renovate", "pipeline", "ci", "4o", "o1", "o3", "o4"),
    )
)
_OFFICES = frozenset(
    (
        *("the", "a", "an", "our", "my", "auto", "automatic", "code", "review", "reviewer", "reviewing", "approval"),
        *("privacy", "incident", "owner", "qa", "quality", "security", "support", "system", "service", "github"),
        *("gitlab", "actions", "virtual", "digital", "language", "large", "pro", "mini", "flash", "turbo", "preview"),
        *("team", "user", "account", "app", "by", "and", "x"),
    )
)


def role_named(text: str) -> Role:
    """Return the role of this name. Raises `UsageError` for any other text."""
    for role in ROLES:
        if role == text:
            return role
    raise UsageError(f"a role is one of {', '.join(ROLES)}")


def is_machine(name: str) -> bool:
    """Say whether a name is that of a program: "AI", "review bot", "gpt-4o", "github-actions[bot]" (S9)."""
    words = _WORD.findall(unicodedata.normalize("NFKC", name).casefold())
    machines = [word for word in words if word in _MACHINES]
    return bool(machines) and all(
        word in _MACHINES or word in _OFFICES or _VERSION.fullmatch(word) is not None for word in words
    )


def person(text: str) -> str:
    """Return a name as it is written down: one line, single spaces, Unicode form C.

    Raises `UsageError` for an empty, overlong or unprintable one.
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not _WORD.search(name) or len(name) > _LONGEST or not name.isprintable():
        raise UsageError(f"a person's name is one line of up to {_LONGEST} printable characters")
    return name


def same_person(one: str, other: str) -> bool:
    """Say whether two names are one person's: letter case, width, accents as marks and spaces do not tell people apart."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
