"""Numbers given by governments and makers, with their check digits: which scheme a text keeps, and stand-ins that keep it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

from stdnum.exceptions import ValidationError

from .draw import Stream, shape_like

# Modules of python-stdnum, the most telling first; the form says where one is worth asking.
_SCHEMES = (
    ("it.codicefiscale", r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"),
    ("mx.curp", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d"),
    ("br.cnpj", r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}|\d{14}"),
    ("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11}"),
    ("cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]"),
    ("ch.ssn", r"756\.\d{4}\.\d{4}\.\d{2}"),
    ("es.dni", r"\d{8}-?[A-Z]"),
    ("es.nie", r"[XYZ]-?\d{7}-?[A-Z]"),
    ("in_.pan", r"[A-Z]{5}\d{4}[A-Z]"),
    ("in_.aadhaar", r"\d{4} ?\d{4} ?\d{4}"),
    ("fr.nir", r"[12] ?\d{2} ?\d{2} ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}"),
    ("se.personnummer", r"\d{6}[-+]\d{4}"),
    ("pl.pesel", r"\d{11}"),
    ("gb.nhs", r"\d{3} ?\d{3} ?\d{4}"),
    ("ca.sin", r"\d{3}[ -]\d{3}[ -]\d{3}"),
    ("au.tfn", r"\d{3} ?\d{3} ?\d{3}"),
    ("nl.bsn", r"\d{9}"),
    ("us.ein", r"\d{2}-\d{7}"),
    ("eu.vat", r"[A-Z]{2}[A-Z0-9]{8,12}"),
)
# What is enough without a word beside it.
_TELLING = frozenset({name for name, _ in _SCHEMES[:12]} | {"eu.vat"})
_NINO = re.compile(r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]")
_DRAWS = 200
_ENDINGS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}")
_VIN_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True))
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def is_telling(text: str) -> bool:
    """Tell whether a text proves by itself to be somebody's official number."""
    return _NINO.fullmatch(text) is not None or any(name in _TELLING for name in _kept(text))


def is_vin(text: str) -> bool:
    """Tell whether a text is a vehicle identification number with its check digit (49 CFR 565.15)."""
    return _VIN.fullmatch(text) is not None and text[8] == _vin_check(text) and not text.isdecimal()


def stand_in(text: str, stream: Stream) -> str:
    """Return another text of the same shape that keeps the scheme which the original keeps, where one can be drawn."""
    if is_vin(text):
        drawn = _vin_letters(shape_like(text, stream), stream)
        return drawn[:8] + _vin_check(drawn) + drawn[9:]
    schemes = _kept(text)
    made = shape_like(text, stream)
    if not schemes:
        return _nino(text, made, stream) if _NINO.fullmatch(text) else made
    fits = _validator(schemes[0])
    alphabet = _ENDINGS if text[-1].isalpha() else _ENDINGS[:10]
    for _ in range(_DRAWS):
        for ending in alphabet:
            candidate = _anchored(text, made[:-1] + ending)
            if fits(candidate):
                return candidate
        made = shape_like(text, stream)
    return made


def _kept(text: str) -> tuple[str, ...]:
    return tuple(name for name, form in _SCHEMES if re.fullmatch(form, text) and _validator(name)(text))


def _anchored(text: str, candidate: str) -> str:
    """Return a candidate with the letters that name a country or a kind put back."""
    head = re.match(r"[A-Z]{2}(?=[A-Z0-9]{8,12}$)|[XYZ](?=-?\d{7})|756", text)
    return head.group() + candidate[head.end() :] if head else candidate


@cache
def _validator(name: str) -> Callable[[str], bool]:
    # Loaded at the first number of such a form: most traces hold none.
    module = import_module("stdnum." + name)

    def fits(text: str) -> bool:
        try:
            module.validate(text)
        except ValidationError:
            return False
        return True

    return fits


def _nino(text: str, made: str, stream: Stream) -> str:
    prefix = stream.choice("ABCEGHJKLMPRSTWXYZ") + stream.choice("ABCEGHJKLMPRSTWXYZ")
    prefix = "AB" if prefix in {"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"} else prefix
    return prefix + made[2:-1] + text[-1]


def _vin_letters(drawn: str, stream: Stream) -> str:
    return "".join(stream.choice("ABCDEFGHJKLMNPRSTUVWXYZ") if char in "IOQ" else char for char in drawn)


def _vin_check(text: str) -> str:
    values = (int(char) if char.isdigit() else _VIN_VALUES[char] for char in text)
    remainder = sum(value * weight for value, weight in zip(values, _VIN_WEIGHTS, strict=True)) % 11
    return "X" if remainder == 10 else str(remainder)
