"""A reading as a trace: recognise every span, then read each as its step."""

from __future__ import annotations

from extractor.model.reading import Reading
from extractor.model.trace import Trace

from .dialects import Vocabulary
from .facts import Facts
from .ledger import Ledger
from .recognise import Relations, recognise
from .steps import StepReader
from .subject import subject_of
from .twice import told_once

_TELLING = frozenset({"model_call", "user_message", "assistant_message"})


def trace_of(reading: Reading, vocabulary: Vocabulary) -> Trace:
    """Return steps, subject and notes of a reading by the given vocabulary."""
    spans = reading.spans
    relations = Relations(spans)
    recognised = {(span.trace_id, span.span_id): recognise(span, vocabulary, relations) for span in spans}
    ledger = Ledger()
    # An agent's own span says again what its model was asked; where none was recorded, it alone says what the user said.
    told = {trace_id for (trace_id, _), each in recognised.items() if each.kind in _TELLING}
    reader = StepReader(vocabulary, relations, recognised, ledger, told)
    steps = told_once([reader.step(span, number) for number, span in enumerate(spans)], ledger)
    # Roots speak for the run before any span below them: a dependency's own idea of the user comes last.
    order = sorted(range(len(spans)), key=lambda number: (not relations.is_root(spans[number]), number))
    subject = subject_of([Facts(spans[number], number, None, vocabulary, ledger) for number in order], vocabulary)
    return Trace(
        trace_ids=tuple(sorted({span.trace_id for span in spans})),
        spans=spans,
        steps=steps,
        subject=subject,
        dialects=tuple(sorted({step.dialect for step in steps if step.dialect})),
        notes=ledger.notes(reading.span_notes),
    )
