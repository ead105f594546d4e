"""URLs by hand, in one pass: scheme, userinfo, host, port, path, query, fragment; connection strings and data URIs."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

from extractor.model.json import JsonValue
from extractor.redact.encodings._base64 import encode_like, text_of
from extractor.redact.encodings._opened import Draft, Opened, plain
from extractor.redact.encodings._percent import HOST, SEGMENT, TEXT, USERINFO, add, add_query

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,31}+://|mailto:(?=[^\s@%]{1,100}(?:@|%40))", re.IGNORECASE)
_STOP = frozenset('"<>`\\|^{}')
_TRAILING = ".,;:!?'*"
_CLOSERS = {")": "(", "]": "["}
_NEXT = re.compile(r"[,;][A-Za-z][A-Za-z0-9+.\-]{1,15}://")
_DATA = re.compile(
    r"data:(?P<media>[A-Za-z0-9.+\-]{1,64}/[A-Za-z0-9.+\-]{1,128})?"
    r"(?P<params>(?:;[A-Za-z0-9_\-]{1,64}(?:=[^;,\s\"']{0,128})?){0,8}),"
)
_DATA_BODY = re.compile(r"[A-Za-z0-9+/_\-]*+={0,2}")
_DATA_TEXT = re.compile(r"[^\s\"'<>)\\`]*+")
_PATH_QUERY = re.compile(r"/(?!/)[^\s\"<>?#]*+(?:\?[\w.\-\[\]%$@:+]{1,128}=|(?<=[%0-9a-fA-F]))", re.ASCII)
_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}")
_COLLECTION = re.compile(r"[A-Za-z][A-Za-z_\-]{0,30}")
_WEB = (
    "http",
    "ws",
    "ftp",
    "file",
    "git",
    "ssh",
    "s3",
    "gs",
    "data",
    "urn",
    "about",
    "chrome",
    "app",
    "android",
    "intent",
)
# Sites with people's pages, and the segments after which somebody's name stands; the empty one is the path's beginning.
_PROFILES = {
    **dict.fromkeys(
        ("github.com", "x.com", "twitter.com", "instagram.com", "facebook.com", "t.me", "tiktok.com"), ("",)
    ),
    "linkedin.com": ("in", "pub"),
    "reddit.com": ("user", "u"),
    "medium.com": ("",),
}
_FIELDS = re.compile(r"[A-Za-z_][\w.\-]*+=")


def extent(text: str, start: int, after_scheme: int) -> int:
    """Return where the URL that starts at ``start`` ends in running text.

    Punctuation of the sentence, quotes, unbalanced brackets and the letters of scripts without spaces do not belong.
    """
    before = text[start - 1] if start else ""
    end = after_scheme
    while end < len(text):
        char = text[end]
        if char <= " " or char in _STOP or (char == "'" and before == "'"):
            break
        if char > "\x7e" and (char >= "\u2e80" or not char.isalnum()):
            break
        if char in ",;" and _NEXT.match(text, end):
            break
        end += 1
    return _without_punctuation(text, after_scheme, end)


def _without_punctuation(text: str, start: int, end: int) -> int:
    balance = {
        closer: text.count(opener, start, end) - text.count(closer, start, end) for closer, opener in _CLOSERS.items()
    }
    while end > start:
        last = text[end - 1]
        if last in _CLOSERS and balance[last] < 0:
            balance[last] += 1
        elif last not in _TRAILING:
            break
        end -= 1
    return end


def open_url(text: str) -> Opened | None:
    """Open a whole text that is a URL, a data URI, or a rooted path with a query or escapes; None for anything else."""
    if any(char <= " " or char in '"<>`\x7f' for char in text):
        return None
    if data := data_uri(text, 0):
        return data[1] if data[0] == len(text) else None
    scheme = SCHEME.match(text)
    if not scheme:
        rooted = _PATH_QUERY.match(text) and ("?" in text or _ESCAPED.search(text))
        return path_and_query(text) if rooted else None
    if len(text) == scheme.end() or any(char > "\x7f" and not char.isalnum() for char in text):
        return None
    if _NEXT.search(text):
        return None
    return parse(text)


def path_and_query(text: str) -> Opened:
    """Return a path with its query and fragment, opened."""
    draft = Draft("url")
    _path_query_fragment(draft, text)
    return draft.opened()


def parse(text: str) -> Opened:
    """Return a URL's parts; a password with ``/``, ``?``, ``#`` or ``@`` in it stays one part."""
    scheme = SCHEME.match(text)
    start = scheme.end() if scheme else 0
    draft = Draft("url")
    draft.literal(text[:start])
    rest = text[start:]
    if text[:7].lower() == "mailto:":
        _path_query_fragment(draft, rest)
        return draft.opened()
    end = _authority_end(rest)
    userinfo, at, host = rest[:end].rpartition("@")
    if at:
        user, colon, password = userinfo.partition(":")
        add(draft, user, USERINFO, role="userinfo_user")
        draft.literal(colon)
        add(draft, password, USERINFO, role="userinfo_password")
        draft.literal(at)
    is_web = start == 0 or text[:start].lower().startswith(_WEB)
    _host(draft, host, key=None if is_web else "dsn_host")
    _path_query_fragment(draft, rest[end:], _PROFILES.get(host.lower().removeprefix("www."), ()) if is_web else ())
    return draft.opened()


