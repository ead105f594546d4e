"""How many of the turns that people marked as failing stand in the case, when it may hold 40, 60 or 80 % of the spans.

usage: recall.py CORPUS, a folder that holds corpus/ with exports and gold answers (``decisive_spans``). Nothing is told to the
tool but the last answer (``--at``). A marked turn counts as kept when its own span is kept; it *stands* when its words or
its tool request are in the document, by whichever span they came there.
"""

from __future__ import annotations

import collections
import contextlib
import json
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path

from judged import corpora

from extractor import read, ruleset
from extractor.assemble import assemble
from extractor.model.case import Document
from extractor.model.config import Limit, Override, RunConfig, Wanted
from extractor.model.json import JsonValue, MalformedJson, compact, parse
from extractor.model.reading import Reading
from extractor.model.selection import Selection
from extractor.model.span import Span
from extractor.model.trace import Step, Trace
from extractor.normalise import normalise
from extractor.select import select
from extractor.write import render_fixture

RULES = ruleset.load()
PERCENT = (40, 60, 80, None)


def main(folder: Path) -> None:
    """Print recall and size for each export of the folder that has gold answers."""
    for stem, export, gold in corpora(folder):
        rows = [json.loads(line) for line in gold.read_text("utf-8").splitlines()]
        marked = {row["trace_id"]: frozenset(row.get("decisive_spans") or ()) for row in rows}
        traces = list(_traces(export, list(marked)))
        turns = sum(map(len, marked.values()))
        print(f"{stem}: {len(traces)} traces, {turns} marked turns in {sum(map(bool, marked.values()))} of them")
        for percent in PERCENT:
            report(percent, [measured(reading, trace, marked, percent) for reading, trace in traces])


@dataclass(kw_only=True)
class Measured:
    """One trace: spans kept of all, marked turns kept and standing, bytes of the case and of what it is compared with."""

    kept: int
    spans: int
    marked: int
    turns: int = 0
    stands: int = 0
    bytes: int = 0
    everything: int = 0
    distinct: int = 0
    misses: list[str] = field(default_factory=list)


def measured(reading: Reading, trace: Trace, marked: dict[str, frozenset[str]], percent: int | None) -> Measured:
    """Return what became of the marked turns of one trace, and how large its case is."""
    limit = None if percent is None else Limit(number=percent, percent=True)
    config = RunConfig(at=_last_answer(trace), at_most=limit)
    selection = select(trace, RULES, config)
    document = assemble(trace, selection, reading, config, RULES).document
    wanted = marked[trace.trace_ids[0]]
    found = Measured(
        kept=len(selection.kept),
        spans=len(trace.spans),
        marked=len(wanted),
        bytes=len(render_fixture(document)),
        everything=_everything(trace, reading),
        distinct=distinct_bytes(trace.spans),
    )
    for position, step in enumerate(trace.steps):
        if step.span.span_id in wanted:
            kept, stands = step.span.span_id in selection.kept, _stands(step, document)
            found.turns += kept
            found.stands += kept or stands
            if not kept:
                found.misses.append(_miss(step, position, selection, trace))
    return found


def report(percent: int | None, found: Sequence[Measured]) -> None:
    """Print one line for a bound, and the misses below it."""
    marked, turns, stands = (sum(getattr(one, name) for one in found) for name in ("marked", "turns", "stands"))
    share = statistics.mean(one.kept / one.spans for one in found)
    size = sum(one.bytes for one in found)
    beside = size / sum(one.distinct for one in found), size / sum(one.everything for one in found)
    bound = "no bound" if percent is None else f"at most {percent} %"
    told = "no turn is marked"
    if marked:
        low, high = wilson(turns, marked)
        told = f"kept {turns} of {marked} = {turns / marked:.1%} (95 %: {low:.0%} to {high:.0%}), stands {stands}"
    print(
        f"  {bound}: {share:.0%} of the spans; {told}; case {beside[0]:.0%} of distinct text, {beside[1]:.0%} of --keep all"
    )
    for miss in (miss for one in found for miss in one.misses):
        print(f"    miss: {miss}")


def wilson(hits: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion, at 95 % by default."""
    share, square = hits / trials, z * z / trials
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / trials + square / (4 * trials)) / (1 + square)
    return middle - half, middle + half


def distinct_bytes(spans: Sequence[Span]) -> int:
    """Return the size of a de-duplicated trace: one line of ids, name and times a span, and each distinct value once.

    A list that an attribute holds as JSON (messages, parts, tools) counts item by item.
    """
    seen: set[str] = set()
    total = 0
    for span in spans:
        total += len(
            compact([span.trace_id, span.span_id, span.parent_id, span.name, span.kind, span.start_ns, span.end_ns])
        )
        values = {text for _, value in span.attributes for text in _items(value)}
        total += sum(len(text.encode("utf-8", "surrogatepass")) for text in values - seen)
        seen |= values
    return total


def _items(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str) and value[:1] == "[":
        with contextlib.suppress(MalformedJson):
            value = parse(value)
    for item in value if isinstance(value, list) else [value]:
        yield compact(item)


def _traces(export: Path, wanted: Sequence[str]) -> Iterator[tuple[Reading, Trace]]:
    reading = read.read([str(export)], Wanted(trace_ids=tuple(wanted)))
    spans: dict[str, list[Span]] = collections.defaultdict(list)
    for span in reading.spans:
        spans[span.trace_id].append(span)
    for trace_id in wanted:
        one = replace(reading, spans=tuple(spans[trace_id]))
        yield one, normalise(one, RULES)


def _last_answer(trace: Trace) -> str | None:
    answers = [step.span.span_id for step in trace.steps if _words(step)]
    return answers[-1] if answers else None


def _everything(trace: Trace, reading: Reading) -> int:
    config = RunConfig(override=Override(keep=("all",)))
    return len(render_fixture(assemble(trace, select(trace, RULES, config), reading, config, RULES).document))


def _words(step: Step) -> list[str]:
    messages = step.model.output if step.model is not None else ()
    return [
        part.text for each in messages for part in each.parts if part.type == "text" and part.text and part.text.strip()
    ]


def _requests(step: Step) -> AbstractSet[str]:
    messages = step.model.output if step.model is not None else ()
    return {part.call_id for each in messages for part in each.parts if part.type == "tool_call" and part.call_id}


def _stands(step: Step, document: Document) -> bool:
    """Return whether a turn's words, or one of its tool requests, are in the document."""
    events, messages = document["tool_events"], document["messages"]
    asked = {event.get("call_id") for event in _objects(events)}
    parts = [part for message in _objects(messages) for part in _objects(message.get("parts"))]
    asked |= {part.get("call_id") for part in parts if part.get("type") == "tool_call"}
    told = {part.get("text") for part in parts}
    return bool(_requests(step) & asked) or any(text in told for text in _words(step))


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _miss(step: Step, position: int, selection: Selection, trace: Trace) -> str:
    decision = next(each for each in selection.decisions if each.span_id == step.span.span_id)
    did = " and ".join(
        what for what, is_so in (("spoke", _words(step)), ("asked for a call", _requests(step))) if is_so
    )
    return (
        f"{trace.trace_ids[0][:8]}, span {position + 1} of {len(trace.steps)}, which {did}: "
        f"{decision.reason}, distance {decision.distance}"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("recall: no corpus with marked turns is given (CORPUS=DIR)")
    else:
        main(Path(sys.argv[1]))
