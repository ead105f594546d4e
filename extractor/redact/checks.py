"""Named checks of pattern rules: whether a text really has the form that the pattern suggests."""

from __future__ import annotations

import ipaddress
import math
import re
import unicodedata
from collections import Counter

from stdnum import iban as _iban
from stdnum import luhn as _luhn
from stdnum.exceptions import ValidationError

from ..ruleset import given_names, vocabulary
from . import official as _official
from .cues import words
from .fold import folded

_NON_DIGIT = re.compile(r"\D")
_EPOCH_RANGES = ((10**9, 22 * 10**8), (10**12, 22 * 10**11), (10**15, 22 * 10**14), (10**18, 22 * 10**17))
_COMPACT_TIME = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?")


def digits(text: str) -> str:
    """Return only the digits of a text."""
    return _NON_DIGIT.sub("", text)


def card(text: str) -> bool:
    """Tell whether the digits are a payment card number: an issuer's range, its length, the Luhn digit."""
    number = digits(text)
    if not 13 <= len(number) <= 19 or len(set(number)) == 1 or number[0] not in "23456":
        return False
    return _luhn.is_valid(number) and not instant(text)


def instant(text: str) -> bool:
    """Tell whether a digit run reads as an epoch time (s, ms, us, ns) or a compact date and time."""
    if not text.isdigit():
        return False
    if _COMPACT_TIME.fullmatch(text):
        return True
    value = int(text[:20])
    return any(low <= value < high and len(text) == len(str(low)) for low, high in _EPOCH_RANGES)


def iban(text: str) -> bool:
    """Tell whether a text is an IBAN (ISO 13616), check digits and country's structure included."""
    try:
        _iban.validate(text)
    except ValidationError:
        return False
    return True


def us_ssn(text: str) -> bool:
    """Tell whether nine digits could be a US social security number (never issued areas are still personal data here)."""
    number = digits(text)
    return len(number) == 9 and number[3:5] != "00" and number[5:] != "0000" and number[:3] != "000"


def ip(text: str) -> bool:
    """Tell whether a text is an IP address of somebody: not unspecified, not loopback."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.version == 6 and (len(text) < 5 or text.count(":") < 2 or not any(char.isdigit() for char in text)):
        return False
    return not (
        address.is_unspecified or address.is_loopback or text.endswith(".0.0.0") or text.startswith("255.")
    )  # Chrome/120.0.0.0, masks


def phone(text: str) -> bool:
    """Tell whether the digits could be dialled: 10 to 15 of them, no time, no date, no repeated one."""
    number = digits(text)
    if not 10 <= len(number) <= 15 or len(set(number)) < 3:
        return False
    return not instant(text) and not re.match(r"(?:19|20)\d\d-\d\d-\d\d", text)


def random_text(text: str) -> bool:
    """Tell whether a token looks drawn at random: letters and digits mixed, hardly a repeated pair."""
    if len(text) < 16 or edition(text) or _is_named(text):
        return False
    pieces = _LOGIN_PIECE.findall(text)
    if sum(map(len, filter(str.isdigit, pieces))) <= _FEW_DIGITS and all(
        piece.isdigit() or piece.lower() in vocabulary() or len(piece) == 1 for piece in pieces
    ):
        return False  # v3-MaritalStatus
    classes = sum((any(map(str.isdigit, text)), any(map(str.islower, text)), any(map(str.isupper, text))))
    counts = Counter(text)
    entropy = -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
    return classes >= 2 and any(map(str.isdigit, text)) and entropy >= 3.0


def long_number(text: str) -> bool:
    """Tell whether a digit run is an identifier rather than a time or a round number."""
    return len(text) >= 8 and not instant(text) and not text.endswith("00000") and not _DATE.fullmatch(text)


_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")


def identifier(text: str) -> bool:
    """Tell whether a value under an ``…_id`` member identifies something: it has a digit, or is long and no plain word."""
    return any(map(str.isdigit, text)) and len(text) >= 3 and " " not in text.strip()


def no_ordinal(text: str) -> bool:
    """Tell whether an id is more than a word with a small number: ``call_1`` and ``R-88`` name a place in a list."""
    return _ORDINAL.fullmatch(text) is None and not edition(text)


def key_text(text: str) -> bool:
    """Tell whether a caller's own key is more than a word with a small number, or words alone: ``per-request``."""
    return _ORDINAL.fullmatch(text) is None and (any(map(str.isdigit, text)) or no_plain_words(text))


