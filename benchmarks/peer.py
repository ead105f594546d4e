"""Plain Presidio, as its documentation sets it up: the peer that our redaction is measured beside."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import tldextract
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine

from extractor.model.config import Nlp

Redact = Callable[[str], str]


def plain() -> Redact:
    """Return plain Presidio as a function of one text, its model loaded.

    Two departures are in its favour: it may not fetch a list of domain suffixes, and its recognizer of URLs is left out,
    which takes half a minute on a few thousand characters of ``a.``.
    """
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    models = [{"lang_code": "en", "model_name": Nlp().model}]
    engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    analyzer.registry.remove_recognizer("UrlRecognizer")
    anonymizer = AnonymizerEngine()

    def redacted(text: str) -> str:
        found = analyzer.analyze(text=text, language="en")
        return str(anonymizer.anonymize(text=text, analyzer_results=found).text)

    redacted("My name is Oda Marlow.")  # loads what is loaded late
    return redacted


def cached(peer: Redact) -> Redact:
    """Return the same with a memory of whole strings."""
    return cache(peer)
