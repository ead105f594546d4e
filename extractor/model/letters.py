"""Letters that Unicode does not take apart, and the signs that people write for an apostrophe."""

from __future__ import annotations

from typing import Final

PLAIN: Final = str.maketrans(
    {
        **dict(zip("øØłŁđĐðÐħĦŧŦı", "oOlLdDdDhHtTi", strict=True)),
        **dict(zip("æÆœŒþÞ", ("ae", "AE", "oe", "OE", "th", "TH"), strict=True)),
        **dict.fromkeys("\u2019\u2018\u02bc", "'"),
    }
)
"""What stands for each on a keyboard without it, for `str.translate`."""
