"""Our whole line beside plain Presidio on the same text: the samples, and what CORPUS names: an export, or a judged folder."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import judged
import tldextract
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine

from extractor import pipeline, read, ruleset
from extractor.errors import ExtractFixtureError
from extractor.model.config import Nlp, Override, RunConfig, Wanted
from extractor.model.json import JsonValue
from extractor.model.reading import Reading
from extractor.model.span import tree
from extractor.redact import WorkspaceKey

SAMPLES = Path(__file__).parent.parent / "sample_traces" / "exports"
OCCASION = pipeline.Occasion(extracted_at="2026-01-01T00:00:00Z", expires_at="2026-01-31T00:00:00Z", host="bench")
MOST_TRACES = 24


def main() -> None:
    """Print kilobytes a second of both, and their ratio."""
    logging.disable(logging.CRITICAL)
    measure("samples", SAMPLES)
    corpus = Path(os.environ["CORPUS"]) if "CORPUS" in os.environ else None
    if corpus is None or not corpus.exists():
        print("corpus: not measured; set CORPUS to an export, or to a folder with corpus/ and tools/")
    elif (corpus / "tools").is_dir():
        judged.main(corpus, plain_anonymizer())
    else:
        measure("corpus", corpus)


def measure(name: str, source: Path) -> None:
    """Print one line for the traces of a source, at most `MOST_TRACES` of them."""
    traces = [trace.trace_id for trace in read.survey([str(source)]) if trace.spans > 1][:MOST_TRACES]
    readings = {trace_id: read.read([str(source)], Wanted(trace_ids=(trace_id,))) for trace_id in traces}
    texts = [text for reading in readings.values() for text in texts_of(reading)]
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    ours, refused = time_ours(readings)
    plain = time_presidio(texts)
    print(
        f"{name}: {len(traces)} traces, {size / 1000:,.0f} kB of text; whole line {size / 1000 / ours:,.1f} kB/s, "
        f"plain Presidio {size / 1000 / plain:,.1f} kB/s: {plain / ours:.1f} times as fast; refused {refused}"
    )


def time_ours(readings: dict[str, Reading]) -> tuple[float, int]:
    """Return the seconds of the whole line from spans to proved bytes, models loaded, and how many were refused."""
    rules, key = ruleset.load(), WorkspaceKey(material=bytes(range(32)))

    def run(trace_id: str, reading: Reading) -> bool:
        config = RunConfig(wanted=Wanted(trace_ids=(trace_id,)), override=Override(keep=("all",)))
        try:
            pipeline.extract(reading, config, rules, key, OCCASION)
        except ExtractFixtureError:
            return False
        return True

    run(*next(iter(readings.items())))  # loads the models
    start = time.perf_counter()
    done = [run(trace_id, reading) for trace_id, reading in readings.items()]
    return time.perf_counter() - start, done.count(False)


def time_presidio(texts: Iterable[str]) -> float:
    """Return the seconds of a plain analyzer over the same texts, one by one, models loaded."""
    analyzer = plain_analyzer()
    analyzer.analyze(text="warm up", language="en")
    start = time.perf_counter()
    for text in texts:
        analyzer.analyze(text=text, language="en")
    return time.perf_counter() - start


def plain_analyzer() -> AnalyzerEngine:
    """Return Presidio as it comes, save that it may not fetch a list of domain suffixes nor read URLs for minutes."""
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    models = [{"lang_code": "en", "model_name": Nlp().model}]
    engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    analyzer.registry.remove_recognizer("UrlRecognizer")
    return analyzer


def plain_anonymizer() -> Callable[[str], str]:
    """Return plain Presidio as a function of one text, each text treated once."""
    analyzer, anonymizer = plain_analyzer(), AnonymizerEngine()

    @cache
    def anonymized(text: str) -> str:
        found = analyzer.analyze(text=text, language="en")
        return str(anonymizer.anonymize(text=text, analyzer_results=found).text)

    return anonymized


def texts_of(reading: Reading) -> Iterable[str]:
    """Yield every text value of the spans."""
    stack: list[JsonValue] = [tree(span) for span in reading.spans]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, str) and node:
            yield node


if __name__ == "__main__":
    main()
