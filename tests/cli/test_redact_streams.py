from __future__ import annotations

import gzip
import io
import json
import re
import sys

import pytest
import zstandard

from extractor.cli.app import run
from extractor.loose import lines as lines_module
from extractor.loose.lines import Line, Source, holding

MAIL = "zed.whitcombe@acme-corp.com"
LINE = f'{{"email": "{MAIL}", "note": "ask {MAIL}", "amount": 12.50}}'
OTHER = '{"email": "ann.other@acme-corp.com", "amount": 1}'


@pytest.fixture
def redacted(here, monkeypatch, capsysbinary):
    """Return a function that redacts bytes from standard input, and gives output and messages."""

    def through(content: bytes, *options: str, status: int = 0) -> tuple[bytes, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        capsysbinary.readouterr()
        assert run(["redact", *options]) == status
        sys.stdout.flush()
        out, err = capsysbinary.readouterr()
        return out, err.decode()

    return through


def test_compressed_sources_come_out_as_their_plain_content_does(here, redacted):
    content = f"{LINE}\n{OTHER}\n".encode()
    (here / "a.jsonl").write_bytes(content)
    (here / "a.gz").write_bytes(gzip.compress(content))
    (here / "a.zst").write_bytes(zstandard.compress(content))
    plain = redacted(b"", "a.jsonl")[0]
    assert b"whitcombe" not in plain
    assert {redacted(b"", name)[0] for name in ("a.gz", "a.zst")} == {plain}
    assert redacted(gzip.compress(content))[0] == plain


def test_compressed_data_that_breaks_off_leaves_no_file(here, redacted):
    (here / "a.gz").write_bytes(gzip.compress(f"{LINE}\n{OTHER}\n".encode() * 50)[:-20])
    _, told = redacted(b"", "a.gz", "--out", "out.jsonl", status=6)
    assert "ends in the middle" in told
    assert sorted(path.name for path in here.iterdir()) == ["a.gz"]


def test_a_broken_line_is_told_by_its_number_and_leaves_no_file(here, redacted):
    content = f"{LINE}\n{OTHER}\n{OTHER[:-9]}\n".encode()
    (here / "a.jsonl").write_bytes(content)
    for source in ("a.jsonl", "-"):
        out, told = redacted(content, source, "--out", "out.jsonl", status=6)
        assert (out, told) == (b"", "error: line 3 is no JSON, though the first one is\n")
        assert sorted(path.name for path in here.iterdir()) == ["a.jsonl"]
    assert b"ann" not in redacted(content, status=6)[0]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (f"{LINE[:-9]}\n{OTHER}\n".encode(), "begins as JSON and is none, from line 1 on"),
        (f'[\n{LINE},\n{{"name": "Zed\n]\n'.encode(), "begins as JSON and is none, from line 3 on"),
        (f"{LINE}\n".encode() + b'{"email": "\xff"}\n', "line 2 is no UTF-8 from its byte 11 on"),
        (f'{LINE}\n{{"a": 1, "a": "{MAIL}"}}\n'.encode(), "line 2 is JSON that is not accepted: duplicate_member"),
        (f"{LINE}\n{'[' * 300}{']' * 300}\n".encode(), "line 2 is JSON that is not accepted: too_deep"),
        (f"write to {MAIL}".encode("utf-16-le"), "NUL"),
    ],
)
def test_what_could_hide_something_is_refused_by_position(content, told, redacted):
    out, said = redacted(content, status=6)
    assert told in said
    assert not re.search(rb"acme|whitcombe|ann\.other", out)
    assert "acme" not in said


def test_numbers_that_are_not_finite_become_texts_and_are_told(redacted):
    out, told = redacted(f'{{"score": NaN, "low": -Infinity, "email": "{MAIL}"}}\n{LINE}\n'.encode())
    first = json.loads(out.splitlines()[0], parse_constant=pytest.fail)
    assert (first["score"], first["low"]) == ("NaN", "-Infinity")
    assert b"whitcombe" not in out
    assert told == "numbers that are not finite became texts in 1 lines, first in line 1\n"


def test_only_what_changed_is_spelled_anew(redacted):
    text = '\ufeff{ "a" :"caf\\u00e9 \\/ \u2028\u00fc",\t"e":"MAIL","n":1E+2 , "s": "\\ud83d\\ude00"}\r\n'.replace(
        "MAIL", MAIL
    )
    out, _ = redacted(text.encode())
    after = out.decode()
    assert re.fullmatch(re.escape(text).replace(re.escape(MAIL), r'[^"@]+@[^"@]+'), after)
    assert MAIL not in after


def test_a_lone_surrogate_is_written_escaped(redacted):
    out, _ = redacted(f'{{"a": "\\ud800 caf\u00e9 {MAIL}"}}\n'.encode())
    assert b'"\\ud800 caf\xc3\xa9 ' in out
    assert b"whitcombe" not in out


