"""Persons in free text: Presidio over spaCy's named entities, and cues of our own; batched, each distinct text once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import ExtractFixtureError, RedactionRefused
from ..model.config import Nlp
from . import alone, blocks
from .cover import Cover
from .named import Names

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
_PLACES = frozenset({"GPE", "LOC", "LOCATION", "FAC"})
_THINGS = _PLACES | {"ORG", "ORGANIZATION", "PRODUCT", "NORP", "NRP", "WORK_OF_ART", "EVENT"}
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
    ``alone`` findings count only in text that stands alone, where they stand: ``start`` and ``end``, as ``entity``.
    """

    text: str = field(repr=False)
    rule: str
    corroborated: bool
    foreign: bool = False
    alone: bool = False
    entity: str = "person"
    start: int = 0
    end: int = 0


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

    def load(self) -> AnalyzerEngine:
        """Return the engine with its model, which is loaded once. Raises what `_analyzer.build` raises."""
        if self._engine is None:
            from ._analyzer import build  # spaCy takes seconds to import: only when there is prose

            self._engine = build(self._settings)
        return self._engine

    def _read(self, texts: list[str]) -> None:
        if not texts:
            return
        # spaCy takes no lone surrogate; a question mark in its place keeps every position.
        readable = {text: text.encode("utf-8", "replace").decode("utf-8") for text in texts}
        chunks = [(text, start, chunk) for text in texts for start, chunk in _placed(readable[text])]
        found = {text: _Read(readable[text]) for text in texts}
        with self.load().nlp_engine.nlp[self._settings.language].memory_zone():
            self._judge(chunks, found)
        self._remembered += sum(map(len, texts))
        self._seen.update({text: tuple(read.findings(self._settings.entities)) for text, read in found.items()})

    def _judge(self, chunks: Sequence[tuple[str, int, str]], found: Mapping[str, _Read]) -> None:
        """Put into ``found`` what model and recognizers say of each chunk: text, where it begins, and what it holds.

        spaCy remembers every word that it meets; in a zone of its own it forgets those of these texts at the end, so that a process may
        read without bounds. Nothing that it makes may leave the zone.
        """
        nlp = self.load().nlp_engine
        language = self._settings.language
        batch = nlp.process_batch([chunk for _, _, chunk in chunks], language=language, batch_size=64)
        entities = self.load().get_supported_entities(language)
        for (text, offset, chunk), (_, artifacts) in zip(chunks, batch, strict=True):
            read = found[text]
            read.model.extend(
                (offset + one.start_char, offset + one.end_char, one.label_) for one in artifacts.entities
            )
            for result in self._analyzed(chunk, entities, artifacts):
                if result.entity_type == "PERSON":
                    read.persons.append((offset + result.start, offset + result.end))
                else:
                    rule = "recognizer." + result.entity_type.lower()
                    part = chunk[result.start : result.end]
                    read.foreign.append(Finding(text=part, rule=rule, corroborated=False, foreign=True))

    def _analyzed(self, chunk: str, entities: list[str], artifacts: NlpArtifacts) -> list[RecognizerResult]:
        try:
            results: list[RecognizerResult] = self.load().analyze(
                chunk, language=self._settings.language, entities=entities, nlp_artifacts=artifacts
            )
        except ExtractFixtureError:
            raise
        except Exception:  # noqa: BLE001  # a team's recognizer may raise anything; skipped, it would have found nothing
            raise RedactionRefused("a recognizer failed on a text") from None
        return results


@dataclass(slots=True)
class _Read:
    """What was read in one text: what the model calls a person, all its entities, and what a team's recognizers found."""

    text: str
    persons: list[tuple[int, int]] = field(default_factory=list)
    model: list[tuple[int, int, str]] = field(default_factory=list)
    foreign: list[Finding] = field(default_factory=list)

    def findings(self, entities: Iterable[str]) -> Iterator[Finding]:
        """Yield all that was found, the model's own first."""
        yield from self.foreign
        places, things = (
            Cover(len(self.text), ((start, end) for start, end, label in self.model if label in labels))
            for labels in (_PLACES, _THINGS)
        )
        names = Names(self.text, place=places.touches, thing=things.touches)
        found: list[tuple[int, int]] = []
        if "PERSON" in entities:
            for start, end in self.persons:
                yield from _findings(self.text, *names.trimmed(start, end), found)
            for name in names.find():
                found.append((name.start, name.end))
                yield Finding(text=self.text[name.start : name.end], rule="named", corroborated=name.sure)
            for name in names.greeted():
                found.append((name.start, name.end))
                yield Finding(text=self.text[name.start : name.end], rule="greeted", corroborated=False)
            known = Cover(len(self.text), found)
            for name in names.singles():
                if any(known.gaps(name.start, name.end)):
                    found.append((name.start, name.end))
                    yield _standing(self.text, name.start, name.end, "person")
        if "LOCATION" in entities:
            for start, end in blocks.find(self.text):
                yield _standing(self.text, start, end, "place")
        for quasi in alone.find(self.text, self.model, found, entities):
            yield _standing(self.text, quasi.start, quasi.end, quasi.entity)


def _standing(text: str, start: int, end: int, entity: str) -> Finding:
    """Return a finding that counts where the text stands alone."""
    part = text[start:end]
    return Finding(text=part, rule="alone", corroborated=False, alone=True, entity=entity, start=start, end=end)


def _placed(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for chunk in _chunks(text):
        yield start, chunk
        start += len(chunk) - _OVERLAP


def _chunks(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > MAX_CHUNK:
        cut = text.rfind(" ", start + MAX_CHUNK // 2, start + MAX_CHUNK)
        cut = start + MAX_CHUNK if cut < 0 else cut
        yield text[start:cut]
        start = cut - _OVERLAP
    yield text[start:]


def _findings(text: str, start: int, end: int, found: list[tuple[int, int]]) -> Iterator[Finding]:
    """Yield the names of one person span, one a line, and note their ranges; what is no capitalised word is no part of a name."""
    for line in re.finditer(r"[^\n,;:|/()]+", text[start:end]):
        name = _POSSESSIVE.sub("", line.group().strip(_EDGE))
        words = name.split()
        while words and not _CAPITALISED.fullmatch(words[0]):
            words.pop(0)
        while words and not _CAPITALISED.fullmatch(words[-1]):
            words.pop()
        if not words or any(any(map(str.isdigit, word)) for word in words):
            continue
        before = text[max(0, start + line.start() - 40) : start + line.start()]
        cue = NAMING_CUE.search(before) is not None
        rule = "cue" if cue else "model"
        found.append((start + line.start(), start + line.end()))
        yield Finding(text=" ".join(words), rule=rule, corroborated=cue or len(words) > 1)
