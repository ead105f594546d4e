"""Model calls: messages of roles and typed parts, whatever spelling they came in."""

from __future__ import annotations

from .conftest import chat, codes, span

HI = [{"role": "user", "parts": [{"type": "text", "content": "Where is ORD-1?"}]}]


def openinference(**attributes):
    return span(1, {"openinference.span.kind": "LLM", **{k.replace("__", "."): v for k, v in attributes.items()}})


def test_system_instructions_lead_the_input(step):
    model = step(chat(given=HI, **{"gen_ai.system_instructions": "Be kind."})).model
    assert [message.role for message in model.input] == ["system", "user"]
    assert model.input[0].parts[0].text == "Be kind."


def test_parts_keep_call_ids_values_and_the_text_they_were_written_as(step):
    call = {"type": "tool_call", "id": "c1", "name": "look", "arguments": '{"id": 7}'}
    answer = {"type": "tool_call_response", "id": "c1", "response": "gone"}
    given = [*HI, {"role": "assistant", "parts": [call]}, {"role": "tool", "parts": [answer]}]
    _, asked, answered = step(chat(given=given)).model.input
    assert (asked.parts[0].tool, asked.parts[0].call_id) == ("look", "c1")
    assert (asked.parts[0].value, asked.parts[0].value_text) == ({"id": 7}, '{"id": 7}')
    assert (answered.role, answered.parts[0].type, answered.parts[0].call_id) == ("tool", "tool_result", "c1")
    assert (answered.parts[0].value, answered.parts[0].value_text) == ("gone", "gone")


def test_structured_messages_read_like_their_json_text(step):
    told = chat(given=HI)
    structured = span(1, {**dict(told.attributes), "gen_ai.input.messages": HI})
    assert step(structured).model.input == step(told).model.input


def test_reasoning_and_unknown_parts_are_kept_and_stored_files_are_noted(trace):
    parts = [
        {"type": "reasoning", "content": "hm"},
        {"type": "hologram", "data": 1},
        {"type": "uri", "uri": "s3://b/k"},
    ]
    told = trace(chat(given=HI, answered=[{"role": "assistant", "parts": parts}]))
    answer = told.steps[0].model.output[0].parts
    assert [part.type for part in answer] == ["reasoning", "other", "other"]
    assert answer[1].value == {"type": "hologram", "data": 1}
    assert codes(told) == {"external_content": 1}


def test_chat_style_messages_are_read_too(step):
    calls = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
    given = [
        {"role": "developer", "content": "Be kind."},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": '{"ok": 1}'},
    ]
    system, asked, answered = step(chat(given=given)).model.input
    assert system.role == "system"
    assert [part.type for part in asked.parts] == ["tool_call"]
    assert answered.parts[0].value == {"ok": 1}


def test_usage_and_parameters_are_named_alike_and_wrong_types_noted(trace):
    more = {"gen_ai.request.seed": 7, "gen_ai.usage.prompt_tokens": "3", "gen_ai.usage.output_tokens": "many"}
    told = trace(chat(given=HI, answered=HI, **more))
    assert told.steps[0].model.parameters == {"seed": 7}
    assert told.steps[0].model.usage == {"input_tokens": 3}
    assert codes(told) == {"odd_type": 1}


def test_a_call_without_messages_says_that_content_was_not_captured(trace):
    told = trace(chat())
    assert told.steps[0].model.content_captured is False
    assert codes(told) == {"content_not_captured": 2}


def test_a_failed_call_owes_no_answer(step):
    failed = chat(given=HI, **{"error.type": "RateLimit"})
    assert step(failed).model.content_captured is True


def test_flattened_families_sort_by_number_and_close_their_holes(step):
    family = {f"llm__input_messages__{n}__message__content": str(n) for n in (10, 9, 100, 2)}
    model = step(openinference(**family)).model
    assert [message.parts[0].text for message in model.input] == ["2", "9", "10", "100"]