@pytest.mark.parametrize("options", [(), ("--joint",)])
def test_a_pipe_and_a_file_give_the_same(options, here, redacted):
    content = f"{LINE}\n\n{OTHER}\n{LINE}".encode()
    (here / "a.jsonl").write_bytes(content)
    assert redacted(content, *options) == redacted(b"", "a.jsonl", *options)


def test_an_export_is_the_same_from_a_file_a_pipe_and_compressed(export, here, redacted):
    content = export.read_bytes()
    (here / "a.gz").write_bytes(gzip.compress(content))
    plain = redacted(b"", str(export))[0]
    assert redacted(content)[0] == plain
    assert redacted(b"", "a.gz")[0] == plain


def span(trace: str, **attributes: str) -> dict:
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {"traceId": trace * 32, "spanId": trace * 16, "name": "work", "attributes": listed}


def request(*spans: dict, host: str = "pod-7f9c4d-x2x9z") -> dict:
    resource = {"attributes": [{"key": "host.name", "value": {"stringValue": host}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}]}


def lines_of(*records: dict) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def values(line: bytes) -> list[list[str]]:
    scopes = json.loads(line)["resourceSpans"][0]["scopeSpans"]
    return [[one["value"]["stringValue"] for one in each["attributes"]] for each in scopes[0]["spans"]]


def test_a_trace_is_redacted_together_however_its_spans_are_spread(redacted):
    """What a later line knows of a trace is found in an earlier one; no trace is linked to another."""
    out, _ = redacted(
        lines_of(
            request(span("a", note="for Zed Whitcombe"), span("b", email=MAIL)),
            request(span("b", note=f"wrote {MAIL}"), host="pod-7f9c4d-x2x9z"),
            request(span("a", customer_name="Zed Whitcombe", email=MAIL)),
        )
    )
    assert not re.search(rb"Whitcombe|acme|pod-7f9c4d-x2x9z", out)
    first, second, third = map(values, out.splitlines())
    assert first[0][0] == f"for {third[0][0]}"
    assert second[0][0] == f"wrote {first[1][0]}"
    assert third[0][1] != first[1][0]
    hosts = {re.search(rb'"host.name", "value": {"stringValue": "([^"]+)"', line)[1] for line in out.splitlines()}
    assert len(hosts) == 1


def test_what_spans_know_does_not_stand_around_them(redacted):
    other = {**request(span("a", customer_name="Zed Whitcombe"), span("b")), "note": "seen by Zed Whitcombe"}
    out, _ = redacted(lines_of(other, request(span("b"))))
    assert b"Whitcombe" not in out


def test_spans_without_a_trace_belong_to_their_line(redacted):
    lost = {**span("a", email=MAIL), "traceId": ""}
    out, _ = redacted(lines_of(request(lost), request(span("b", x="1")), request(lost, span("c"))))
    assert b"whitcombe" not in out
    first, _, third = map(values, out.splitlines())
    assert first[0] != third[0]


def test_a_line_of_another_kind_in_an_export_is_redacted_by_itself(redacted):
    out, _ = redacted(lines_of(request(span("a", email=MAIL))) + b"\n" + LINE.encode() + b"\n")
    assert b"whitcombe" not in out
    assert len(out.splitlines()) == 3


def at(document, path):
    """Return the value at a path by position."""
    node = document
    for step in path.split(".") if path != "." else ():
        index = int(step[1:-1])
        node = list(node.values())[index] if step[0] == "{" else node[index]
    return node


def test_each_replacement_is_told_by_line_place_class_and_rule(redacted):
    out, told = redacted(f"{OTHER}\n{LINE}\n".encode(), "--explain", "--json")
    found = [json.loads(line) for line in told.splitlines()]
    assert {(one["line"], one["path"], one["entity"], one["rules"][-1]) for one in found} >= {
        (1, "{0}", "email", "email.field"),
        (2, "{0}", "email", "email.field"),
        (2, "{1}", "email", "email.field"),
    }
    source = [json.loads(OTHER), json.loads(LINE)]
    for one in found:
        assert at(source[one["line"] - 1], one["path"])[one["start"] : one["end"]] in (MAIL, "ann.other@acme-corp.com")
    plain = redacted(f"{OTHER}\n{LINE}\n".encode())
    assert plain == (out, "")
    assert (
        "line 2  {1}  4-31  email  email.address,email.field\n"
        in redacted(f"{OTHER}\n{LINE}\n".encode(), "--explain")[1]
    )


def test_json_without_an_explanation_is_a_wrong_command_line(redacted):
    assert "--explain" in redacted(b"x", "--json", status=2)[1]


