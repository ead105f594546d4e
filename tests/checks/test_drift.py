"""Contract drift (S118 S120 S121): what a frozen case says of a tool that the product no longer has fails loudly."""

from __future__ import annotations

import json

import pytest

from extractor.checks.drift import Subject, drift, subjects_below
from extractor.checks.tools import tools_of
from extractor.errors import InputUnreadable, UsageError
from tests.replay.documents import call, document, folder

REFUND = call(1, "issue_refund", {"order_id": "O-1", "amount_cents": 42}, {"ok": True})


def schema(*required, optional=(), **more):
    members = {name: {"type": "string" if name == "order_id" else "integer"} for name in (*required, *optional)}
    return {"type": "object", "properties": members, "required": [*required], **more}


def live(**tools):
    return tools_of([{"name": name, "input_schema": each} for name, each in tools.items()])


NOW = live(issue_refund=schema("order_id", "amount_cents"))


def ours(*events, name="2026-06-14-refund", **told):
    return Subject.of_fixture(name, document(*(events or (REFUND,)), **told))


def found(subject, tools):
    return [(each.kind, each.path) for each in drift([subject], tools).findings]


def test_a_case_that_fits_its_tools_has_no_finding():
    report = drift([ours()], NOW)
    assert (report.findings, report.checked, report.retired) == ((), 1, 0)


@pytest.mark.parametrize(
    ("tools", "kind", "path"),
    [
        (live(cancel_order=schema("order_id")), "tool_gone", "tool_events[0].tool"),
        (live(issue_refund=schema("order_id")), "parameter_gone", "tool_events[0].arguments.amount_cents"),
        (live(issue_refund=schema("order_id", "amount_cents", "currency")), "required_missing", "tool_events[0].arguments.currency"),
        (
            live(issue_refund={"properties": {"order_id": {"type": "integer"}, "amount_cents": {"type": "integer"}}}),
            "type_changed",
            "tool_events[0].arguments.order_id",
        ),
    ],
    ids=["tool", "parameter", "required", "type"],
)  # fmt: skip
def test_an_event_that_the_product_could_no_longer_produce_is_found(tools, kind, path):
    assert found(ours(), tools) == [(kind, path)]


def test_what_is_optional_open_or_a_number_still_fits():
    assert found(ours(), live(issue_refund=schema("order_id", optional=("amount_cents", "currency")))) == []
    assert found(ours(), live(issue_refund=schema("order_id", additionalProperties=True))) == []
    amounts = {"properties": {"order_id": {}, "amount_cents": {"type": "number"}}}
    assert found(ours(), live(issue_refund=amounts)) == []


@pytest.mark.parametrize(
    ("expected", "path"),
    [
        ({"effects": {"mail.send": {"min": 0, "max": 1}}}, "expected.effects.mail.send"),
        ({"action": "mail.send"}, "expected.action"),
        ({"boundary": {"check": "c", "params": {"tool": "mail.send"}}}, "expected.boundary.params.tool"),
        ({"boundary": {"check": "c", "params": {"tools": ["issue_refund", "mail.send"]}}}, "expected.boundary.params.tools[1]"),
        ({"boundary": {"check": "effects", "params": {"mail.send": {"min": 1, "max": 1}}}}, "expected.boundary.params.mail.send"),
    ],
)  # fmt: skip
def test_an_expectation_that_names_a_tool_which_is_gone_is_found(expected, path):
    """S121: what nothing inside the loop can notice, since no record changes when a subject is retired."""
    assert found(ours(expected=expected), NOW) == [("tool_gone", path)]


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"amount_cents": 4200}, "expected.boundary.params.amount_cents"),
        ({"tool": "issue_refund", "arguments": {"amount_cents": 4200}}, "expected.boundary.params.arguments.amount_cents"),
        ({"calls": [{"name": "issue_refund", "arguments": {"amount_cents": 1}}]}, "expected.boundary.params.calls[0].arguments.amount_cents"),
    ],
)  # fmt: skip
def test_an_expectation_that_names_a_parameter_which_is_gone_is_found(params, path):
    """S118: by the arguments that it states, or by the name that the recorded calls give to it."""
    expected = {"boundary": {"check": "assert_refund", "params": params}}
    gone = live(issue_refund=schema("order_id"))
    assert found(ours(expected=expected), NOW) == []
    assert ("parameter_gone", path) in found(ours(expected=expected), gone)


def test_expectations_that_name_no_parameter_are_no_findings():
    params = {"max_tokens": 100, "phrases": ["done"], "order": {"limit": 3}}
    assert found(ours(expected={"boundary": {"check": "c", "params": params}}), NOW) == []


def test_synthetic_answers_must_fit_as_well():
    alternate = {"tool": "mail.send", "arguments": {}, "outcome": {"type": "result", "value": None}, "synthetic": True}
    assert found(ours(alternates=[alternate]), NOW) == [("tool_gone", "alternates[0].tool")]


