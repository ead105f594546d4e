"""The page on loopback: its server, its addresses, and the file that opens it."""

from __future__ import annotations

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from .rendering import digest, render
from .routes import Routes
from .session import Review

LOOPBACK = "127.0.0.1"
_OPENING = "document.forms[0].submit()"
_MOST_BYTES = 256 * 1024


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
    routes = Routes(review)
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
