"""What each address of the page does, and what every request must show before it does anything."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from flask import Response, make_response, redirect, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from ...errors import ExtractFixtureError, UsageError
from .form import statement
from .lenient import CaseFiles
from .ports import WORDS, CaseChanged, Outcome, Settled, Word
from .rendering import render, style
from .runs import escaped
from .session import Review
from .views import CasePage, case_page, entity


class Routes:
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
        with self._review.lock:
            page = case_page(CaseFiles.of(path), self._review.desk.originals(path))
            outcome = self._review.outcomes.pop(number, None)
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
        with self._review.lock:
            self._review.outcomes[number] = act(path, request.form.get("seen", ""))
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
