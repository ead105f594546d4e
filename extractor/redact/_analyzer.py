"""Builds Presidio's analyzer for persons only, on a local spaCy model, with nothing in it that could reach a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import spacy.util
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
from presidio_analyzer.predefined_recognizers import SpacyRecognizer

from ..errors import UsageError

if TYPE_CHECKING:
    from ..model.config import Nlp


def build(settings: Nlp) -> AnalyzerEngine:
    """Return an analyzer for PERSON. Raises `UsageError` when the model is not installed: nothing is ever downloaded."""
    if not spacy.util.is_package(settings.model):
        raise UsageError(
            "the spaCy model is not installed", hint="install its package, or name another with [nlp] model"
        )
    configuration = NerModelConfiguration(
        model_to_presidio_entity_mapping={"PERSON": "PERSON", "PER": "PERSON"},
        labels_to_ignore=[],
    )
    engine = SpacyNlpEngine(
        models=[{"lang_code": settings.language, "model_name": settings.model}], ner_model_configuration=configuration
    )
    engine.load()
    nlp = engine.nlp[settings.language]
    for pipe in list(nlp.pipe_names):
        if pipe not in ("tok2vec", "transformer", "ner"):
            nlp.disable_pipe(pipe)
    registry = RecognizerRegistry(supported_languages=[settings.language])
    registry.add_recognizer(SpacyRecognizer(supported_language=settings.language, supported_entities=["PERSON"]))
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[settings.language])
