"""A case of the kit as a script: it has the events that the case has."""

import json
import zlib

from rowtime.playground.cases import packed, texts_of
from rowtime.timeline.case_events import played_steps
from tck.corpus.case import Case
from tck.corpus.document import Problem, YamlNode, parse_document, schema_problems
from tck.corpus.load import kit_corpus
from tck.corpus.rows import catalog_name, wire_rows
from tck.corpus.steps.step_file import OwnTexts, StepReader
from tck.protocol import Event, Load, Rows
from tests.examples import scaled


def one_by_one(events: tuple[Event, ...]) -> list[Event]:
    """Events, with each row as one of its own."""
    return [
        each
        for event in events
        for each in (
            [Rows(event.input, (row,), event.producer) for row in event.rows]
            if isinstance(event, Rows)
            else [event]
        )
    ]


def read(case: Case) -> tuple[tuple[Load, ...], list[Event]]:
    """The tables and events of a case's script, read again."""
    document = parse_document(texts_of(case).script, "script")
    assert schema_problems(document, "case.schema.json", "script") == []
    top = YamlNode(document, (), document.data)
    tables, steps = top.get("tables"), top.get("steps")
    problems = list[Problem]()
    loads = tuple(
        Load(catalog_name(name), wire_rows(name, rows, case.columns, case.date, problems))
        for name, rows in (tables.items if tables else ())
    )
    reader = StepReader(case.columns, case.date, (), OwnTexts(case.sql, None, 0), problems)
    events = [each for step in reader.steps(steps) for each in one_by_one(step.events)]
    assert problems == []
    return loads, events


def test_the_script_of_a_case_has_its_events() -> None:
    """Of every hundredth case; nightly of all."""
    for case in kit_corpus().cases[:: scaled(100, 1)]:
        events = [each for step in played_steps(case) for each in one_by_one(step.events)]
        assert read(case) == (case.tables, events), case.id


def test_names_are_spelled_as_in_the_schema_and_times_have_no_date() -> None:
    (case,) = [each for each in kit_corpus().cases if each.id == "row-of-a-wrong-type-is-refused"]
    assert texts_of(case).script == (
        "date: '2015-02-15'\n"
        "steps:\n"
        "- feed:\n"
        "    Events:\n"
        "    - ['10:00:00', 'a', 1]\n"
        "    - ['10:00:01', 'a', 'x']\n"
        "    - ['10:00:02', 'a', 3]\n"
        "  late:\n"
        "    Events:\n"
        "    - {row: ['10:00:01', 'a', 'x'], code: BAD_ROW}\n"
        "- end: true\n"
    )


def test_all_cases_are_packed_in_their_order() -> None:
    cases = kit_corpus().cases[:50]
    found = json.loads(zlib.decompress(packed(cases)))
    assert [each["id"] for each in found] == [each.id for each in cases]
