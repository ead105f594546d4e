"""Who may open the page and what a browser may do with it."""

from __future__ import annotations

import json
import re

import pytest

from extractor.review.page.ports import Decided, Outcome
from extractor.review.page.server import application, opening
from extractor.review.page.session import Review

from .conftest import desk_of
from .parsing import Parsed

ADDRESS = "http://127.0.0.1:4711"


class Browser:
    """A client that behaves as a browser on the page does."""

    def __init__(self, review: Review) -> None:
        review.address = ADDRESS
        self.review = review
        self.client = application(review).test_client()

    def get(self, path, **headers):
        return self.client.get(path, base_url=ADDRESS, headers=headers)

    def post(self, path, data=None, origin=ADDRESS, **headers):
        return self.client.post(path, base_url=ADDRESS, data=data, headers={"Origin": origin, **headers})

    def opened(self) -> Browser:
        assert self.post("/open", {"code": self.review.code}, origin="null").status_code == 200
        return self

    def form(self, number=1):
        page = Parsed(self.get(f"/case/{number}").text)
        return {"seen": next(one["value"] for one in page.elements("input") if one.get("name") == "seen")}


@pytest.fixture
def review(case, desk) -> Review:
    return Review(cases=(case,), desk=desk)


@pytest.fixture
def browser(review) -> Browser:
    return Browser(review)


def document(case, name="fixture.json") -> dict:
    return json.loads((case / name).read_bytes())


def test_a_code_opens_once_and_stands_in_no_address(browser, review):
    code = review.code
    answer = browser.post("/open", {"code": code}, origin="null")
    assert answer.status_code == 200
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert code not in cookie + answer.text
    assert browser.get("/case/1").status_code == 200
    assert browser.post("/open", {"code": code}, origin="null").status_code == 403


@pytest.mark.parametrize("code", ["", "wrong", "\u00e9"])
def test_another_code_opens_nothing(browser, code):
    assert browser.post("/open", {"code": code}, origin="null").status_code == 403
    assert browser.get("/case/1").status_code == 403


@pytest.mark.parametrize("path", ["/", "/case/1", "/case/99", "/nothing"])
def test_without_a_session_nothing_is_shown(browser, path):
    answer = browser.get(path)
    assert answer.status_code == 403
    assert "refund" not in answer.text


@pytest.mark.parametrize(
    "host", ["localhost:4711", "127.0.0.1", "evil.example", "127.0.0.1:4712", "127.0.0.1:4711.evil.example"]
)
def test_another_host_name_is_refused(browser, host):
    """DNS rebinding: a name of somebody else's that leads to loopback."""
    browser.opened()
    assert browser.get("/case/1", Host=host).status_code == 403
    assert browser.post("/case/1/mark", {"word": "accept"}, Host=host).status_code == 403


@pytest.mark.parametrize(
    "origin", ["null", "http://evil.example", "http://127.0.0.1:4712", "http://localhost:4711", ""]
)
def test_a_post_of_another_origin_changes_nothing(browser, case, origin):
    browser.opened()
    before = (case / "provenance.json").read_bytes()
    data = {**browser.form(), "residual": "0", "word": "accept"}
    assert browser.post("/case/1/mark", data, origin=origin).status_code == 403
    assert (case / "provenance.json").read_bytes() == before


def test_another_site_cannot_lead_here(browser):
    browser.opened()
    assert browser.get("/case/1", **{"Sec-Fetch-Site": "cross-site"}).status_code == 403


@pytest.mark.parametrize("path", ["/", "/case/1", "/nothing", "/case/9"])
def test_every_answer_is_guarded(browser, path):
    browser.opened()
    headers = browser.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Werkzeug" not in str(headers)


def test_a_nonce_is_used_once(browser):
    browser.opened()
    nonces = {
        re.search("nonce-([^']+)", browser.get("/case/1").headers["Content-Security-Policy"])[1] for _ in range(3)
    }
    assert len(nonces) == 3


def test_the_page_names_nothing_outside_itself(browser):
    page = Parsed(browser.opened().get("/case/1").text)
    assert page.elements("script") == []
    assert page.elements("link") == []
    assert page.elements("img") == []
    assert not [name for element in page.all for name in element if name.startswith("on") or name == "style"]
    targets = [element[name] for element in page.all for name in ("href", "src", "action") if name in element]
    assert targets
    assert not [target for target in targets if not target.startswith(("#", "/"))]
    assert len(page.ids) == len(set(page.ids))
    assert not [target for target in targets if target.startswith("#") and target[1:] not in page.ids]


def test_everything_is_there_and_in_order(browser):
    page = Parsed(browser.opened().get("/case/1").text)
    said = page.text
    places = [
        said.index(part)
        for part in (
            "To judge",
            "What happened",
            "What is proved",
            "Kept and dropped",
            "Missing evidence",
            "What must hold",
        )
    ]
    story = ["Something I ordered", "order.lookup", "refund.create", "did not answer in time", "has been completed"]
    order = [said.index(part, places[1]) for part in story]
    assert order == sorted(order)
    assert "none is there" in said
    assert "took effect" in said


def test_a_residual_is_accepted(browser, case):
    browser.opened()
    data = {**browser.form(), "residual": "0", "word": "accept"}
    assert browser.post("/case/1/mark", data).status_code == 303
    assert "Accepted" in browser.get("/case/1").text
    assert "Accepted" not in Parsed(browser.get("/case/1").text).text.split("1 accepted")[0]
    assert len(document(case, "provenance.json")["predicate"]["accepted"]) == 1


