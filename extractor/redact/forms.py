"""How a pseudonym of each format looks: reserved ranges where they exist, else the original's shape."""

from __future__ import annotations

import ipaddress
import re
from uuid import UUID

import phonenumbers
from stdnum import iban

from . import official
from .checks import digits
from .draw import Stream, digits_like, pour, shape_like, with_luhn

_CARD_RANGES = {"4": "400000", "5": "520000", "2": "222300", "3": "378282", "6": "601100"}
_DOCUMENTATION = ("192.0.2.", "198.51.100.", "203.0.113.")
_BENCHMARKING = (int(ipaddress.IPv4Address("198.18.0.0")), 2**17)
_CLASS_E = (int(ipaddress.IPv4Address("240.0.0.0")), 2**28 - 1)
_OFFICIAL = ("government_id", "vehicle_id")
_PORT = re.compile(r"(.+?)([:,]\d{1,5})")
_DEGREES = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d{1,3})(?P<rest>\.\d+)")
_MOST_DEGREES, _LEAST_DEGREES = {1: 10, 2: 90, 3: 180}, {2: 10, 3: 100}
_UUID = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?=.*\d)(?:[0-9a-f]{8,}|[0-9A-F]{8,})")
_SEGMENT = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_LAST_NUMBER = re.compile(r"\d+(?=\D*\Z)")
_SYMBOLS = "!#$%&()*+-;<=>?@^_{|}~"
_YEARS_AROUND = 4  # of a birth, so that whoever was of age mostly stays so
_DIGEST = 32  # hexadecimal digits
_MAX_PREFIX = 3  # letters
_SHAPELESS = 8  # characters that a stand-in grew in vain
_MIN_SERIAL = 5  # digits from which a short capital prefix is a type, as in W2378156


def grown(text: str, extra: int) -> str:
    """Return a text with its last letter or digit repeated, as a longer model for the stand-in of a short value.

    Much longer models are letters: whatever has no free stand-in by then, as ``0/0``, can hardly be redrawn in its shape.
    """
    if extra > _SHAPELESS and not text.isdecimal():
        return "x" * (len(text) + extra)
    last = next((char for char in reversed(text) if char.isalnum()), "0")
    return text + last * extra


def number(entity: str, text: str, stream: Stream, tail: str, *, extra: int = 0) -> str:
    """Return digits in the format of a card, IBAN, phone or plain number, ending in ``tail`` where one is given.

    ``extra`` above 0 gives up a reserved range, then length, where too few numbers are left.
    """
    if entity == "iban":
        return _iban(text, stream, tail)
    if entity in _OFFICIAL and not extra:
        return official.stand_in(text, stream)
    plain = digits(text)
    if entity == "card" and plain:
        made = _card(plain, stream, tail, reserved=not extra)
    elif entity == "phone" and plain and not extra:
        made = ending_in(_phone(text, plain, stream), tail)
    elif entity == "age" and len(plain) == 2 and not extra:
        made = str(10 + stream.below(90) if plain < "18" else 18 + stream.below(82))
    elif entity == "birth_year" and not extra:
        made = str(int(plain) - _YEARS_AROUND + stream.below(2 * _YEARS_AROUND + 1))
    elif entity == "ssn" and plain:
        made = "9" + digits_like("1" + plain[2:], stream)[: len(plain) - 1]
    elif plain:
        made = ending_in(digits_like(plain, stream), tail)
    else:
        return shape_like(grown(text, extra), stream)
    if extra and entity not in ("card", "phone"):
        made += digits_like("1" * extra, stream)
    if len(plain) == sum(map(str.isalnum, text)):
        return pour(made, text) if len(made) == len(plain) else made
    return ending_in(shape_like(grown(text, extra), stream), "" if extra else tail)


def _card(plain: str, stream: Stream, tail: str, *, reserved: bool) -> str:
    prefix = _CARD_RANGES.get(plain[0], plain[:4]) if reserved else plain[0]
    made = prefix + digits_like("1" + plain[len(prefix) + 1 :], stream)
    if tail:
        return with_luhn(made[: -len(tail)] + tail, fixed_tail=len(tail))
    return with_luhn(made)


def _phone(text: str, plain: str, stream: Stream) -> str:
    if (len(plain) == 10 and plain[0] not in "01") or (
        len(plain) == 11 and plain[0] == "1"
    ):  # North America: 555-01xx is fiction
        country = plain[:-10]
        return country + str(2 + stream.below(8)) + f"{stream.below(100):02}" + "55501" + f"{stream.below(100):02}"
    country = _country_code(text)
    return country + digits_like(plain[len(country) :], stream)


def _country_code(text: str) -> str:
    """Return the country code of a number in international form (E.164), empty for any other."""
    try:
        return str(phonenumbers.parse(text).country_code)
    except phonenumbers.NumberParseException:
        return ""


