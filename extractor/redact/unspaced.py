"""Names in scripts that put no space between words: which part is the family name, which the given one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

_HANGUL = re.compile(r"[\uac00-\ud7a3]{3,5}")
_HAN = re.compile(r"[\u3400-\u9fff\u3005]{1,3}[\u3005\u3040-\u30ff\u3400-\u9fff]{1,4}")
_LEAST = 3  # characters: in shorter names the given one is a single character, which tells nobody
_LONGEST_FAMILY = 3


def family_and_given(name: str, families: Collection[str]) -> tuple[str, str] | None:
    """Return the two parts of a full name without a space, composed; None where no listed family name begins it.

    The longest family name counts: 田中陽子 is 田中 and 陽子, 欧阳小莉 is 欧阳 and 小莉.
    """
    composed = unicodedata.normalize("NFC", name)
    if len(composed) < _LEAST or not (_HANGUL.fullmatch(composed) or _HAN.fullmatch(composed)):
        return None
    for length in range(min(_LONGEST_FAMILY, len(composed) - 1), 0, -1):
        if composed[:length] in families:
            return composed[:length], composed[length:]
    return None
