from __future__ import annotations

import json
from html.parser import HTMLParser

from extractor.checks.declaring import Check
from extractor.checks.matrix import matrix
from extractor.checks.matrix_told import members, page, table
from extractor.checks.mutations import MUTATIONS

from .runs import good_case, good_record
from .test_matrix import CHECKS


def made(checks=CHECKS, **record):
    return matrix([(good_record(**record), good_case())], checks)


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.texts = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def parsed(text) -> Elements:
    parser = Elements()
    parser.feed(text)
    return parser


def test_the_table_has_a_line_a_check_and_names_what_no_mutation_rejects():
    lines = table(made(citations=[])).splitlines()
    row = next(line for line in lines if line.startswith("counted "))
    column = lines[0].index(" 4") + 1
    assert row[column] == "x"
    assert next(line for line in lines if line.startswith("vacuous "))[column] == "."
    assert "reads_nothing: NO MUTATION IS REJECTED: reads nothing of a record" in lines
    assert any(line.startswith("vacuous: walks tool_calls and accepts that there is nothing in it") for line in lines)
    assert [line.split()[1] for line in lines if line[:2].strip().isdecimal()] == [each.name for each in MUTATIONS]


def test_json_counts_every_cell():
    told = json.loads(json.dumps(members(made())))
    assert told["records"] == 1
    rows = {each["check"]: each for each in told["checks"]}
    assert rows["counted"]["mutations"]["empty_tool_calls"] == {
        "rejected": 1, "accepted": 0, "not_applicable": 0, "broke": 0,
    }  # fmt: skip
    assert rows["breaks"]["mutations"]["dropped_field"]["broke"] == 1
    assert "reads_nothing" in told["toothless"]
    assert rows["reads_nothing"]["toothless"] == "reads nothing of a record"
    assert next(each for each in told["mutations"] if each["name"] == "forbidden_tool")["absent"]


def test_the_page_has_no_script_and_fetches_nothing():
    found = parsed(page(made(), ["other corruptions"]))
    tags = {tag for tag, _ in found.seen}
    assert not tags & {"script", "link", "img", "iframe", "object", "form", "a", "svg", "base"}
    assert not any(
        name.startswith("on") or name in ("src", "href", "style") for _, attrs in found.seen for name in attrs
    )
    policy = next(attrs["content"] for tag, attrs in found.seen if tag == "meta" and "content" in attrs)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert sum(tag == "td" for tag, _ in found.seen) == len(CHECKS) * len(MUTATIONS)
    assert "url(" not in page(made())
    assert "other corruptions" in found.texts


def test_names_of_a_project_are_text_on_the_page_whatever_they_hold():
    hostile = "<script>alert(1)</script>\"'&\u202e\x1b[31m"

    def silent(record, case):
        _ = record.model

    checks = [Check(id=hostile, body=silent, module="", line=0)]
    text = page(made(checks))
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not {tag for tag, _ in parsed(text).seen} & {"script"}
    record = good_record(output={"<img src=x onerror=alert(1)>": 1})

    def reads(run, case):
        _ = isinstance(run.output, str) or [*run.output.items()]

    told = page(matrix([(record, good_case())], [Check(id="reads", body=reads, module="", line=0)]))
    assert "<img" not in told
    assert "&lt;img src=x" in told


def test_the_same_matrix_gives_the_same_bytes():
    assert page(made()) == page(made())
    assert table(made()) == table(made())
