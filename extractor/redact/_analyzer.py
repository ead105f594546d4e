"""Builds Presidio's analyzer: persons by a local spaCy model, a team's own recognizers, nothing that reaches a network."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from presidio_analyzer import AnalyzerEngine, EntityRecognizer, PatternRecognizer, RecognizerRegistry
from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
from presidio_analyzer.pattern import re as regex  # the engine that Presidio compiles patterns with
from presidio_analyzer.predefined_recognizers import SpacyRecognizer

from ..errors import RedactionRefused, UsageError
from .models import verified

if TYPE_CHECKING:
    from spacy.language import Language

    from ..model.config import Nlp

PATTERN_SECONDS = 5  # a text and pattern that take longer are no accident


def build(settings: Nlp) -> AnalyzerEngine:
    """Return an analyzer for PERSON and for whatever the team's recognizers find.

    Raises `UsageError` when the model is not installed, since nothing is ever downloaded, or a recognizer does not load.
    """
    verified(settings)  # before anything of it is unpickled
    configuration = NerModelConfiguration(
        model_to_presidio_entity_mapping={"PERSON": "PERSON", "PER": "PERSON"},
        labels_to_ignore=[],
    )
    engine = SpacyNlpEngine(
        models=[{"lang_code": settings.language, "model_name": settings.model}], ner_model_configuration=configuration
    )
    engine.load()
    nlp = engine.nlp[settings.language]
    needed = _needed(nlp)
    for pipe in list(nlp.pipe_names):
        if pipe not in needed:
            nlp.disable_pipe(pipe)
    registry = RecognizerRegistry(supported_languages=[settings.language])
    registry.add_recognizer(SpacyRecognizer(supported_language=settings.language, supported_entities=["PERSON"]))
    for number, source in enumerate(settings.recognizers, 1):
        for recognizer in _recognizers(source, number, settings.language):
            registry.add_recognizer(recognizer)
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[settings.language])


def _needed(nlp: Language) -> frozenset[str]:
    """Return the pipes that named entities need: what feeds them only where their model listens to it."""
    listens = "ner" in nlp.pipe_names and any(
        "listener" in node.name.lower() for node in nlp.get_pipe("ner").model.walk()
    )
    return frozenset({"ner", "tok2vec", "transformer"} if listens else {"ner"})


def _recognizers(source: str, number: int, language: str) -> list[EntityRecognizer]:
    """Return the recognizers of one source: Presidio's YAML, or ``module:Class`` that takes no argument."""
    try:
        if source.endswith((".yaml", ".yml")):
            entries = yaml.safe_load(Path(source).read_text(encoding="utf-8"))["recognizers"]
            found = [PatternRecognizer.from_dict(entry) for entry in entries]
        else:
            module, _, name = source.partition(":")
            found = [getattr(import_module(module), name)()]
    except (ImportError, AttributeError, OSError, ValueError, TypeError, KeyError, yaml.YAMLError):
        raise UsageError(
            f"[nlp] recognizers entry {number} does not load",
            hint="give a YAML file as Presidio reads it, or module:Class of a recognizer that takes no argument",
        ) from None
    for recognizer in found:
        if not isinstance(recognizer, EntityRecognizer) or recognizer.supported_language != language:
            raise UsageError(f"[nlp] recognizers entry {number} is no recognizer for the language in [nlp] language")
        if isinstance(recognizer, PatternRecognizer):
            for pattern in recognizer.patterns:
                # Compiled as Presidio would at the first text, so that it takes ours.
                pattern.compiled_with_flags = recognizer.global_regex_flags
                pattern.compiled_regex = _Bounded(pattern.regex, recognizer.global_regex_flags)
    return found


class _Bounded:
    """A compiled pattern that refuses a text when it takes too long: Presidio itself would log that and skip it."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._pattern = regex.compile(pattern, flags)

    def finditer(self, text: str, **_: object) -> Iterator[Any]:
        try:
            yield from self._pattern.finditer(text, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise RedactionRefused("a pattern of [nlp] recognizers takes too long on a text") from None
