"""The whole document, member by member in the format's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..errors import RedactionRefused
from ..model.calls import tool_calls
from ..model.case import Case, Document
from ..model.config import RunConfig
from ..model.evidence import Attempt
from ..model.json import MAX_DEPTH, JsonValue, depth, leaves
from ..model.reading import OutsideRecord, Reading
from ..model.selection import Selection
from ..model.trace import Step, Trace
from ..ruleset import RuleSet
from ._alternates import alternates
from ._effects import effects
from ._events import interval, predecessors, tool_events
from ._expected import expected
from ._frozen import recorded
from ._identity import identity
from ._members import documents, instant, nearest, stated
from ._messages import Messages, spoken, users
from ._missing import entry
from ._nature import Nature
from ._policy import Policy, policy
from ._pruning import Pruning
from ._strictness import fidelity, ordering
from ._time_domains import TimeDomains, time_domains
from ._timing import Timing
from ._tokens import token_claims


def assemble(trace: Trace, selection: Selection, reading: Reading, config: RunConfig, rules: RuleSet) -> Case:
    """Return the case of the kept steps, with originals; ``case_id`` is empty until the redacted case is named.

    Raises `UsageError` when a violation names no event or a statement contradicts itself, `RedactionRefused` when a payload is nested too deeply.
    """
    made = _Assembly(trace, selection, reading.outside, config, policy(rules), time_domains(rules))
    document = made.document()
    if depth(document) > MAX_DEPTH:
        raise RedactionRefused("a payload is nested more deeply than can be treated with certainty")
    counted = replace(selection, dropped_messages=made.dropped_messages())
    return Case(
        document=document,
        trace=trace,
        selection=counted,
        reading=reading,
        becomes=made.becomes(),
        attempts=made.attempts(),
        base_ns=made.base_ns,
    )


class _Assembly:
    """One case in the making."""

    def __init__(
        self,
        trace: Trace,
        selection: Selection,
        outside: Sequence[OutsideRecord],
        config: RunConfig,
        tables: Policy,
        times: TimeDomains,
    ) -> None:
        self._trace = trace
        self._outside = outside
        self._selection = selection
        self._config = config
        self._policy = tables
        self._times = times
        kept = selection.kept
        self._parents = {step.span.span_id: step.span.parent_id for step in trace.steps}
        self._kept = [step for step in trace.steps if step.span.span_id in kept]
        self.base_ns = min(step.span.start_ns for step in self._kept)
        self._boundary = next(step for step in trace.steps if step.span.span_id == selection.boundary)
        self._until = _horizon(trace, selection)
        self._clock_spans = {decision.span_id for decision in selection.decisions if decision.reason == "clock"}
        calls = tool_calls(trace)
        self._timing = Timing(trace, calls, tables)
        evidence = [self._timing.evidence(call) for call in calls]
        tools = {call.step.span.span_id: call.tool.name for call in calls if call.own}
        changed = effects(calls, evidence, Nature(trace.spans, tools, tables), tables)
        # What a dropped span proves of a kept attempt stays proved.
        ours = [index for index, call in enumerate(calls) if call.step.span.span_id in kept]
        self._calls = [calls[index] for index in ours]
        self._evidence = [evidence[index] for index in ours]
        self._changed = [changed[index] for index in ours]
        self._models = [step for step in self._kept if step.kind == "model_call" and step.model is not None]
        self._retrievals = [step for step in self._kept if step.retrieval is not None]
        self._pruning = Pruning(trace, kept)
        self._messages = self._collect()
        self._missing: list[dict[str, JsonValue]] = []

    def document(self) -> Document:
        """Return the document; every slot is there, and what is unknown is named at its end."""
        config, subject = self._config, self._trace.subject
        said = self._messages.said()
        prompt_version = config.prompt_version or subject.prompt_version
        events, lacking = tool_events(self._calls, self._evidence, self._changed, self.base_ns, config.statement)
        decided_ns = self._boundary.span.start_ns
        tokens = token_claims(self._trace.spans[: self._until + 1], decided_ns, self._policy)
        who = identity(subject, tokens, self._calls, self._policy)
        document: Document = {
            "schema_version": "1",
            "case_id": "",
            "incident_id": self._known("incident_id", config.statement.incident, "not_given"),
            "workflow_version": self._known("workflow_version", config.workflow_version or subject.workflow_version),
            "prompt_version": self._known("prompt_version", prompt_version),
            "frozen_at": self._frozen_at(),
            "time_zone": self._known("time_zone", config.time_zone or subject.time_zone),
            "locale": self._known("locale", config.locale or subject.locale),
            "adapter": self._adapter(),
            "deployment": {
                "service": self._known("deployment.service", subject.service),
                "version": self._known("deployment.version", subject.service_version),
                "environment": self._known("deployment.environment", subject.environment),
                "flags": dict(subject.flags),
            },
            "model": self._model(),
            "templates": self._messages.templates(prompt_version),
            "facts": self._facts(),
            "documents": documents(self._retrievals),
            "input": {"messages": said},
            "identity": who,
            "messages": self._messages.others(),
            "conversation": list(self._conversation()),
            "tool_events": events,
            "model_events": self._model_events(),
            "final_output": self._known("final_output", self._final_output(), "no_answer"),
            "alternates": alternates(config.statement.alternates),
            "expected": expected(config.statement),
            "ordering": ordering(events, config.ordering),
            "timing": fidelity(events, self._boundary_event(), config.fidelity),
            "lane": config.statement.lane or "shadow",
        }
        for member in ("subject", "tenant"):
            if who[member] is None:
                self._missing.append(entry(f"identity.{member}", "not_in_trace"))
        if not said:
            self._missing.append(entry("input.messages", "no_input"))
        document["missing_evidence"] = [*self._missing, *lacking, *self._ledger(), *self._unmatched()]
        return document

    def becomes(self) -> Mapping[str, str]:
        """Return what each kept span turned into, for those that turned into something."""
        places = {step.span.span_id: f"model_events[{index}]" for index, step in enumerate(self._models)}
        for step in self._kept:
            if step.kind in ("user_message", "assistant_message") and step.model is not None:
                held = step.model.input if step.kind == "user_message" else step.model.output
                if held:
                    places[step.span.span_id] = self._messages.place(held[-1])
        first = 0
        for step in self._retrievals:
            if step.retrieval is not None and step.retrieval.documents:
                places[step.span.span_id] = f"documents[{first}]"
                first += len(step.retrieval.documents)
        for index, call in enumerate(self._calls):
            if call.own:
                places[call.step.span.span_id] = f"tool_events[{index}]"
        tools = {span_id for span_id, place in places.items() if place.startswith("tool_events[")}
        for step in self._kept:
            above = nearest(step.span.span_id, self._parents, tools) if step.dependency is not None else None
            if above is not None:
                places[step.span.span_id] = f"{places[above]}.timing"
        return places

    def attempts(self) -> tuple[Attempt, ...]:
        """Return the timing evidence of every tool event, then of the calls that no tool made."""
        events = [
            Attempt(
                place=f"tool_events[{index}]", span_id=call.step.span.span_id if call.own else None, evidence=evidence
            )
            for index, (call, evidence) in enumerate(zip(self._calls, self._evidence, strict=True))
        ]
        return (*events, *self._timing.outside(self._kept))

    def _unmatched(self) -> list[dict[str, JsonValue]]:
        """Return that evidence from outside the trace names no attempt of it, where it does."""
        used = self._timing.used
        lost = any(record.span_id not in used for record in self._outside)
        return [entry("evidence", "evidence_unmatched")] if lost else []

    def _boundary_event(self) -> int | None:
        """Return the index of the tool event where the failure shows, None when it shows elsewhere."""
        span_id = self._selection.boundary
        shows = (index for index, call in enumerate(self._calls) if call.own and call.step.span.span_id == span_id)
        return next(shows, None)

    def dropped_messages(self) -> int:
        """Return how many distinct messages of the trace stand nowhere in the document."""
        calls = (step.model for step in self._trace.steps if step.model is not None)
        return self._messages.missing_among(message for call in calls for message in (*call.input, *call.output))

    def _known(self, field: str, value: str | None, code: str = "not_in_trace") -> str | None:
        if value is None:
            self._missing.append(entry(field, code))
        return value

    def _adapter(self) -> JsonValue:
        if self._config.statement.adapter is None:
            self._missing.append(entry("adapter", "not_judged"))
            return None
        name, version = self._config.statement.adapter
        return {"name": name, "version": version}

    def _collect(self) -> Messages:
        scripted = {
            call.tool.call_id: (call.tool.result, call.tool.result_text)
            for call in self._calls
            if call.tool.call_id is not None and call.tool.has_result and call.tool.error is None
        }
        messages = Messages(scripted)
        kept = {step.span.span_id for step in self._kept}
        for position, step in enumerate(self._trace.steps):
            if step.model is None:
                continue
            before = position <= self._until
            if before:
                messages.add([each for each in step.model.input if users(each)], as_input=True)
            if step.span.span_id in kept:
                history = self._pruning.pruned(step.model.input)
                messages.add((*history, *step.model.output), as_input=before)
        return messages

    def _frozen_at(self) -> str:
        if self._config.frozen_at is not None:
            return self._config.frozen_at
        boundary = self._boundary.span
        read_ns = recorded(self._clocks(), boundary, self._times.within_ns)
        if read_ns is None:
            self._missing.append(entry("frozen_at", "taken_from_span"))
        zone = self._config.time_zone or self._trace.subject.time_zone
        text, known = instant(boundary.start_ns if read_ns is None else read_ns, zone)
        if not known:
            self._missing.append(entry("frozen_at", "unknown_time_zone"))
        return text

    def _clocks(self) -> list[JsonValue]:
        """Return what kept spans say of the agent's own clock. A member of a result is the clock of whoever answered."""
        said = self._times.clocks([call.tool.arguments for call in self._calls])
        said += [fact["value"] for fact in stated([step.span for step in self._kept], self._policy.clock_keys)]
        tools = [call.tool.result for call in self._calls if call.own and self._is_clock(call.step)]
        return [*said, *(leaf for result in tools for _, leaf in leaves(result))]

    def _is_clock(self, step: Step) -> bool:
        return step.span.span_id in self._clock_spans

    def _deciding(self) -> Step | None:
        """Return the model turn that decided: the last kept one up to the boundary or its consequence."""
        order = self._trace.steps[self._until].span.order
        return next((step for step in reversed(self._models) if step.span.order <= order), None)

    def _model(self) -> JsonValue:
        step = self._deciding()
        if step is None or step.model is None:
            self._missing.append(entry("model", "not_in_trace"))
            return None
        call = step.model
        return {"provider": call.provider, "name": call.model, "parameters": dict(call.parameters)}

    def _conversation(self) -> Sequence[str]:
        step = self._deciding()
        if step is None or step.model is None:
            return [f"m{number}" for number in range(1, len(self._messages.said()) + 1)]
        history = self._pruning.pruned(step.model.input)
        return self._messages.ids([each for each in (*history, *step.model.output) if each.role != "system"])

    def _facts(self) -> list[JsonValue]:
        """Return given facts, the policy in force, then what clocks said that a decision may have read."""
        facts: list[JsonValue] = [
            {"name": name, "value": value, "source": "given"} for name, value in self._config.facts.items()
        ]
        version = self._trace.subject.policy_version
        if version is not None and "policy_version" not in self._config.facts:
            facts.append({"name": "policy_version", "value": version, "source": "trace"})
        facts.extend(stated(self._trace.spans[: self._until + 1], self._policy.clock_keys))
        for index, call in enumerate(self._calls):
            if call.own and self._is_clock(call.step) and call.tool.has_result:
                source = f"tool_events[{index}]"
                facts.append({"name": call.tool.name, "value": call.tool.result, "source": source})
        facts.extend(self._times.facts(self._payloads()))
        return facts

    def _payloads(self) -> list[tuple[str, JsonValue]]:
        """Return what tools and retrievals of the case took and gave, with its place in the document."""
        payloads: list[tuple[str, JsonValue]] = []
        for index, call in enumerate(self._calls):
            payloads.append((f"tool_events[{index}].arguments", call.tool.arguments))
            payloads.append((f"tool_events[{index}].outcome.value", call.tool.result))
        contents = (content for step in self._retrievals if step.retrieval for content in step.retrieval.documents)
        payloads.extend((f"documents[{index}].content", content) for index, content in enumerate(contents))
        return payloads

    def _model_events(self) -> list[JsonValue]:
        intervals = [interval(call) for call in self._calls]
        ordered = predecessors(intervals, [*(i[0] for i in intervals), *(step.span.start_ns for step in self._models)])
        events: list[JsonValue] = []
        for index, step in enumerate(self._models):
            if step.model is None:
                continue
            if not step.model.content_captured:
                self._missing.append(entry(f"model_events[{index}]", "content_switched_off"))
            events.append(
                {
                    "model": step.model.model,
                    "input": list(self._messages.ids(self._pruning.pruned(step.model.input))),
                    "output": list(self._messages.ids(step.model.output)),
                    "usage": dict(step.model.usage),
                    "after": list(ordered[len(intervals) + index]),
                }
            )
        return events

    def _final_output(self) -> str | None:
        texts = (spoken(step) for step in reversed(self._trace.steps[: self._until + 1]))
        return next((text for text in texts if text is not None), None)

    def _ledger(self) -> list[dict[str, JsonValue]]:
        return [entry(f"trace.{note.code}", "spans_incomplete") for note in self._trace.notes]


def _horizon(trace: Trace, selection: Selection) -> int:
    """Return the position of the last step that belongs to the incident: the boundary, or the answer it led to."""
    last = {selection.boundary} | {each.span_id for each in selection.decisions if each.reason == "consequence"}
    return max(index for index, step in enumerate(trace.steps) if step.span.span_id in last)
