"""What the project calls its own stays; the people in it do not."""

from __future__ import annotations

from extractor import ruleset
from extractor.model.config import Own, RunConfig
from extractor.redact import WorkspaceKey, redact_documents

RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))


def redacted(text: str, own: Own) -> str:
    (value,) = redact_documents([text], RULES, RunConfig(own=own), KEY)
    assert isinstance(value, str)
    return value


def test_a_mailbox_of_ours_stays_and_the_customer_beside_it_goes() -> None:
    text = redacted("escalate to desk.four@shop.co about ines.kaplan@mail.co", Own(mailboxes=("desk.four@shop.co",)))
    assert text.startswith("escalate to desk.four@shop.co about ")
    assert "kaplan" not in text
    assert "mail.co" not in text


def test_at_a_domain_of_ours_functions_stay_and_people_go() -> None:
    """Personal local parts are replaced although the domain is our own."""
    text = redacted("from billing@shop.co and ines.kaplan@shop.co", Own(domains=("shop.co",)))
    assert "billing@shop.co" in text
    assert "@shop.co" in text.partition(" and ")[2]
    assert "kaplan" not in text


def test_a_mailbox_of_nobody_stays() -> None:
    assert redacted("mail support@example.net now", Own()) == "mail support@example.net now"


def test_the_mailbox_of_a_function_elsewhere_keeps_its_name_alone() -> None:
    text = redacted("mail support@harbour-lamps.co now", Own())
    assert text.startswith("mail support@")
    assert "harbour" not in text
