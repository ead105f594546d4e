"""Build rules/vocabulary/en.txt from a word frequency list, without given and family names.

Run in a throwaway environment: ``pip install symspellpy==6.10.1 names==0.3.0``, then
``python scripts/make_vocabulary.py``. Sources, licences and the test for names: rules/vocabulary/README.md.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "rules" / "vocabulary" / "en.txt"
GIVEN, FAMILY = ("dist.female.first", "dist.male.first"), ("dist.all.last",)
GUIDES = frozenset(
    [
        "the",
        "a",
        "an",
        "to",
        "your",
        "is",
        "are",
        "be",
        "was",
        "not",
        "very",
        "more",
        "this",
        "these",
        "any",
        "some",
        "no",
        "can",
        "all",
        "each",
        "new",
        "may",
        "would",
        "you",
        "they",
        "we",
    ]
)
"""Ordinary words follow these; names hardly ever do."""
GUIDED = {GIVEN: 0.6, FAMILY: 0.1}
"""A name stays a word when its pairs with guides reach this part of its own count; given names are held to more."""
FAMILY_SHARE = 0.5
"""A family name stays one too when its share of running text is this part of its share of all family names."""
MOST_WORDS = 42_000
COLOURS = "black blue brown gold gray green grey orange pink purple red silver white yellow"
CALENDAR = (
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday"
)
SPARED = "accessory cheers else fails favor fulfillment fulfillments gear lace pepper sees sells speaks tier tuner"
"""Words that the tests for names take for names."""
COMPUTING = (
    "api apis app apps async backend boolean cache cached chatbot checkout cli config css csv database datetime debug "
    "deserialize dns email emails endpoint endpoints enum env exe exec frontend ftp gateway gpt gui gzip hostname html "
    "http https idempotency idempotent iframe int ip iso javascript jpeg jpg json jwt kb lang latency llm localhost "
    "login logout lookup md5 metadata middleware mcp mb ms namespace null oauth offline ok online openapi org params "
    "pdf plaintext png pong popup postgres prod proxy pseudonym py queryable refundable regex repo retryable rpc runtime "
    "schema sdk serialize sha sha1 sha256 smartphone sms sql ssl stderr stdin stdout str subprocess sudo svg sync "
    "timestamp timeout timeouts timezone tls toml traceback tuple txt ui unsubscribe upsert uri url urls usb usd username utc utf "
    "uuid versioned webhook webhooks website wifi workflow xml yaml zip"
)


def folder(package: str) -> Path:
    """Return where a package is installed; ends the run when it is not."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        sys.exit(f"{package} is not installed here: see the top of this script")
    return Path(spec.origin).parent


def shares(files: tuple[str, ...]) -> dict[str, float]:
    """Return the census share, in per cent, of each name of some files."""
    lines = [line.split() for file in files for line in (folder("names") / file).read_text("ascii").splitlines()]
    return {name.lower(): max(float(percent), 0.005) for name, percent, *_ in lines}


def guided_counts() -> Counter[str]:
    """Return how often each word follows one of the guides."""
    guided: Counter[str] = Counter()
    file = folder("symspellpy") / "frequency_bigramdictionary_en_243_342.txt"
    for line in file.read_text("utf-8-sig").splitlines():
        first, second, count = line.split()
        if first in GUIDES:
            guided[second] += int(count)
    return guided


def main() -> None:
    """Write the word list, one lower-case word a line, sorted."""
    lines = (folder("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text("utf-8-sig").splitlines()
    counts = {word: int(count) for word, count in (line.split() for line in lines)}
    kept_always = set(f"{COLOURS} {CALENDAR} {COMPUTING} {SPARED}".split())
    total = sum(counts.values())
    guided = guided_counts()
    names = {
        name
        for files, least in GUIDED.items()
        for name, percent in shares(files).items()
        if guided[name] < least * counts.get(name, 1)
        and (files == GIVEN or 100 * counts.get(name, 0) / total < FAMILY_SHARE * percent)
    }
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    words = [word for word in ranked if word.isascii() and (len(word) > 1 or word in "ai")]
    chosen = set([word for word in words if word not in names][:MOST_WORDS]) | kept_always
    TARGET.write_text("".join(word + "\n" for word in sorted(chosen)), "ascii")


if __name__ == "__main__":
    main()
