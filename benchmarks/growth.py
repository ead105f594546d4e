"""How the time of redaction grows with the length of a text that is meant to be hard: four times the text, how many times the time."""

from __future__ import annotations

import logging
import time

from extractor import ruleset
from extractor.errors import ExtractFixtureError
from extractor.model.config import RunConfig
from extractor.redact import WorkspaceKey, redact_documents

UNITS = (
    "a.", "1.", "@", '"', "\\", "-", "{", "[", "%", "=", "&", ":", "_", "1", "a1", "a", "A", " ", "\n", "/", "#", "<", "'",
    "a@", "1-", "1 ", "a=b&", "é", "\u200b", "QmFzZTY0", "password=", "http://", "eyJ.", "Cookie: a=", "&#64;", "\\u0041", "%41",
    '{"a":', "[{", "a=1;", "a: ", "x://y:z@", "passport ", "<a>", "Ab ",
)  # fmt: skip
SIZES = (250_000, 1_000_000)
PROSE = "The parcel for Oda Marlow, 12 Elm Row, left the depot on Monday and should arrive in two days; thank you. "
PROSE_SIZES = (50_000, 200_000)
RULES, KEY, CONFIG = ruleset.load(), WorkspaceKey(material=bytes(range(32))), RunConfig()


def main() -> None:
    """Print seconds for the larger size and the ratio of the two, per kind of text; four is proportional."""
    logging.disable(logging.CRITICAL)
    taken("My name is Oda Marlow.")  # loads the model
    for unit in UNITS:
        report(unit.encode("unicode_escape").decode(), unit, SIZES)
    report("prose", PROSE, PROSE_SIZES)


def report(name: str, unit: str, sizes: tuple[int, int]) -> None:
    """Print one line."""
    small, large = (taken((unit * (size // len(unit) + 1))[:size]) for size in sizes)
    print(
        f"  {name:14} {sizes[1]:9,} characters: {large[0]:7.2f} s, {large[0] / max(small[0], 1e-3):4.1f} times; {large[1]}",
        flush=True,
    )


def taken(text: str) -> tuple[float, str]:
    """Return the processor seconds of redacting a text, and what came of it."""
    start = time.process_time()
    try:
        (made,) = redact_documents([text], RULES, CONFIG, KEY)
        said = "unchanged" if made == text else "redacted"
    except ExtractFixtureError as refusal:
        said = f"refused: {refusal.message}"
    return time.process_time() - start, said


if __name__ == "__main__":
    main()