def test_places_in_an_export_are_those_of_the_file(redacted):
    twice = span("a", email=MAIL)
    twice["attributes"] += [{"value": {"stringValue": MAIL}, "key": "email"}]
    nested = {"kvlistValue": {"values": [{"key": "user_id", "value": {"stringValue": "zed_whitcombe_77"}}]}}
    deep = span("a")
    deep["attributes"] = [
        {"key": "args", "value": nested},
        {"key": "n", "value": {"arrayValue": {"values": [{"stringValue": MAIL}]}}},
    ]
    records = [request(span("b"), deep, twice), {**request(span("a", x=json.dumps({"email": MAIL}))), "note": MAIL}]
    _, told = redacted(lines_of(*records), "--explain", "--json")
    found = [json.loads(line) for line in told.splitlines()]
    texts = [
        at(records[one["line"] - 1], one["path"])[one["start"] : one["end"]] for one in found if "<" not in one["path"]
    ]
    assert texts.count(MAIL) == 4
    assert "zed_whitcombe_77" in texts
    assert "pod-7f9c4d-x2x9z" in texts
    assert [one["path"].rpartition("<")[2] for one in found if "<" in one["path"]] == ["0.0>.{0}"]


def test_the_explanation_holds_no_value_and_no_member_name(export, redacted):
    _, told = redacted(b"", str(export), "--explain")
    assert len(told.splitlines()) > 50
    assert all(
        re.fullmatch(r"line \d+  [\[\]{}<>.\dkey]+  \d+-\d+  [a-z_]+  [a-z0-9_.,]+", line) for line in told.splitlines()
    )


@pytest.fixture
def case(here, export):
    """The refund incident, extracted."""
    assert run(["--trace-id", "6d383010", str(export), "--quiet"]) == 0
    (found,) = (here / "fixtures" / "quarantine").glob("2*")
    return found


def test_a_case_that_its_sidecar_vouches_for_is_unchanged(case, here, redacted):
    before = (case / "fixture.json").read_bytes()
    for source in (case, case / "fixture.json"):
        out, told = redacted(b"", str(source))
        assert out == before
        assert told == "unchanged: the sidecar beside it vouches for these bytes\n"


def test_nothing_is_spared_because_it_looks_synthetic(case, here, redacted):
    text = (case / "fixture.json").read_text()
    mail = re.search(r"[\w.]+@example\.(?:com|net|org)", text)[0]
    loose = here / "fixture.json"
    loose.write_text(text)
    assert mail.encode() not in redacted(b"", str(loose))[0]
    (case / "fixture.json").write_text(text + "\n")
    assert mail.encode() not in redacted(b"", str(case))[0]
    assert redacted(b"", str(here / "fixtures"), status=6)[0] == b""


def test_what_waits_on_disk_is_sealed():
    with holding(Source(stream=io.BytesIO(), file=None)) as held:
        for number, data in enumerate((LINE.encode(), b"", LINE.encode()), 1):
            held.add(Line(number=number, start=0, data=data))
        assert [held.line(index).data for index in (2, 0, 1)] == [LINE.encode(), LINE.encode(), b""]
        held._file.seek(0)
        assert b"whitcombe" not in held._file.read()


def test_what_waits_on_disk_is_bounded(monkeypatch, redacted):
    monkeypatch.setattr(lines_module, "MAX_HELD", 100)
    assert "GiB" in redacted(f"{LINE}\n{LINE}\n".encode(), "--joint", status=6)[1]


def test_a_line_beyond_the_bound_is_refused(monkeypatch, redacted):
    monkeypatch.setattr(lines_module, "MAX_LINE", 100)
    assert "a line holds more than" in redacted(f"{LINE}\n{'1' * 2_000_000}".encode(), status=6)[1]


def test_two_texts_share_no_scope(redacted):
    one, other = (redacted(f"write to {MAIL} {number}".encode())[0].split()[2] for number in ("once", "twice"))
    assert one != other


@pytest.mark.parametrize("options", [("--scope", "workspace"), ("--scope", "desk")])
def test_a_scope_links_what_is_redacted_apart(options, redacted):
    one, other = (
        redacted(f"write to {MAIL} {number}".encode(), *options)[0].split()[2] for number in ("once", "twice")
    )
    assert one == other


@pytest.mark.parametrize("name", ["case:0011", "a b", "", "../x", "x" * 65])
def test_a_scope_that_could_be_a_case_s_is_refused(name, here, capsys):
    for command in (["redact"], ["--trace-id", "x", "f"]):
        assert run([*command, "--scope", name]) == 2
    assert "0011" not in capsys.readouterr().err


def test_a_scope_is_recorded_in_the_sidecar(here, export):
    for scope in ("workspace", "desk"):
        assert run(["--trace-id", "6d383010", str(export), "--quiet", "--scope", scope, "--out", scope]) == 0
        (sidecar,) = (here / scope / "quarantine").glob("2*/provenance.json")
        assert json.loads(sidecar.read_text())["predicate"]["redaction"]["scope"] == scope
