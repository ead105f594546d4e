"""What a reviewer marked: tokens found again by keyed digest, whole texts by their place; a mark itself holds no text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..errors import UsageError
from ..model.case import Case, KnownValue
from ..model.config import Mark
from ..model.json import leaves
from ..model.span import tree
from .fold import fold
from .keys import WorkspaceKey, keyed_digest
from .treat import text_at

RULE = "case.marked"
_ENTITIES = {"name": "person", "must_go": "unknown_id"}
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_GENITIVE = re.compile(r"['\u2019]s\Z")


def token_digest(token: str, key: WorkspaceKey, scope: str) -> str:
    """Return the digest by which a token is marked in a case: 32 hex digits, the same for all its spellings.

    HMAC-SHA-256 under a key of the case's scope, cut to 128 bits: without the workspace key it tells nothing.
    """
    return _digest(key.derive("mark/" + scope), token)


def marked(case: Case, marks: Sequence[Mark], key: WorkspaceKey, scope: str) -> Iterator[KnownValue]:
    """Yield the values of a case that are marked as names or as what must go, in every spelling that stands in it.

    Raises `UsageError` for a path that the case does not hold.
    """
    gone = [mark for mark in marks if mark.mark in _ENTITIES]
    by_digest = {mark.digest: mark for mark in gone if mark.digest is not None}
    for mark in gone:
        if mark.path is not None:
            yield _value(_text(case, mark.path), mark)
    if by_digest:
        yield from _tokens(case, by_digest, key.derive("mark/" + scope))


def _tokens(case: Case, marks: Mapping[str, Mark], secret: bytes) -> Iterator[KnownValue]:
    trees = [case.document, *map(tree, case.trace.spans)]
    texts = {leaf for one in trees for _, leaf in leaves(one) if isinstance(leaf, str)}
    names = {name for one in trees for path, _ in leaves(one) for name in path if isinstance(name, str)}
    for token in sorted({token for text in texts | names for token in _spelled(text)}):
        mark = marks.get(_digest(secret, token))
        if mark is not None:
            yield _value(token, mark)


def _spelled(text: str) -> Iterable[str]:
    return (_GENITIVE.sub("", token) for token in _TOKEN.findall(fold(text).clean))


def _text(case: Case, path: str) -> str:
    try:
        return text_at(case.document, path)
    except UsageError:
        raise UsageError("a mark names a field path at which the case holds no text") from None


def _value(text: str, mark: Mark) -> KnownValue:
    return KnownValue(text=text, entity=_ENTITIES[mark.mark], rule=RULE)


def _digest(secret: bytes, token: str) -> str:
    return keyed_digest(secret, _GENITIVE.sub("", fold(token).text)).hex()[:32]