def ending_in(text: str, tail: str) -> str:
    """Return a text whose last number, letters may follow it, ends in ``tail``; as it is where that number is no longer."""
    found = _LAST_NUMBER.search(text)
    if not tail or found is None or len(found.group()) <= len(tail):
        return text
    return text[: found.end() - len(tail)] + tail + text[found.end() :]


def _iban(text: str, stream: Stream, tail: str) -> str:
    compact = re.sub(r"[^0-9A-Za-z]", "", text).upper()
    country, account = compact[:2], shape_like(compact[4:], stream)
    if tail and compact.endswith(tuple("0123456789")):
        account = account[: -len(tail)] + tail
    return pour(country + iban.calc_check_digits(country + "00" + account) + account, text)


def address_of_host(text: str, stream: Stream, *, reserve: int = 0) -> str:
    """Return a documentation address of the same family (RFC 5737, RFC 3849).

    ``reserve`` above 0 takes from larger ranges that nobody is given: benchmarking (RFC 2544), then class E (RFC 1112).
    """
    if ipaddress.ip_address(text).version == 4:
        if reserve:
            base, size = _BENCHMARKING if reserve == 1 else _CLASS_E
            return str(ipaddress.IPv4Address(base + stream.below(size)))
        return stream.choice(_DOCUMENTATION) + str(1 + stream.below(254))
    groups = ":".join(f"{stream.below(65_536):x}" for _ in range(6))
    return str(ipaddress.ip_address("2001:db8:" + groups))


def host_parts(text: str, internal: frozenset[str]) -> tuple[str, str]:
    """Return what of a host's name is somebody's and what stays: the network's own top level, and a port."""
    found = _PORT.fullmatch(text)
    name, port = (found[1], found[2]) if found else (text, "")
    labels = name.split(".")
    for first in range(1, len(labels)):
        if ".".join(labels[first:]).lower() in internal:
            return ".".join(labels[:first]), "." + ".".join(labels[first:]) + port
    return name, port


def coordinate(text: str, stream: Stream, *, extra: int = 0) -> str:
    """Return a coordinate with as many digits, its sign kept, the degrees no more than there are."""
    found = _DEGREES.fullmatch(text)
    if found is None:
        return digits_like(text, stream)
    whole, rest = found["whole"], found["rest"]
    most = _MOST_DEGREES.get(len(whole), 180)
    least = _LEAST_DEGREES.get(len(whole), 0)
    drawn = digits_like("1" * (len(rest) - 1 + extra), stream)
    return f"{found['sign']}{least + stream.below(most - least)}.{drawn}"


def mac(text: str, stream: Stream) -> str:
    """Return a locally administered hardware address in the original's spelling."""
    made = "02" + "".join(f"{stream.below(256):02x}" for _ in range(5))
    return pour(made.upper() if text.isupper() else made, text)


def secret(text: str, stream: Stream, prefixes: frozenset[str]) -> str:
    """Return a credential of the same shape; the vendor's known prefix stays, so that code can still tell its type."""
    prefix = max((prefix for prefix in prefixes if text.startswith(prefix)), key=len, default="")
    if not any(map(str.isalnum, text[len(prefix) :])):
        return prefix + "".join(char if char.isspace() else stream.choice(_SYMBOLS) for char in text[len(prefix) :])
    return prefix + shape_like(text[len(prefix) :], stream)


def is_random(text: str) -> bool:
    """Tell whether a text is a UUID or a hexadecimal digest, which are made of nothing else."""
    return _UUID.fullmatch(text) is not None or (len(text) >= _DIGEST and _HEX.fullmatch(text) is not None)


def record(text: str, stream: Stream, kept: frozenset[str], *, serials: bool = False) -> str:
    """Return a record id of the same shape: type words, separators and, with ``serials``, a short capital prefix stay.

    UUIDs keep version and variant.
    """
    if _UUID.fullmatch(text):
        return _uuid(text, stream)
    return _SEGMENT.sub(lambda found: _segment(found.group(), stream, kept, serials=serials), text)


def _segment(text: str, stream: Stream, kept: frozenset[str], *, serials: bool) -> str:
    """Return one run of letters and digits redrawn; hexadecimal digits stay such."""
    if _HEX.fullmatch(text):
        return shape_like(text, stream)
    pieces = _PIECE.findall(text)
    made: list[str] = []
    for index, piece in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else ""
        prefix = serials and piece.isupper() and len(piece) <= _MAX_PREFIX and following.isdigit()
        stays = (len(pieces) == 1 and piece.lower() in kept) or (prefix and len(following) >= _MIN_SERIAL)
        made.append(piece if piece.isalpha() and stays else shape_like(piece, stream))
    return "".join(made)


def _uuid(text: str, stream: Stream) -> str:
    plain = text.replace("-", "")
    drawn = "".join(f"{stream.below(16):x}" for _ in range(32))
    variant = plain[16]
    made = str(UUID(drawn[:12] + plain[12] + drawn[13:16] + variant + drawn[17:]))
    spelled = made if "-" in text else made.replace("-", "")
    return spelled.upper() if text.isupper() else spelled
