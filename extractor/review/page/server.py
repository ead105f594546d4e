"""The page on loopback: who may open it, what a browser may do with it, and what a click becomes."""

from __future__ import annotations

import hmac
import re
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from flask import Flask, Response, make_response, redirect, request
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Response as BaseResponse

from ...errors import ExtractFixtureError, UsageError
from ...model.config import Statement
from .lenient import CaseFiles
from .ports import WORDS, CaseChanged, Decide, Desk, Outcome, Settled, Word
from .rendering import digest, render, style
from .runs import escaped
from .views import CasePage, case_page, entity

LOOPBACK = "127.0.0.1"
_OPENING = "document.forms[0].submit()"
_MOST_BYTES = 256 * 1024
_BOUNDS = re.compile(r"([^=\s]+)=(\d{1,6})(?:\.\.(\d{1,6})?)?")
_TICK = 0.5  # seconds


@dataclass(slots=True, kw_only=True)
class Review:
    """The cases of one opening of the page, and who may see them: whoever posts the code, once, from this machine."""

    cases: Sequence[Path]
    desk: Desk
    decide: Decide | None = None
    idle_seconds: float = 3_600.0
    code: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    address: str = ""
    _session: str = field(default="", repr=False)
    _outcomes: dict[int, Outcome] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _closed: threading.Event = field(default_factory=threading.Event, repr=False)
    _touched: float = field(default_factory=time.monotonic, repr=False)

    @property
    def host(self) -> str:
        """The only ``Host`` that is answered."""
        return self.address.removeprefix("http://")

    @property
    def cookie(self) -> str:
        """The session cookie's name; cookies do not know ports, so the name does."""
        return f"review_{self.host.rpartition(':')[2]}"

    def open_with(self, code: str) -> str | None:
        """Return a new session for the right code, None for another one; a code opens once."""
        with self._lock:
            if not self.code or not hmac.compare_digest(code.encode(), self.code.encode()):
                return None
            self.code, self._session = "", secrets.token_urlsafe(32)
            return self._session

    def knows(self, session: str) -> bool:
        """Say whether a cookie is this opening's session."""
        return bool(self._session) and hmac.compare_digest(session.encode(), self._session.encode())

    def touch(self) -> None:
        """Take note that somebody is there."""
        self._touched = time.monotonic()

    def close(self) -> None:
        """End the page."""
        self._closed.set()

    def wait(self) -> None:
        """Return when the page was closed, or nobody has used it for so long."""
        while not self._closed.wait(_TICK) and time.monotonic() - self._touched < self.idle_seconds:
            pass


class _Handler(WSGIRequestHandler):
    """Says nothing of requests, and drops connections that say nothing."""

    timeout = 30

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002  # werkzeug's name
        """Say nothing: a log would hold paths and times of a review."""

    def version_string(self) -> str:
        """Name no software."""
        return "review"


def serve(review: Review) -> BaseWSGIServer:
    """Return a server on a free port of loopback, its address known to the review; the caller starts and ends it."""
    server = make_server(LOOPBACK, 0, application(review), threaded=True, request_handler=_Handler)
    review.address = f"http://{LOOPBACK}:{server.server_port}"
    return server


def opening(review: Review) -> str:
    """Return the HTML of the file that opens the page: it posts the code, which so stands in no address."""
    policy = f"default-src 'none'; script-src {digest(_OPENING)}; form-action {review.address}/open; base-uri 'none'"
    # The script is ours, and the policy allows this one alone.
    return render("opening.html", policy=policy, address=review.address, code=review.code, script=_OPENING)


