"""JSON lines are written as things happen, by their schema, and are read as they were written."""

import json
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from tck.corpus.document import InvalidFilesError
from tck.protocol import Hello
from tck.report.json_lines import JsonLinesFile
from tck.report.record import read_record
from tck.report.tally import Report
from tests.tck.report.runs import HELLO, NASTY_SHOWN, small_report, write_lines

SCHEMA = json.loads((Path(__file__).parents[3] / "tck" / "run.schema.json").read_text("utf-8"))


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return small_report(tmp_path / "cases")


def lines(path: Path) -> list[Any]:
    """The objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def valid(schema: dict[str, Any], line: Any) -> bool:
    """Whether the schema allows a line."""
    return Draft202012Validator(schema).is_valid(line)


def test_there_is_a_line_for_each_thing_that_happens(report: Report, tmp_path: Path) -> None:
    write_lines(tmp_path / "r.jsonl", report, status=1)
    head, hello, *entries, end = lines(tmp_path / "r.jsonl")
    assert date.fromisoformat(head["rowtime"].pop("date")) <= datetime.now(UTC).date()
    assert head == {"rowtime": {"format": 2, "version": "1.0", "cases": 6, "backends": ["toy"]}}
    assert (hello["backend"], hello["tier"]) == ("toy", "final")
    assert hello["hello"]["gaps"] == {"hop": "no hop"}
    assert [(each["case"], each["outcome"], each["kind"], each["known"]) for each in entries] == [
        ("a", "pass", None, None),
        ("b", "fail", "WRONG_ROWS", None),
        ("c", "error", None, None),
        ("d", "skip", None, None),
        ("e", "fail", "WRONG_ROWS", "issue of theirs"),
        ("f", "pass", None, "was wrong"),
    ]
    counts = {"passed": 1, "failed": 2, "errors": 1, "skipped": 1, "known": 1, "missing": 0}
    assert end == {"end": {"exit": 1, "counts": {"toy": counts}, "unjudged": {"toy": []}}}


def test_all_that_a_backend_says_of_itself_is_read_as_it_was_written(tmp_path: Path) -> None:
    hello = Hello(
        *("toy", "1.0", "python", "bounded", ("calcite", "sqlstream"), {"over": "no OVER"}),
        properties={"idle": "50 ms"},
        windows="table-functions",
        consistency="eventual",
        hop="size-first",
    )
    usual = Hello("", "", "", "final", ())
    unsaid = [f.name for f in fields(Hello) if getattr(hello, f.name) == getattr(usual, f.name)]
    assert not unsaid  # so that a field that is added to Hello must be added above
    report = Report()
    report.start("toy", hello, "bounded")
    write_lines(tmp_path / "r.jsonl", report)
    assert valid(SCHEMA, lines(tmp_path / "r.jsonl")[1])
    assert read_record(tmp_path / "r.jsonl").hellos == {"toy": hello}


def test_an_entry_has_what_is_needed_to_show_it(report: Report, tmp_path: Path) -> None:
    write_lines(tmp_path / "r.jsonl", report)
    a, b = lines(tmp_path / "r.jsonl")[2:4]
    assert b["reason"] == f"1 row {NASTY_SHOWN}"
    assert b["detail"] == [f"- {NASTY_SHOWN}"]
    assert b["why"] == ["why"]
    assert b["at"]["bounded"] == {"outcome": "error", "kind": None, "reason": "RuntimeError: boom"}
    assert "hop" in b["needs"]
    assert b["marks"] == {"rows": "none", "order": "none", "time": "none"}
    assert b["transcript"] is None
    first, second = a["transcript"]["outputs"]
    assert first["rows"] == [["2015-02-15 10:00:00", 1.5], ["2015-02-15 10:01:00", None]]
    assert first["bound"] == "2015-02-15 10:01:00"
    assert second["late"][0]["row"] == [NASTY_SHOWN, 1]
    assert a["transcript"]["accepted"]["columns"][1] == {
        "name": "X",
        "type": "DOUBLE",
        "nullable": True,
    }


def test_the_schema_allows_what_is_written_and_no_less(report: Report, tmp_path: Path) -> None:
    meta.validate(SCHEMA)
    write_lines(tmp_path / "r.jsonl", report, status=1)
    written = lines(tmp_path / "r.jsonl")
    forms = ["head", "hello", *["entry"] * 6, "end"]
    for form, line in zip(forms, written, strict=True):
        schema = {"$ref": f"#/$defs/{form}", "$defs": SCHEMA["$defs"]}
        assert valid(schema, line)
        assert set(SCHEMA["$defs"][form]["properties"]) == set(line)
        for key in line:
            less = {name: value for name, value in line.items() if name != key}
            assert valid(schema, less) == (
                key in ("digest", "event_needs", "gaps", "known_verdict", "reported")
            )  # files of older versions have none


def test_a_file_is_read_as_it_was_written(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_lines(path, report, status=1)
    record = read_record(path)
    assert (record.version, record.cases, record.backends) == ("1.0", 6, ("toy",))
    assert record.hellos == report.hellos
    assert record.tiers == report.tiers
    assert record.exit == 1
    for entry, result in zip(record.entries, report.results, strict=True):
        read = entry.result(result.case)
        assert read.verdict == result.verdict
        assert {tier: (each.label, each.reason) for tier, each in read.at.items()} == {
            tier: (each.label, each.reason) for tier, each in result.at.items()
        }
        assert (read.known, read.why, read.marks) == (result.known, result.why, result.marks)
        assert (entry.bad, entry.name) == (result.bad, f"chapter/{result.case.id}")
        assert entry.place == result.case.place


def test_without_its_end_a_file_is_that_of_an_incomplete_run(
    report: Report, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    write_lines(path, report)
    assert read_record(path).exit is None
    whole = path.read_bytes()
    for cut in (len(whole) - 1, whole.rindex(b'{"backend"') + 5):
        path.write_bytes(whole[:cut])
        assert [entry.case for entry in read_record(path).entries] == ["a", "b", "c", "d", "e"]


def test_a_resumed_file_goes_on_behind_its_last_whole_line(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_lines(path, report)
    path.write_bytes(path.read_bytes()[:-20])
    file = JsonLinesFile.resume(path)
    file.finished(report.results[5])
    file.ended(report, 1)
    file.close()
    record = read_record(path)
    assert [entry.case for entry in record.entries] == ["a", "b", "c", "d", "e", "f"]
    assert record.exit == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: there is no whole line"),
        ('{"rowtime": {', ":1: there is no whole line"),
        ("[]\n", ':1: [] is not of type "object"'),
        ("<xml/>\n", ":1: not JSON"),
        ('{"backend": "toy"}\n', ':1: "rowtime" is a required property'),
        (
            '{"rowtime": {"format": 3, "version": "9", "cases": 1, "backends": []}}\n',
            ":1: rowtime/format: 3 is not 2",
        ),
        (
            '{"rowtime": {"format": 2, "version": "1", "cases": 1, "backends": []}}\n{"case": 1}\n',
            ":2: ",
        ),
        (
            '{"rowtime": {"format": 2, "version": "1", "cases": 1, "backends": []}}\nnull\n',
            ':2: null is not of type "object"',
        ),
        (
            '{"rowtime": {"format": 2, "version": "1", "cases": 1, "backends": ["\\ud800"]}}\n',
            ":1: half a character in a text: '\\ud800'",
        ),
    ],
)
def test_another_file_is_refused_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidFilesError) as caught:
        read_record(path)
    assert f"{path}{message}" in str(caught.value)
    assert "rowtime tck run --jsonl" in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFilesError, match="No such file"):
        read_record(tmp_path / "none")


def test_a_line_after_the_end_is_refused(report: Report, tmp_path: Path) -> None:
    """Else whoever appends to the file of a run could end it a second time, and better."""
    path = tmp_path / "r.jsonl"
    write_lines(path, report, status=1)
    path.write_bytes(path.read_bytes() + b'{"end": {"exit": 0, "counts": {}}}\n')
    with pytest.raises(InvalidFilesError, match="a line after the end of the run"):
        read_record(path)


def test_success_without_a_result_of_each_case_is_refused(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_lines(path, report)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    end = '{"end": {"exit": 0, "counts": {}}}\n'
    path.write_text("".join([*lines[:-1], end]), "utf-8")
    with pytest.raises(InvalidFilesError, match="exit 0 with 5 of 6 results"):
        read_record(path)


def test_a_run_that_is_resumed_after_its_end_has_one_end(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_lines(path, report, status=1)
    file = JsonLinesFile.resume(path)
    file.ended(report, 1)
    file.close()
    assert read_record(path).exit == 1


def test_declared_properties_are_read_as_they_were_written(report: Report, tmp_path: Path) -> None:
    declared = replace(HELLO, properties={"quiet": "50 ms"}, windows="table-functions")
    report.start("toy", declared, "final")
    write_lines(tmp_path / "r.jsonl", report, status=1)
    assert read_record(tmp_path / "r.jsonl").hellos["toy"] == declared