def test_nested_arguments_are_held_to_their_schema():
    shape = {
        "properties": {"lines": {"type": "array", "items": {"properties": {"sku": {}}, "required": ["sku", "count"]}}}
    }
    subject = ours(call(1, "order", {"lines": [{"sku": "a", "qty": 2}]}, None))
    assert found(subject, live(order=shape)) == [
        ("parameter_gone", "tool_events[0].arguments.lines[0].qty"),
        ("required_missing", "tool_events[0].arguments.lines[0].count"),
    ]


def test_the_chapters_folder_is_held_to_the_tools_too():
    record = {"tool_calls": [{"name": "issue_refund", "arguments": '{"order_id": "O-1", "amount_cents": 42}'}]}
    subject = Subject.of_chapter("2026-06-14-refund-off-by-100x", record, {"order_id": "O-1", "amount_cents": 4200})
    assert found(subject, NOW) == []
    assert found(subject, live(issue_refund=schema("order_id"))) == [
        ("parameter_gone", "tool_calls[0].arguments.amount_cents"),
        ("parameter_gone", "expectations.amount_cents"),
    ]


def test_a_retired_case_is_skipped_and_counted(tmp_path):
    """S119: retirement is a recorded decision, and from then on nothing is claimed of the case."""
    folder(tmp_path / "approved", REFUND, case_id="2026-06-14-kept")
    folder(tmp_path / "retired", REFUND, case_id="2026-06-14-gone")
    report = drift(subjects_below([tmp_path]), live(mail=schema()))
    assert [each.case for each in report.findings] == ["2026-06-14-kept"]
    assert (report.checked, report.retired) == (1, 1)


def test_a_record_that_a_mutation_made_answers_for_its_expectations_alone():
    """Its calls are wrong on purpose; the good record that it was made of is held to the tools itself."""
    wrong = document(call(1, "issue_refnd", {"order_id": "O-1"}, None), expected={"action": "issue_refund"})
    subject = Subject.of_fixture("manufactured", wrong, manufactured=True)
    assert found(subject, NOW) == []
    assert found(subject, live(other=schema())) == [("tool_gone", "expected.action")]


def test_a_line_says_where_what_and_what_to_do_and_quotes_no_value():
    odd = call(1, "issue_refund", {"order_id": "O-1", "amount_cents": 42, "alice@shop.example": 1}, None)
    first, second = drift([ours(odd, expected={"action": "mail.send"})], NOW).findings
    assert first.text() == (
        "2026-06-14-refund: tool_events[0].arguments[2]: issue_refund has no such parameter;"
        " update the case (recapture), or retire it with a reason: extract-fixture retire"
    )
    assert second.text().startswith("2026-06-14-refund: expected.action: there is no tool called mail.send; update")
    assert "alice" not in first.text()


def test_a_plain_folder_is_retired_by_its_place_since_no_command_knows_it():
    record = {"tool_calls": [{"name": "issue_refund", "arguments": {}}]}
    (finding,) = drift([Subject.of_chapter("refund", record, {})], live(cancel_order=schema())).findings
    assert finding.text().endswith("retire it with a reason: its folder into retired/, the reason into its README.md")


def test_a_finding_that_is_known_is_left_out_by_case_and_path():
    """An incident may be the very call of what never existed."""
    gone = live(issue_refund=schema("order_id"))
    known = {("2026-06-14-refund", "tool_events[0].arguments.amount_cents")}
    report = drift([ours()], gone, known=known)
    assert (report.findings, report.known) == ((), 1)


def test_no_case_is_no_pass_and_no_fixture_is_told(tmp_path):
    with pytest.raises(UsageError):
        subjects_below([tmp_path])
    with pytest.raises(UsageError):
        drift([], NOW)
    made = folder(tmp_path, REFUND)
    (made / "fixture.json").write_text("[]")
    with pytest.raises(InputUnreadable):
        subjects_below([tmp_path])


def test_json_of_a_finding_holds_no_value():
    (finding,) = drift([ours()], live(issue_refund=schema("order_id"))).findings
    assert json.loads(json.dumps(finding.members())) == {
        "case": "2026-06-14-refund",
        "path": "tool_events[0].arguments.amount_cents",
        "kind": "parameter_gone",
        "tool": "issue_refund",
    }


@pytest.mark.parametrize(
    ("expected", "kind", "path"),
    [
        ({"tool_calls": ["issue_refund", "gone"]}, "tool_gone", "expectations.tool_calls[1]"),
        ({"tools": [{"name": "gone", "arguments": {}}]}, "tool_gone", "expectations.tools[0].name"),
        (
            {"calls": [{"tool": "issue_refund", "args": {"gone": 1}}]},
            "parameter_gone",
            "expectations.calls[0].args.gone",
        ),
    ],
)
def test_a_list_of_calls_names_tools_bare_or_with_arguments(expected, kind, path):
    subject = Subject.of_chapter("case", {"tool_calls": []}, expected)
    (finding,) = drift([subject], live(issue_refund=schema("order_id"))).findings
    assert (finding.kind, finding.path) == (kind, path)