def _authority_end(rest: str) -> int:
    ends = [place for mark in "/?#" if (place := rest.find(mark)) >= 0]
    end = min(ends, default=len(rest))
    authority = rest[:end]
    _, colon, port = authority.rpartition(":")
    if "@" in authority or not colon or port.isdigit() or "]" in port or not port:
        return end
    # ``scheme://user:pa/ss@host``: no port is made of letters, so the password goes on to the next @.
    at = rest.find("@", end)
    if at < 0:
        return end
    ends = [place for mark in "/?#" if (place := rest.find(mark, at)) >= 0]
    return min(ends, default=len(rest))


def _host(draft: Draft, host: str, *, key: str | None) -> None:
    name, semicolon, params = host.partition(";")
    closing = name.rfind("]")
    colon = name.find(":", closing + 1)
    end = colon if colon >= 0 else len(name)
    add(draft, name[:end], HOST, role="host", key=key)
    port = name[end:]
    if port[1:].isascii() and port[1:].isdigit():
        draft.literal(port)
    else:
        draft.literal(port[:1])
        add(draft, port[1:], HOST, role="host", key=key)
    draft.literal(semicolon)
    if params:
        add_query(draft, params, ";")


def _path_query_fragment(draft: Draft, text: str, people: Collection[str] = ()) -> None:
    """Add a path segment by segment, each under the last word before it: of ``/orders/5521`` the number is an order's."""
    rest, hash_sign, fragment = text.partition("#")
    path, mark, query = rest.partition("?")
    collection = ""
    for index, segment in enumerate(path.split("/")):
        draft.literal("/" if index else "")
        name = "handle" if collection in people else collection
        key = f"path_{name}" if segment and index and name else None
        add(draft, segment, SEGMENT, role="path_segment", key=key)
        if _COLLECTION.fullmatch(segment):
            collection = segment
    draft.literal(mark)
    if query:
        add_query(draft, query)
    draft.literal(hash_sign)
    if _FIELDS.match(fragment):
        add_query(draft, fragment)
    else:
        add(draft, fragment, TEXT, role="fragment")


def data_uri(text: str, start: int) -> tuple[int, Opened] | None:
    """Return where the data URI at ``start`` ends, and its payload: text that reads as text, else a blob."""
    head = _DATA.match(text, start)
    if not head or not (head["media"] or head["params"]):
        return None
    draft = Draft("data_uri")
    is_base64 = head["params"].lower().endswith(";base64")
    params = head["params"][: -len(";base64")] if is_base64 else head["params"]
    draft.literal(f"data:{head['media'] or ''}{params[:1]}")
    draft.verbatim(params[1:])
    draft.literal(text[head.start("params") + len(params) : head.end()])
    if not is_base64:
        body = _DATA_TEXT.match(text, head.end())
        end = body.end() if body else head.end()
        add(draft, text[head.end() : end], TEXT, role="text")
        return end, draft.opened()
    encoded = _DATA_BODY.match(text, head.end())
    end = encoded.end() if encoded else head.end()
    raw = text[head.end() : end]
    inner = text_of(raw)
    if inner is None or not raw:
        draft.verbatim(raw, role="blob")
    else:
        draft.part(inner, raw, partial(_spell_base64, raw), role="text")
    return end, draft.opened()


def _spell_base64(raw: str, new: JsonValue) -> str:
    return encode_like(plain(new), raw)