def test_a_message_that_was_masked_is_left_out_and_noted(trace):
    told = trace(
        openinference(
            llm__input_messages__0__message__role="user",
            llm__input_messages__0__message__content="__REDACTED__",
            llm__output_messages__0__message__content="Hello",
        )
    )
    assert told.steps[0].model.input[0].parts == ()
    assert codes(told) == {"content_not_captured": 1, "masked_value": 1}


def test_members_of_a_message_that_nobody_reads_are_noted(trace):
    told = trace(chat(given=[{"role": "user", "content": "Hi", "mood": "calm"}], answered=HI))
    assert codes(told) == {"unread_member": 1}


def test_messages_in_span_events_are_read(step):
    events = [
        ("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": HI}),
        ("gen_ai.client.inference.operation.details", {"gen_ai.output.messages": HI}),
    ]
    model = step(span(1, {"gen_ai.operation.name": "chat"}, events=events)).model
    assert model.input[0].parts[0].text == "Where is ORD-1?"
    assert model.output[0].parts[0].text == "Where is ORD-1?"


def test_messages_of_the_first_conventions_are_read_from_their_events(step):
    events = [
        ("gen_ai.content.prompt", {"gen_ai.prompt": '[{"role": "user", "content": "Hi"}]'}),
        ("gen_ai.content.completion", {"gen_ai.completion": '[{"role": "assistant", "content": "Hello"}]'}),
    ]
    model = step(span(1, {"gen_ai.request.model": "gpt-x"}, kind="client", events=events)).model
    assert (model.input[0].parts[0].text, model.output[0].parts[0].text) == ("Hi", "Hello")


def test_one_event_a_message_takes_the_role_from_its_name(step):
    call = '[{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]'
    events = [
        ("gen_ai.system.message", {"content": "Be kind."}),
        ("gen_ai.assistant.message", {"tool_calls": call}),
        ("gen_ai.tool.message", {"id": "c1", "content": "gone"}),
        ("gen_ai.choice", {"message": '{"content": "It is gone."}'}),
    ]
    model = step(span(1, {"gen_ai.operation.name": "chat"}, events=events)).model
    assert [message.role for message in model.input] == ["system", "assistant", "tool"]
    assert [message.parts[0].type for message in model.input] == ["text", "tool_call", "tool_result"]
    assert model.output[0].parts[0].text == "It is gone."


def test_shapes_that_nobody_knows_are_kept_whole_and_noted(trace):
    told = trace(chat(given=[{"role": "oracle", "content": [3]}, 7], answered=[{"role": "user", "verse": "x"}]))
    first, second = told.steps[0].model.input
    assert (first.role, first.parts[0].value) == ("user", 3)
    assert second.parts[0].value == 7
    assert told.steps[0].model.output[0].parts[0].value == {"role": "user", "verse": "x"}
    assert codes(told) == {"odd_shape": 4, "unread_member": 1}


def test_the_legacy_function_call_and_odd_calls_are_not_lost(step):
    legacy = {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}}
    odd = {"role": "assistant", "content": "x", "tool_calls": ["look"]}
    one, two = step(chat(given=[legacy, odd])).model.input
    assert one.parts[0].tool == "look"
    assert two.parts[1].value == "look"


def test_masked_texts_answers_and_arguments_inside_messages_are_no_data(trace):
    parts = [
        {"type": "text", "content": "__REDACTED__"},
        {"type": "tool_call", "id": "c1", "name": "look", "arguments": "__REDACTED__"},
        {"type": "tool_call_response", "id": "c1", "response": "__REDACTED__"},
    ]
    told = trace(chat(given=[{"role": "assistant", "parts": parts}], answered=HI))
    (call,) = told.steps[0].model.input[0].parts
    assert (call.type, call.tool, call.value, call.value_text) == ("tool_call", "look", None, None)
    assert codes(told) == {"masked_value": 3}