def test_a_residual_that_is_a_name_goes(browser, case):
    browser.opened()
    answer = browser.post("/case/1/mark", {**browser.form(), "residual": "0", "word": "name"})
    assert answer.status_code == 303
    assert b"karn" not in (case / "fixture.json").read_bytes().lower()
    assert "Skarn" in browser.get("/case/1").text  # once, in what changed
    assert "Skarn" not in browser.get("/case/1").text


def test_a_decision_upon_what_has_changed_is_refused(browser):
    browser.opened()
    data = {**browser.form(), "residual": "0", "word": "accept"}
    browser.post("/case/1/mark", data)
    answer = browser.post("/case/1/mark", {**data, "residual": "0", "word": "name"})
    assert answer.status_code == 409
    assert "look at it again" in answer.text


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"word": "accept", "residual": "-1"},
        {"word": "accept", "residual": "9"},
        {"word": "burn", "residual": "0"},
        {"word": "name", "token": "Absentia"},
    ],
)
def test_what_makes_no_sense_is_refused_in_our_words(browser, data):
    browser.opened()
    answer = browser.post("/case/1/mark", {**browser.form(), **data})
    assert answer.status_code == 422
    assert "Absentia" not in answer.text


def test_the_form_notes_only_what_was_changed(browser, case):
    browser.opened()
    page = Parsed(browser.get("/case/1").text)
    filled = {**browser.form(), **page.fields()}
    assert filled["prohibit"].splitlines() == document(case)["expected"]["prohibited_claims"]
    before = document(case)["expected"]
    answer = browser.post(
        "/case/1/note", {**filled, "require": "say that it is not known yet\r\n", "effects": "refund.create=0..1"}
    )
    assert answer.status_code == 303
    after = document(case)["expected"]
    assert after["required_behaviours"] == ["say that it is not known yet"]
    assert after["effects"] == {"refund.create": {"min": 0, "max": 1}}
    assert after["failure_statement"] == before["failure_statement"]


def test_an_empty_form_notes_nothing(browser):
    browser.opened()
    assert browser.post("/case/1/note", browser.form()).status_code == 422


def test_without_a_decider_the_commands_are_shown(browser, case):
    page = browser.opened().get("/case/1").text
    assert f"extract-fixture approve {case} --role privacy --reviewer NAME" in page
    assert browser.post("/case/1/decide", {**browser.form(), "decision": "approve"}).status_code == 422


def test_a_decision_reaches_who_decides(case, desk):
    calls = []

    def decide(path, **given):
        calls.append((path, given))
        return Decided(told="Approved by privacy.", case=path)

    browser = Browser(Review(cases=(case,), desk=desk, decide=decide)).opened()
    data = {**browser.form(), "role": "privacy", "reviewer": " Ann ", "decision": "approve", "confirm": ["a", "b"]}
    assert browser.post("/case/1/decide", data).status_code == 303
    assert calls == [
        (
            case,
            {"role": "privacy", "reviewer": "Ann", "decision": "approve", "reason": None, "confirmations": ["a", "b"]},
        )
    ]
    assert "Approved by privacy." in browser.get("/case/1").text
    assert browser.post("/case/1/decide", {**data, "seen": "0"}).status_code == 409


def test_a_fault_is_told_without_what_it_choked_on(case, desk):
    class Broken:
        def __getattr__(self, name):
            return getattr(desk, name)

        def settle(self, *_args, **_named) -> Outcome:
            raise KeyError("Maren Oduya")

    browser = Browser(Review(cases=(case,), desk=Broken())).opened()
    answer = browser.post("/case/1/mark", {**browser.form(), "residual": "0", "word": "accept"})
    assert answer.status_code == 500
    assert "Maren" not in answer.text


def test_originals_stand_only_on_a_page_that_was_opened_with_the_source(case, browser):
    from tests.acceptance import samples

    planted = [entry["value"] for entry in samples.FACTS["refund-timeout"]["planted"] if " " in entry["value"]]
    assert planted
    assert not [value for value in planted if value in browser.opened().get("/case/1").text]
    source = samples.source_of("refund-timeout")
    shown = Browser(Review(cases=(case,), desk=desk_of(source, with_source=True))).opened().get("/case/1")
    assert [value for value in planted if value in shown.text]
    assert shown.headers["Cache-Control"] == "no-store"
    assert not [
        path for path in case.parent.rglob("*") if path.is_file() and any(v in path.read_text() for v in planted)
    ]


def test_several_cases_are_listed(case, desk, pattern):
    browser = Browser(Review(cases=(case, pattern), desk=desk)).opened()
    assert browser.get("/").text.count(case.name) == 2
    assert browser.get("/case/2").status_code == 200


def test_closing_ends_the_wait(browser, review):
    browser.opened()
    assert browser.post("/close").status_code == 200
    review.wait()


def test_nobody_there_ends_the_wait(review):
    review.idle_seconds = 0
    review.wait()


def test_the_opening_file_posts_and_allows_its_own_script_alone(review):
    review.address = ADDRESS
    page = Parsed(opening(review))
    (form,) = page.elements("form")
    assert form == {"method": "post", "action": f"{ADDRESS}/open"}
    (policy,) = [one["content"] for one in page.elements("meta") if one.get("http-equiv")]
    assert "script-src 'sha256-" in policy
    assert review.code not in form["action"]


def test_what_is_posted_is_bounded(browser):
    browser.opened()
    assert browser.post("/case/1/note", {**browser.form(), "failure": "x" * 300_000}).status_code == 413