def application(review: Review) -> Flask:
    """Return the application. Every answer is guarded, every change is posted from the page itself."""
    app = Flask("extractor.review.page", static_folder=None, template_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = _MOST_BYTES
    app.config["MAX_FORM_MEMORY_SIZE"] = _MOST_BYTES
    app.logger.disabled = True
    routes = _Routes(review)
    app.before_request(routes.guard)
    app.after_request(routes.shut)
    app.register_error_handler(Exception, routes.failed)
    app.add_url_rule("/open", view_func=routes.open, methods=["POST"])
    app.add_url_rule("/", view_func=routes.cases)
    app.add_url_rule("/case/<int:number>", view_func=routes.case)
    app.add_url_rule("/case/<int:number>/mark", view_func=routes.mark, methods=["POST"])
    app.add_url_rule("/case/<int:number>/resume", view_func=routes.resume, methods=["POST"])
    app.add_url_rule("/case/<int:number>/note", view_func=routes.note, methods=["POST"])
    app.add_url_rule("/case/<int:number>/decide", view_func=routes.decide, methods=["POST"])
    app.add_url_rule("/close", view_func=routes.close, methods=["POST"])
    return app


class _Routes:
    """What each address does."""

    def __init__(self, review: Review) -> None:
        self._review = review

    def guard(self) -> Response | None:
        """Refuse what does not come from the page itself: another host name, another origin, no session."""
        if request.host != self._review.host:
            return self._message(403, "Not here", "This page answers at its own address alone.")
        if request.endpoint == "open":
            return None
        # A page of another origin can post, and cannot forge these.
        if request.method != "GET" and request.headers.get("Origin") != self._review.address:
            return self._message(403, "Not from here", "Only the page itself may change anything.")
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return self._message(403, "Not from here", "Another site led to this address.")
        if not self._review.knows(request.cookies.get(self._review.cookie, "")):
            return self._message(403, "Closed", "Open the page with the file that the command has named.")
        self._review.touch()
        return None

    def shut(self, response: Response) -> Response:
        """Set the headers that every answer bears."""
        headers = response.headers
        headers["Cache-Control"] = "no-store"
        headers["X-Content-Type-Options"] = "nosniff"
        headers["X-Frame-Options"] = "DENY"
        headers["Referrer-Policy"] = "same-origin"  # with none at all, a browser would name no origin when it posts
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(), clipboard-read=()"
        headers.setdefault("Content-Security-Policy", _policy(""))
        return response

    def failed(self, error: Exception) -> Response:
        """Tell of a failure in our own words: a library's message may quote what it choked on."""
        if isinstance(error, ExtractFixtureError):
            status = 409 if isinstance(error, CaseChanged) else 422
            return self._message(
                status, "That did not work", *error.message.splitlines(), *([error.hint] if error.hint else [])
            )
        if isinstance(error, HTTPException):
            return self._message(
                error.code or 500, "Nothing here", "There is no such page, or it takes no such request."
            )
        return self._message(500, "A fault of ours", f"{type(error).__name__}; the case was not changed by it.")

    def open(self) -> Response:
        """Take the code and give a session. The browser goes on by itself: its cookie is strict, and we came from a file."""
        session = self._review.open_with(request.form.get("code", ""))
        if session is None:
            return self._message(403, "Closed", "This code was used, or is another one. Run the command again.")
        response = self._message(200, "Opening", onward="/")
        response.set_cookie(self._review.cookie, session, httponly=True, samesite="Strict", path="/")
        return response

    def cases(self) -> BaseResponse:
        """List the cases; a single one is shown at once."""
        if len(self._review.cases) == 1:
            return redirect("/case/1")
        listed = [case_page(CaseFiles.of(path)) for path in self._review.cases]
        return self._page(200, "cases.html", listed=listed)

    def case(self, number: int) -> Response:
        """Show a case."""
        path = self._path(number)
        with self._review._lock:  # noqa: SLF001  # one module, two classes
            page = case_page(CaseFiles.of(path), self._review.desk.originals(path))
            outcome = self._review._outcomes.pop(number, None)  # noqa: SLF001
            waiting, hindrance = self._review.desk.waiting(path), self._review.desk.hindrance(path)
        return self._page(
            200,
            "case.html",
            page,
            page=page,
            base=f"/case/{number}",
            cases=len(self._review.cases),
            outcome=outcome,
            waiting=waiting,
            hindrance=hindrance,
            deciding=self._review.decide is not None,
            packet=False,
            class_name=entity,
            visible=escaped,
        )

    def mark(self, number: int) -> BaseResponse:
        """Settle a residual, or a word."""
        index = request.form.get("residual")
        word = _word(request.form.get("word", ""))
        if index is not None and not index.isdecimal():
            raise UsageError("there is no residual of this number")
        token = None if index is not None else request.form.get("token", "")
        settled = Settled(word=word, residual=None if index is None else int(index), token=token)
        return self._done(number, lambda path, seen: self._review.desk.settle(path, settled, seen=seen))

    def resume(self, number: int) -> BaseResponse:
        """Apply the marks that waited."""
        return self._done(number, lambda path, seen: self._review.desk.resume(path, seen=seen))

    def note(self, number: int) -> BaseResponse:
        """Note what was typed into the form and differs from what stands."""
        form = dict(request.form)

        def noted(path: Path, seen: str) -> Outcome:
            told = statement(form, case_page(CaseFiles.of(path)))
            return self._review.desk.note(path, told, seen=seen)

        return self._done(number, noted)

    def decide(self, number: int) -> BaseResponse:
        """Record a decision."""
        decide, form = self._review.decide, request.form
        if decide is None:
            raise UsageError("decisions are taken at the command line here")
        decision: Literal["approve", "reject"] = "approve" if form.get("decision") == "approve" else "reject"
        confirmations = form.getlist("confirm")

        def judged(path: Path, seen: str) -> Outcome:
            if CaseFiles.of(path).seen != seen:
                raise CaseChanged("the case has changed since it was shown; look at it again, then decide")
            decided = decide(
                path,
                role=form.get("role", ""),
                reviewer=form.get("reviewer", "").strip(),
                decision=decision,
                reason=form.get("reason", "").strip() or None,
                confirmations=confirmations,
            )
            # A decision may be the last one that was needed: the case stands elsewhere then.
            self._review.cases = [decided.case if each == path else each for each in self._review.cases]
            return Outcome(told=decided.told)

        return self._done(number, judged)

    def close(self) -> Response:
        """End the page."""
        self._review.close()
        return self._message(200, "Closed", "You may close this window.")

    def _done(self, number: int, act: Callable[[Path, str], Outcome]) -> BaseResponse:
        path = self._path(number)
        with self._review._lock:  # noqa: SLF001  # one module, two classes
            self._review._outcomes[number] = act(path, request.form.get("seen", ""))  # noqa: SLF001
        return redirect(f"/case/{number}", code=303)

    def _path(self, number: int) -> Path:
        if not 1 <= number <= len(self._review.cases):
            raise UsageError("there is no case of this number")
        return self._review.cases[number - 1]

    def _message(self, status: int, title: str, *lines: str, onward: str = "") -> Response:
        shown = [escaped(line) for line in lines]
        return self._page(status, "message.html", title=title, lines=shown, onward=onward)

    def _page(self, status: int, template: str, case: CasePage | None = None, **context: object) -> Response:
        nonce = secrets.token_urlsafe(16)
        response = make_response(render(template, nonce=nonce, style=style(case), **context), status)
        response.headers["Content-Security-Policy"] = _policy(nonce)
        return response


def statement(form: Mapping[str, str], page: CasePage) -> Statement:
    """Return what was typed and differs from what stands in the case. Raises `UsageError` for bounds that are none."""
    standing = page.expected
    was = {
        "failure": standing.trigger,
        "prohibit": standing.prohibited,
        "evidence_needed": standing.evidence_needed,
        "require": standing.behaviours,
        "disclose": standing.disclosures,
        "boundary": standing.boundary,
        "effects": standing.effects,
        "authorization": standing.authorization,
        "incident": standing.incident,
    }
    told = {name: form.get(name, "").replace("\r\n", "\n").strip() for name in was}
    new = {name: said for name, said in told.items() if said and said != escaped(was[name]).strip()}
    return Statement(
        incident=new.get("incident"),
        failure=new.get("failure"),
        prohibit=_lines(new.get("prohibit", "")),
        evidence_needed=new.get("evidence_needed"),
        behaviours=_lines(new.get("require", "")),
        disclosures=_lines(new.get("disclose", "")),
        boundary=new.get("boundary"),
        authorization=new.get("authorization"),
        effects=dict(map(_bound, _lines(new.get("effects", "")))),
    )


def _lines(said: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in said.splitlines() if line.strip())


def _bound(line: str) -> tuple[str, tuple[int, int | None]]:
    match = _BOUNDS.fullmatch(line)
    if match is None:
        raise UsageError("side effects are TOOL=N, TOOL=MIN..MAX or TOOL=MIN.., one tool a line")
    least = int(match[2])
    most = least if ".." not in line else int(match[3]) if match[3] else None
    return match[1], (least, most)


def _word(said: str) -> Word:
    for word in WORDS:
        if word == said:
            return word
    raise UsageError("a word is accepted, is a name, or must go")


def _policy(nonce: str) -> str:
    styles = f"'nonce-{nonce}'" if nonce else "'none'"
    return (
        f"default-src 'none'; style-src {styles}; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )
