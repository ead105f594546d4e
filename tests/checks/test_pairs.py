"""Who is whose twin, and how near the two are."""

from __future__ import annotations

from extractor.checks.loading import load_fixture
from extractor.checks.pairs import pair_up

from .conftest import ACCEPT, CASE, REJECT, document, write
from .test_loading import ours


def paired(*folders):
    return pair_up([load_fixture(folder) for folder in folders])


def test_a_pair_differs_in_what_the_fix_changed(tmp_path):
    found = paired(
        write(tmp_path / "refund-reject", expect=REJECT),
        write(tmp_path / "refund-accept", expect=ACCEPT, record=document(4200)),
    )
    (pair,) = found.pairs
    assert (pair.reject, pair.accept) == ("refund-reject", "refund-accept")
    assert pair.differing == ("tool_calls[0].arguments.amount_cents",)
    assert pair.near
    assert found.without_twin == ()


def test_the_plain_name_is_the_bad_run_beside_its_accept(tmp_path):
    found = paired(
        write(tmp_path / "2026-06-14-refund", expect=REJECT),
        write(tmp_path / "2026-06-14-refund-accept", expect=ACCEPT),
    )
    assert len(found.pairs) == 1


def test_a_run_of_another_customer_on_another_day_is_not_near(tmp_path):
    other = {
        "tool_calls": [{"name": "issue_refund", "arguments": {"order_id": "B-1", "amount_cents": 5, "memo": "x"}}],
        "output": "Done.",
        "model": "next",
    }
    case = CASE.replace("06-14", "07-20").replace("A-7741", "B-1")
    found = paired(
        write(tmp_path / "refund-reject", expect=REJECT),
        write(tmp_path / "refund-accept", expect=ACCEPT, record=other, case=case),
    )
    (pair,) = found.pairs
    assert not pair.near
    assert {"tool_calls[0].arguments.memo", "output", "citations", "model"} <= set(pair.differing)
    assert {"case.input", "case.now", "case.expectations.order_id"} <= set(pair.differing)


def test_two_halves_that_do_not_differ_are_no_near_pair(tmp_path):
    found = paired(write(tmp_path / "refund-reject", expect=REJECT), write(tmp_path / "refund-accept", expect=ACCEPT))
    assert found.pairs[0].differing == ()
    assert not found.pairs[0].near


def test_an_item_more_counts_once(tmp_path):
    found = paired(
        write(tmp_path / "x-reject", expect=REJECT, record=document(tool_calls=[])),
        write(tmp_path / "x-accept", expect=ACCEPT, record=document(4200)),
    )
    assert found.pairs[0].differing == ("tool_calls[0]",)


def test_ours_are_twins_by_incident_by_control_and_by_word(tmp_path):
    case = "2026-03-02-refund-create-timeout-error-0a1b2c3d"
    bad = ours(tmp_path / "bad")
    fixed = ours(tmp_path / "fixed", ACCEPT, case_id="fixed")
    control = ours(tmp_path / "control", ACCEPT, case_id="control", incident_id=None, control_of=case)
    told = ours(tmp_path / "told", ACCEPT + "twin: bad\n", case_id="told", incident_id=None)
    stranger = ours(tmp_path / "stranger", ACCEPT, case_id="stranger", incident_id="INC-2")
    for other in (fixed, control, told):
        assert paired(bad, other).pairs, other.name
    assert paired(bad, stranger).without_twin == ("bad", "stranger")


def test_of_several_the_one_of_the_same_check_and_then_the_nearest_is_taken(tmp_path):
    bad = ours(tmp_path / "bad")
    far = ours(tmp_path / "far", ACCEPT, case_id="far", final_output="Something else.")
    near = ours(tmp_path / "near", ACCEPT, case_id="near")
    other = ours(tmp_path / "another", "verdict: accept\nby: assert_cited\n", case_id="another")
    assert paired(bad, far, near, other).pairs[0].accept == "near"
    assert paired(bad, far, other).pairs[0].accept == "far"


def test_a_reject_without_an_accept_and_the_reverse_are_listed(tmp_path):
    found = paired(write(tmp_path / "a", expect=REJECT), write(tmp_path / "b", expect=ACCEPT))
    assert found.without_twin == ("a", "b")


def test_arguments_that_are_kept_as_their_text_too_differ_once(tmp_path):
    def called(cents):
        text = f'{{"order_id": "A-7741",  "amount_cents": {cents}}}'
        return {"tool_calls": [{"name": "issue_refund", "arguments": text}], "output": f'{{"cents": {cents}}}'}

    found = paired(
        write(tmp_path / "refund-reject", expect=REJECT, record=called(42)),
        write(tmp_path / "refund-accept", expect=ACCEPT, record=called(4200)),
    )
    assert [path for path in found.pairs[0].differing if path.startswith("tool_calls")] == [
        "tool_calls[0].arguments.amount_cents"
    ]


def test_a_name_that_is_given_again_elsewhere_is_no_twin_of_this_one(tmp_path):
    for team, amount in (("billing", 4200), ("orders", 1)):
        write(tmp_path / team / "refund-reject", expect=REJECT)
        write(tmp_path / team / "refund-accept", expect=ACCEPT, record=document(amount))
        write(tmp_path / team / "bad" / "ship", expect=f"{REJECT}twin: shipped\n")
        write(tmp_path / team / "good" / "shipped", expect=ACCEPT)
    found = paired(*(folder.parent for folder in sorted(tmp_path.rglob("expect.yaml"))))
    assert {(each.parent.parent.name, twin.folder.parent.parent.name) for each, twin in found.twins.items()} == {
        (each, each) for each in ("billing", "orders", tmp_path.name)
    }
    assert all(twin.folder.parent == each.parent for each, twin in found.twins.items() if "refund" in each.name)