def edition(text: str) -> bool:
    """Tell whether words with a month, a day or a version name an edition of something: ``refunds-2026-08-01``.

    Before a whole day stand also names of models, as in ``gpt-4o-2024-08-06``.
    """
    found = _EDITION.fullmatch(text)
    if found is None:
        return False
    pieces = re.split("[_-]", found[1])
    short = _MODEL_PIECE if _WHOLE_DAY.search(text) else 0
    return all(piece.lower() in vocabulary() or len(piece) <= short for piece in pieces)


_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_ORDINAL = re.compile(r"(?:[A-Za-z]+[_-])+\d{1,2}")
_MODEL_PIECE = 3  # characters
_WHOLE_DAY = re.compile(r"[_-]20\d\d[_-]?(?:0[1-9]|1[0-2])[_-]?(?:0[1-9]|[12]\d|3[01])$")
_EDITION = re.compile(
    r"([A-Za-z]+(?:[_-][A-Za-z0-9.]+)*?)[_-]"
    r"(?:20\d\d(?P<mark>[_-]?)(?:0[1-9]|1[0-2])(?:(?P=mark)(?:0[1-9]|[12]\d|3[01]))?|[vV]\d{1,2}(?:\.\d{1,2}){0,2})"
)


def mixed_token(text: str) -> bool:
    """Tell whether a token mixes letters and digits as record ids do: `ORD-7Q2K9` but not `v1.2`, `80mm` or `HAT030`."""
    letters = sum(map(str.isalpha, text))
    number = sum(map(str.isdigit, text))
    if number < 2 or letters < 1 or len(text) < 6:
        return False
    return not any(form.fullmatch(text) for form in (_MEASURE, _WORDS, _MODEL)) and not _is_named(text)


def _is_named(text: str) -> bool:
    """Tell whether somebody made a name of words, with a figure or two: ``k8s_get_resources``, ``temperature_2m_max``."""
    pieces = re.split("[_-]", text)
    words = sum(len(piece) > 2 and piece.lower() in vocabulary() for piece in pieces)
    figures = sum(_FIGURE.fullmatch(piece) is not None for piece in pieces)
    return words > 1 and words + figures == len(pieces)


def filed_number(text: str) -> bool:
    """Tell whether groups of capitals and digits number a record: ``RA-88213-7``, but no day, type (``A320-214``), standard or amount."""
    pieces = re.split(r"[./-]", text)
    first = pieces[0]
    if first in _STANDARDS or _MONTHS.intersection(pieces) or any(map(_ALGORITHM.match, pieces)) or _is_named(text):
        return False
    if "." in text and not (len(first) > 1 and first.isalpha()):
        return False  # the end of a path, the version of a file
    figures = sum(map(str.isdigit, text))
    own = figures - sum(len(piece) for piece in pieces if _YEAR.fullmatch(piece))
    if sum(not piece.isalpha() and not piece.isdigit() for piece in pieces) > 1:
        return own >= _MIN_SERIAL_DIGITS and len(pieces) > 2  # groups that mix both, as of vouchers
    return own >= (_MIN_SERIAL_DIGITS if first.isalpha() else _MIN_NUMBERED) and figures >= _MIN_FILED


def serial(text: str) -> bool:
    """Tell whether a prefixed id has a serial of its own: ``card_4242``, but not the member name ``card_last4``."""
    return sum(map(str.isdigit, text)) >= _MIN_SERIAL_DIGITS


def cued_token(text: str) -> bool:
    """Tell whether a token that the words before it call a record may be one: a digit and a letter, or six digits."""
    letters = sum(map(str.isalpha, text))
    number = sum(map(str.isdigit, text))
    if _MEASURE.fullmatch(text) or _ANY_DATE.fullmatch(text):
        return False
    return number > 0 and (letters > 0 or number >= _MIN_CUED_DIGITS)


def labelled_number(text: str) -> bool:
    """Tell whether what stands behind the word for a number of a record may be one: three digits, and no day, year or measure."""
    if _MEASURE.fullmatch(text) and not text.isdigit():
        return False
    plain = _ANY_DATE.fullmatch(text) is None and _YEAR.fullmatch(text) is None
    return plain and sum(map(str.isdigit, text)) >= _MIN_SERIAL_DIGITS


def no_word(text: str) -> bool:
    """Tell whether letters alone are a code: no ordinary word of the vocabulary."""
    return text.lower() not in vocabulary()


def no_plain_words(text: str) -> bool:
    """Tell whether a text is more than ordinary words and numbers side by side, as `SUMMER-SALE-2026`."""
    pieces = re.findall(r"[A-Za-z0-9]+", text)
    return not all(piece.isdigit() or piece.lower() in vocabulary() for piece in pieces)


def street_words(text: str) -> bool:
    """Tell whether the words between a number and a lower-case street word could be a street's name."""
    return not any(word in _SENTENCE_WORDS for word in text.lower().split()[1:-1])


