"""The case of a stand-in: that of the spelling at hand, letter by letter or as a whole."""

from __future__ import annotations

import re

from .draw import cased_like

_WORD = re.compile(r"[^\W\d_]+")


def is_mixed(text: str) -> bool:
    """Tell whether a text has small and capital letters."""
    return any(map(str.islower, text)) and any(map(str.isupper, text))


def like_each(text: str, surface: str) -> str:
    """Return a pseudonym with the case of another spelling, word by word and letter by letter.

    Values that differ in case alone are one to some systems and two to others: so their stand-ins do, too.
    """
    models = _WORD.findall(surface)
    if len(models) != len(_WORD.findall(text)):
        return like_whole(text, surface)
    models.reverse()
    return _WORD.sub(lambda word: _cased_word(word.group(), models.pop()), text)


def _cased_word(text: str, model: str) -> str:
    if len(text) != len(model) and not (is_mixed(model) and not model.istitle()):
        return cased_like(text.lower(), model)
    cases = (model[index * len(model) // len(text)] for index in range(len(text)))
    return "".join(char.upper() if case.isupper() else char.lower() for char, case in zip(text, cases, strict=True))


def like_whole(text: str, surface: str) -> str:
    """Return a pseudonym in all lower or all upper case where the spelling at hand is so, else as it was made."""
    letters = [char for char in surface if char.isalpha()]
    if letters and all(char.islower() for char in letters):
        return text.lower()
    if len(letters) > 1 and all(char.isupper() for char in letters):
        return text.upper()
    return text
