"""The exported JSON has all that a runner needs: a tiny one judges the reference by it alone."""

import json
from collections import Counter
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema_rs import Draft202012Validator, meta

from reference.backend import ReferenceBackend
from tck.corpus.load import kit_corpus
from tck.corpus.selected.export import FORMAT, export_schema, exported
from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Event,
    Load,
    Now,
    Open,
    OpenProducer,
    Rows,
    WireRow,
    weighted,
)
from tck.result_types import typed
from tests.examples import NIGHTLY

#: A case as JSON has it; what is in it is the schema's business.
Json = dict[str, Any]


@cache
def document() -> Json:
    """The export of the kit, through JSON."""
    text = json.dumps(exported(map(typed, kit_corpus().cases), "test"))
    found: Json = json.loads(text)
    return found


def test_the_export_is_as_its_schema_says() -> None:
    schema = json.loads(export_schema())
    meta.validate(schema)
    Draft202012Validator(schema).validate(document())
    assert document()["format"] == FORMAT
    assert len(document()["cases"]) == len(kit_corpus().cases)


def test_every_expected_row_has_types() -> None:
    untyped = [
        case["id"]
        for case in document()["cases"]
        if (case.get("rows") or any(step.get("emit") for step in case.get("steps", ())))
        and not case.get("result")
    ]
    assert not untyped


def events(step: Json) -> list[Event]:
    """The events of a step, for the backend."""
    found: list[Event] = []
    for event in step.get("events", ()):
        match event["event"]:
            case "rows":
                rows: tuple[WireRow, ...] = tuple(tuple(row) for row in event["rows"])
                weights = tuple(event.get("weights", ()))
                found.append(Rows(event["input"], rows, event.get("producer"), weights))
            case "bound":
                moment = event["at"], event["strict"]
                found.append(Bound(event["input"], *moment, event.get("producer")))
            case "open_producer":
                found.append(OpenProducer(event["input"], event["producer"]))
            case "close_producer":
                found.append(CloseProducer(event["input"], event["producer"]))
            case "now":
                found.append(Now(event["at"]))
            case "elapse":
                found.append(Elapse(event["span"]))
            case _:
                found.append(End(event["input"]))
    return found


def comparable(row: Any, columns: list[Json]) -> tuple[str, ...]:
    """A row as texts: inexact numbers with six digits, exact ones without zeros at their end."""
    texts: list[str] = []
    for value, column in zip(row, columns, strict=True):
        if value is not None and column["type"] in ("DOUBLE", "REAL"):
            texts.append(f"{float(value):.6g}")
        elif value is not None and column["type"].startswith("DECIMAL"):
            texts.append(f"{Decimal(value).normalize():f}")
        elif value is not None and column["type"].startswith("VARBINARY"):
            texts.append(value.lower())
        else:
            texts.append(repr(value))
    return tuple(texts)


def complaint(case: Json) -> str:
    """What is wrong with the reference's answer to a case, judged at its end; empty: nothing."""
    backend = ReferenceBackend()
    backend.start()
    answer = backend.open(Open(case.get("ddl", ""), case.get("sql"), case["profile"]))
    if error := case.get("error"):
        wrong = isinstance(answer, Accepted) or answer.code != error["code"]
        return f"{answer}" if wrong and not case.get("may_accept") else ""
    if not isinstance(answer, Accepted):
        return answer.message
    if schema := case.get("schema"):
        deduced = tuple(ColumnInfo(c["name"], c["type"], c["nullable"]) for c in schema)
        if answer.columns != deduced:
            return f"{answer.columns}"
    if not case.get("steps"):
        return ""
    came: list[Any] = []
    fold = Counter[tuple[str, ...]]()
    for name, rows in case.get("load", {}).items():
        backend.feed(Load(name, tuple(map(tuple, rows))))
    for step in case["steps"]:
        for event in events(step):
            backend.feed(event)
        output = backend.poll()
        came += output.rows if not output.weights else ()
        for row, weight in weighted(output.rows, output.weights) if output.weights else ():
            fold[comparable(row, case["result"])] += weight
        for change in step.get("changes", ()):
            fold[comparable(change["row"], case["result"])] -= change["weight"]
        if any(fold.values()):
            return f"{+fold} too much, {-fold} missing"
        warned = [each.code for each in output.warnings]
        if warned != [each["code"] for each in step.get("warnings", ())]:
            return f"{output.warnings}"
        if output.error or step.get("error"):
            code = output.error.code if output.error else None
            expected: Json = step.get("error") or {}
            return "" if code == expected.get("code") else f"{output.error}"
    if case.get("equal_to") and not case.get("rows"):
        return ""
    listed = case.get("rows", [])
    for step in case["steps"]:
        listed = [*listed, *step.get("emit", ()), *(r["row"] for r in step.get("may_emit", ()))]
    columns = case.get("result", [])
    expected_rows = sorted(comparable(row, columns) for row in listed)
    actual = sorted(comparable(row, columns) for row in came)
    return "" if expected_rows == actual else f"{actual} are not {expected_rows}"


#: They have all that a case can have: tables, events of each kind, changes, warnings, failures.
LIGHT: Final = ("dml", "errors", "types", "bounds", "producers", "changing-streams")
MORE: Final = ("tumbling", "joins", "null-logic", "beyond", "changes", "stories", "groups")
CHAPTERS: Final = (*LIGHT, *(MORE if NIGHTLY else ()))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_reference_is_right_by_the_exported_cases_alone(chapter: str) -> None:
    cases = [case for case in document()["cases"] if case["chapter"] == chapter]
    assert cases
    assert {case["id"]: said for case in cases if (said := complaint(case))} == {}


def test_a_wrong_expectation_is_found_by_the_exported_cases_alone() -> None:
    (case,) = (each for each in document()["cases"] if each["id"] == "tumble-hour-by-product")
    assert not complaint(case)
    assert complaint({**case, "rows": case["rows"][1:]})
    (case,) = (
        each for each in document()["cases"] if each["id"] == "tombstone-needs-its-key-alone"
    )
    assert not complaint(case)
    assert complaint({**case, "steps": [{**each, "changes": []} for each in case["steps"]]})


def test_the_command_writes_a_file_for_each_chapter(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from tck.cli import app

    called = ["export", "--output", str(tmp_path / "out"), "--only", "simple/*", "--only", "with/*"]
    assert CliRunner().invoke(app, called).exit_code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"simple.json", "with.json"}