def foreign_words(text: str) -> bool:
    """Tell whether a street has a word that is no English one: `Via Garibaldi 9`, but not `Via Email 2`."""
    return any(word.lower() not in vocabulary() for word in _LETTERS.findall(text) if len(word) > 3)


def no_role(text: str) -> bool:
    """Tell whether Japanese before a word of respect is no customer, guest or other role."""
    return not text.endswith(_ROLES)


def korean_name(text: str) -> bool:
    """Tell whether Korean syllables begin with a common family name and are no noun with a particle."""
    syllables = unicodedata.normalize("NFC", text)
    return 2 <= len(syllables) <= 4 and syllables[0] in _KOREAN_FAMILY and syllables[-1] not in _KOREAN_PARTICLES


_MIN_FILED = 5  # digits
_MIN_NUMBERED = 7  # digits after letters that have some of their own
_ALGORITHM = re.compile(r"(?:SHA|AES|RSA|MD|HMAC|AWS|GOOG|ES|RS|HS|PS)-?\d")
_STANDARDS = frozenset(
    (
        "ISO",
        "IEC",
        "EN",
        "DIN",
        "IEEE",
        "RFC",
        "ANSI",
        "NIST",
        "UTC",
        "GMT",
        "CVE",
        "CWE",
        "GHSA",
        "SHA",
        "AES",
        "RSA",
        "UTF",
        "HTTP",
        "TLS",
        "USB",
        "USD",
        "EUR",
        "GBP",
        "JPY",
    )
)
_MONTHS = frozenset(("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "SEPT", "OCT", "NOV", "DEC"))
_LETTERS = re.compile(r"[^\W\d_]+")
_SENTENCE_WORDS = words(
    "a an and are at by day days down feet for from hour hours in is it km lane lanes metres meters mile miles min mins minute minutes of off on one onto out over people per that the then there this to up was way with yard yards"
)
_ROLES = ("客", "皆", "神", "王", "殿", "仏", "奥", "俺", "貴")
_KOREAN_PARTICLES = frozenset("을를은는이가에의로도")
_KOREAN_FAMILY = frozenset(
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염추도석선설마길연위표명기반"
)
_MIN_CUED_DIGITS = 6
_ANY_DATE = re.compile(r"20\d\d-(?:0[1-9]|1[0-2])|\d{4}-\d{1,2}-\d{1,2}(?:T.*)?|\d{1,2}-\d{1,2}-\d{4}")
_MIN_SERIAL_DIGITS = 3
_FIGURE = re.compile(r"[A-Za-z]{0,2}\d{1,2}[A-Za-z]{0,2}|[A-Za-z]{1,2}")
_MODEL = re.compile(r"(?:[A-Za-z]+[-_])+\d{1,4}[A-Za-z]{1,8}")  # net-30days, rtx-4090ti: a word, a figure, a unit
_MEASURE = re.compile(r"\d+(?:[.,]\d+)?[A-Za-z]{1,5}|[A-Za-z]{1,5}\d{1,3}|\d+(?:st|nd|rd|th)|\d+x\d+(?:x\d+)?[a-z]*")
_WORDS = re.compile(r"(?:[A-Za-z]+[-_])*[A-Za-z]+(?:[-_]?\d{1,4}[a-z]?)?(?:[-_.]\d{1,4})*")


def official(text: str) -> bool:
    """Tell whether letters and check digits prove a text to be a number that a government gave to somebody."""
    return _official.is_telling(text)


def official_number(text: str) -> bool:
    """Tell whether a text that the words before it call an official number may be one: five digits, no date, no amount."""
    number = digits(text)
    if len(number) < _MIN_OFFICIAL_DIGITS or _ANY_DATE.fullmatch(text) or _DAY_AND_MONTH.fullmatch(text):
        return False
    return _AMOUNT.fullmatch(text) is None and not (text.isdigit() and text.endswith("000"))


def vin(text: str) -> bool:
    """Tell whether a text is a vehicle identification number, check digit included."""
    return _official.is_vin(text)


def no_year(text: str) -> bool:
    """Tell whether digits are no year of this or the last century."""
    return _YEAR.fullmatch(text) is None


def letters_and_digits(text: str) -> bool:
    """Tell whether a text has both letters and digits."""
    return any(map(str.isalpha, text)) and any(map(str.isdigit, text))


def login_like(text: str) -> bool:
    """Tell whether a text may be somebody's login: it is more than ordinary words, however they are joined."""
    pieces = _LOGIN_PIECE.findall(text)
    return any(piece.isdigit() and len(piece) > 1 for piece in pieces) or any(
        len(piece) > 1 and not piece.isdigit() and piece.lower() not in vocabulary() and piece.lower() not in _NO_LOGIN
        for piece in pieces
    )


def no_version(text: str) -> bool:
    """Tell whether a text is no version (``v2``) and no year."""
    return _VERSION.fullmatch(text) is None and _YEAR.fullmatch(text) is None


def no_mask(text: str) -> bool:
    """Tell whether a text is more than one character repeated, as hidden passwords are shown."""
    return len(set(text)) > 1


def no_plain_code(text: str) -> bool:
    """Tell whether a value is more than ordinary words and short numbers: ``same-origin`` or ``en-US`` open nothing."""
    return any(
        len(piece) > _SHORT_PIECE and (any(map(str.isdigit, piece)) or piece.lower() not in vocabulary())
        for piece in re.findall(r"[A-Za-z0-9]+", text)
    )


def host_like(text: str) -> bool:
    """Tell whether a text names a machine: it has a dot, a dash or a digit, and is no attribute of a program."""
    first, _, rest = text.partition(".")
    if first in _OBJECTS or text.endswith((".", "-")):
        return False
    return bool(rest) or any(map(str.isdigit, text)) or "-" in text


def pod(text: str) -> bool:
    """Tell whether the last two parts of a name are a hash and a suffix that Kubernetes drew: letters and digits mixed."""
    *_, drawn, suffix = text.split("-")
    return letters_and_digits(drawn) and not (suffix.isdigit() and drawn.isdigit())


_MIN_OFFICIAL_DIGITS = 5
_SHORT_PIECE = 3
_FEW_DIGITS = 3
_DAY_AND_MONTH = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")
_AMOUNT = re.compile(r"\d{1,3}(?:[.,]?\d{3})*[.,]\d{2}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERSION = re.compile(r"[vV]?\d{1,2}(?:\.\d{1,3}){0,3}")
_LOGIN_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_NO_LOGIN = frozenset(
    {"auth", "api", "config", "ctx", "env", "sso", "oauth", "svc", "srv", "www", "tmp", "sys", "db", "ops", "dev"}
)
_OBJECTS = frozenset(
    {"self", "this", "config", "settings", "window", "module", "cls", "threading", "app", "env", "locals"}
)


def named(text: str) -> bool:
    """Tell whether a text of a person's member names one: a word that is none of the language, or several capitalised."""
    words = _NAME_WORD.findall(text)
    if not 1 <= len(words) <= _MOST_NAME_WORDS or words[-1].lower() in _COMPANY:
        return False
    capitalised = [word for word in words if word[0].isupper()]
    return len(capitalised) > 1 or any(map(_is_no_word, words))


def named_other_than_words(text: str) -> bool:
    """Tell whether a text has a capitalised word that is no ordinary one: `Oda Marlow`, but neither `Customer Support` nor `JFK`."""
    words = _NAME_WORD.findall(text)
    if not 1 <= len(words) <= _MOST_NAME_WORDS or words[-1].lower() in _COMPANY:
        return False
    if len(words) == 1 and (not words[0][1:].islower() or text.strip() != words[0]):
        return False  # a code, or a part of one
    return any(word[0].isupper() and _is_no_word(word) for word in words)


def listed_name(text: str) -> bool:
    """Tell whether a text is a person's name by lists: a given name first, and what comes last is no ordinary word."""
    words = text.replace("\u2019", "'").split()
    if not 2 <= len(words) <= _MOST_LISTED or not all(word[0].isupper() for word in words):
        return False
    first, last = folded(words[0]), folded(words[-1])
    given = first in given_names() or first.partition("-")[0] in given_names()  # Jean-Baptiste
    return given and last not in vocabulary() and last not in _COMPANY and re.sub("['-]", "", last).isalpha()


def _is_no_word(word: str) -> bool:
    return len(word) > 1 and word.lower() not in vocabulary()


_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MOST_NAME_WORDS = 6
_MOST_LISTED = 4
_COMPANY = frozenset(
    {
        "ag", "care", "center", "centre", "department", "desk", "helpdesk", "office", "operations", "service", "staff", "support",
        "airlines", "airways", "app", "bank", "bot", "bv", "cloud", "co", "company", "corp", "corporation", "foundation", "gmbh", "group",
        "hotel", "hotels", "inc", "insurance", "limited", "llc", "llp", "logistics", "ltd", "nv", "oy", "partners", "pay", "plc", "pty", "sa",
        "sarl", "services", "solutions", "srl", "store", "systems", "team", "technologies", "university", "shop", "express",
    }
)  # fmt: skip
