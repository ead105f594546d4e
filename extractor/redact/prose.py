"""Persons in free text: Presidio over spaCy's named entities, batched, each distinct text once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import ExtractFixtureError, RedactionRefused
from ..model.config import Nlp

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine, RecognizerResult
    from presidio_analyzer.nlp_engine import NlpArtifacts

MAX_CHUNK = 50_000  # characters; spaCy refuses a million and takes 2.3 kB of memory for each
_OVERLAP = 200
_MOST_REMEMBERED = 16_000_000  # characters of texts kept with what was found in them; a stream of documents has no end
_WORDS = re.compile(r"[^\W\d_]{2,}", re.UNICODE)
_MIN_WORDS = 3
_MIN_LETTERS = 0.6
_CAPITALISED = re.compile(r"[^\W\d_]*[A-Z][^\W\d_]+(?:['’-][^\W\d_]+)*\.?", re.UNICODE)
_EDGE = " \t\n*_`'\"’.,:;!?()[]{}<>#|-–—"
_POSSESSIVE = re.compile(r"['’]s$")
NAMING_CUE = re.compile(
    r"(?:\b(?:mr|mrs|ms|mx|dr|prof|sir|madam|hi|hello|hey|dear|thanks|thank you|sincerely|regards)[.,]?"
    r"|\b(?:name is|name's|i am|i'm|this is|called|named|signed|contact|passengers?|customer|traveler|traveller)\b:?)"
    r"[\s*]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A person's name in prose. ``corroborated``: several capitalised words, or a naming cue right before it.

    What a team's own recognizer calls anything but a person is ``foreign``; ``rule`` then names its entity type.
    """

    text: str = field(repr=False)
    rule: str
    corroborated: bool
    foreign: bool = False


def is_prose(text: str) -> bool:
    """Tell whether a text is something a person would read: several words, mostly letters and spaces."""
    words = _WORDS.findall(text)
    if len(words) < _MIN_WORDS:
        return False
    return sum(char.isalpha() or char.isspace() for char in text) >= _MIN_LETTERS * len(text)


class ProseReader:
    """Finds persons with one loaded model; keeps what it found per text, since a trace repeats its history."""

    def __init__(self, settings: Nlp) -> None:
        self._settings = settings
        self._engine: AnalyzerEngine | None = None
        self._seen: dict[str, tuple[Finding, ...]] = {}
        self._remembered = 0

    def by_text(self, texts: Iterable[str]) -> Iterator[tuple[str, tuple[Finding, ...]]]:
        """Yield each text with its findings, in the order of the texts sorted."""
        ordered = sorted(texts)
        if self._remembered > _MOST_REMEMBERED:
            self._seen.clear()
            self._remembered = 0
        self._read([text for text in ordered if text not in self._seen])
        for text in ordered:
            yield text, self._seen[text]

    def _read(self, texts: list[str]) -> None:
        if not texts:
            return
        if self._engine is None:
            from ._analyzer import build  # spaCy takes seconds to import: only when there is prose

            self._engine = build(self._settings)
        # spaCy takes no lone surrogate; a question mark in its place keeps every position.
        readable = {text: text.encode("utf-8", "replace").decode("utf-8") for text in texts}
        chunks = [(text, chunk) for text in texts for chunk in _chunks(readable[text])]
        found: dict[str, list[Finding]] = {text: [] for text in texts}
        nlp = self._engine.nlp_engine
        language = self._settings.language
        batch = nlp.process_batch([chunk for _, chunk in chunks], language=language, batch_size=64)
        entities = self._engine.get_supported_entities(language)
        for (text, chunk), (_, artifacts) in zip(chunks, batch, strict=True):
            for result in self._analyzed(chunk, entities, artifacts):
                if result.entity_type == "PERSON":
                    found[text].extend(_findings(chunk, result.start, result.end))
                else:
                    rule = "recognizer." + result.entity_type.lower()
                    part = chunk[result.start : result.end]
                    found[text].append(Finding(text=part, rule=rule, corroborated=False, foreign=True))
        self._remembered += sum(map(len, texts))
        self._seen.update({text: tuple(findings) for text, findings in found.items()})

    def _analyzed(self, chunk: str, entities: list[str], artifacts: NlpArtifacts) -> list[RecognizerResult]:
        if self._engine is None:
            return []
        try:
            results: list[RecognizerResult] = self._engine.analyze(
                chunk, language=self._settings.language, entities=entities, nlp_artifacts=artifacts
            )
        except ExtractFixtureError:
            raise
        except Exception:  # noqa: BLE001  # a team's recognizer may raise anything; skipped, it would have found nothing
            raise RedactionRefused("a recognizer failed on a text") from None
        return results


def _chunks(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > MAX_CHUNK:
        cut = text.rfind(" ", start + MAX_CHUNK // 2, start + MAX_CHUNK)
        cut = start + MAX_CHUNK if cut < 0 else cut
        yield text[start:cut]
        start = cut - _OVERLAP
    yield text[start:]


def _findings(chunk: str, start: int, end: int) -> Iterator[Finding]:
    """Yield the names of one person span, one a line; what is no capitalised word is no part of a name."""
    for line in re.finditer(r"[^\n,;:|/()]+", chunk[start:end]):
        name = _POSSESSIVE.sub("", line.group().strip(_EDGE))
        words = name.split()
        while words and not _CAPITALISED.fullmatch(words[0]):
            words.pop(0)
        while words and not _CAPITALISED.fullmatch(words[-1]):
            words.pop()
        if not words or any(any(map(str.isdigit, word)) for word in words):
            continue
        before = chunk[max(0, start - 40) : start + line.start()]
        cue = NAMING_CUE.search(before) is not None
        rule = "cue" if cue else "model"
        yield Finding(text=" ".join(words), rule=rule, corroborated=cue or len(words) > 1)
