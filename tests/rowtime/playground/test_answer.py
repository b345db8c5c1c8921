"""What the playground answers: timelines, tables, and every fault at its place."""

import json
import subprocess
import sys
from dataclasses import replace
from typing import Final

import pytest

from algebra.prepare import prepare
from grammar.parse import parse_query
from reference.evaluate import evaluate
from rowtime.playground.answer import Answer, Question, answer, answer_json
from rowtime.playground.cases import texts_of
from rowtime.timeline.case_events import case_of, play_of_case
from rowtime.timeline.timeline import timeline
from tck.drawing.draw import inset

SCHEMA: Final = """\
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER)
  WITH HISTORY;
CREATE TABLE Products (productId INTEGER, name VARCHAR(20));
"""
SCRIPT: Final = """\
date: '2015-02-15'
tables:
  Products:
  - [30, 'Paint']
  - [10, null]
steps:
- feed:
    Orders:
    - ['10:17:00', 30, 4]
    - ['10:18:00', 10, 1]
- bound: {Orders: '11:00:00'}
- feed:
    Orders:
    - ['10:59:00', 20, 2]
- end: true
"""
HOURS: Final = """\
SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, SUM(units) AS units
FROM Orders GROUP BY FLOOR(rowtime TO HOUR)"""
ASKED: Final = Question(SCHEMA, HOURS, SCRIPT)


def at(text: str, part: str) -> tuple[int, int]:
    """The range of the first ``part`` of an ASCII text."""
    return text.index(part), text.index(part) + len(part)


def places(found: Answer) -> list[tuple[str, int, int, str]]:
    return [(each.text, each.start, each.end, each.code) for each in found.faults]


def test_a_streaming_query_is_told_moment_by_moment() -> None:
    found = answer(ASKED)
    assert not found.faults
    told = [(each.line, each.event, each.rows, each.bound) for each in found.moments]
    assert told == [
        (3, "PRODUCTS  2 rows from before", (), "any row may still come"),
        (9, "ORDERS  10:17:00  30, 4", (), "no later row is below 10:00:00"),
        (10, "ORDERS  10:18:00  10, 1", (), "no later row is below 10:00:00"),
        (11, "ORDERS  bound 11:00:00", ("10:00:00, 5",), "no later row is below 11:00:00"),
        (14, "ORDERS  10:59:00  20, 2", (), "no later row is below 11:00:00"),
        (15, "end of all input", (), "no later row is emitted"),
    ]
    (dropped,) = found.moments[4].faults
    assert "late" in dropped
    ends = [each.end for each in found.moments]
    assert ends == sorted(set(ends))
    assert found.query is not None
    assert found.query.columns == ("ROWTIME TIMESTAMP(3) NOT NULL", "UNITS BIGINT")


@pytest.mark.parametrize(
    "id",
    [
        "tumble-hour-by-product",
        "orders-with-trades-full-outer-emission",
        "changes-of-a-left-join-retract-the-padded-row",
    ],
)
def test_the_picture_of_a_case_is_that_of_trace(id: str) -> None:
    texts = texts_of(case_of(id, []))
    found = answer(Question(texts.schema, texts.query, texts.script, texts.profile, 1080))
    assert found.svg.replace('aria-label="script"', f'aria-label="{id}"') == inset(
        timeline(play_of_case(id, []))
    )


def test_a_changelog_gives_its_changes_and_the_current_answer() -> None:
    """S-1002.a: each event with its line of the script, and the rows that are valid at the end."""
    script = "steps:\n- feed: {O: [[1], [2]]}\n- feed: {O: [[1]]}\n"
    schema = "CREATE STREAM O (k INTEGER)"
    query = "SELECT STREAM k, COUNT(*) AS c FROM O GROUP BY k EMIT CHANGES"
    found = answer(Question(schema, query, script))
    assert [(each.event, each.line, each.rows) for each in found.moments] == [
        ("O  1; O  2", 2, ("+ 1, 1", "+ 2, 1")),
        ("O  1", 3, ("- 1, 1", "+ 1, 2")),
    ]
    assert sorted(found.rows or ()) == [("1", "2"), ("2", "1")]
    ends = [each.end for each in found.moments]
    assert ends == sorted(set(ends))
    assert "<svg" in found.svg


def test_a_changelog_that_fails_shows_what_it_gave_before() -> None:
    """S-1001.e."""
    script = "steps:\n- feed: {O: [[1]]}\n- feed: {O: [[0]]}\n- feed: {O: [[3]]}\n"
    query = "SELECT STREAM 6 / k AS q FROM O EMIT CHANGES"
    found = answer(Question("CREATE STREAM O (k INTEGER)", query, script))
    assert [each.rows for each in found.moments] == [("+ 6",), ()]
    assert "DIVISION_BY_ZERO" in found.moments[1].faults[0]
    assert [each.code for each in found.faults] == ["DIVISION_BY_ZERO"]
    assert found.rows is None


def test_a_relational_query_gives_its_rows() -> None:
    query = (
        "SELECT p.productId, name, units > 1 AS several FROM Products AS p LEFT JOIN Orders AS o"
    )
    found = answer(replace(ASKED, query=f"{query} ON o.productId = p.productId ORDER BY 1"))
    assert found.rows == (("10", "NULL", "false"), ("30", "Paint", "true"))
    assert found.svg == ""
    assert len(found.dropped) == 1


def test_a_blank_script_ends_all_inputs() -> None:
    found = answer(replace(ASKED, script=" \n"))
    assert [each.event for each in found.moments] == ["end of all input"]
    assert answer(replace(ASKED, query="SELECT * FROM Orders", script="")).rows == ()


def test_a_schema_without_a_query_is_listed() -> None:
    found = answer(replace(ASKED, query=" \n"))
    assert found == Answer(
        objects=(
            "stream ORDERS (ROWTIME TIMESTAMP(3) NOT NULL, PRODUCTID INTEGER, UNITS INTEGER)",
            "table PRODUCTS (PRODUCTID INTEGER, NAME VARCHAR(20))",
        )
    )


def test_a_refused_query_has_its_place_its_hint_and_a_change_that_passes() -> None:
    query = "SELECT STREAM productId, COUNT(*) AS c FROM Orders GROUP BY productId"
    (fault,) = answer(replace(ASKED, query=query)).faults
    assert fault.code == "NO_MONOTONIC_KEY"
    assert "GROUP BY productId".endswith(query[fault.start : fault.end])
    (change,) = fault.changes
    changed = query[: change.start] + change.text + query[change.end :]
    assert not answer(replace(ASKED, query=changed)).faults


def test_every_fault_of_schema_and_query_is_found_at_its_place() -> None:
    schema = f"CREATE TABLE x (a INTEGR);\n{SCHEMA}CREATE TABLE Products (b INTEGER);\n"
    query = "SELECT STREAM unit FROM Orders"
    found = places(answer(replace(ASKED, schema=schema, query=query)))
    second = schema.rindex("Products")
    assert found == [
        ("schema", *at(schema, "INTEGR"), "SYNTAX_ERROR"),
        ("schema", second, second + len("Products"), "DUPLICATE_NAME"),
        ("query", *at(query, "unit"), "UNKNOWN_COLUMN"),
    ]


def test_places_count_as_browsers_count() -> None:
    """U+1F600 is one code point, and two of a browser's."""
    query = "SELECT STREAM '\U0001f600' AS a, unit FROM Orders"
    ((_, start, end, _),) = places(answer(replace(ASKED, query=query)))
    assert (start, end) == (query.index("unit") + 1, query.index("unit") + 5)


def test_a_statement_in_the_place_of_the_query_is_refused() -> None:
    query = "INSERT INTO Products VALUES (1, 'x')"
    assert places(answer(replace(ASKED, query=query))) == [
        ("query", 0, len(query), "NOT_SUPPORTED")
    ]


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("steps:\n- fed: {Orders: []}\n", "- fed: {Orders: []}"),
        ("steps:\n  - feed:\n      Nix: [[1]]\n", "Nix: [[1]]"),
        ("date: '2015-02-15'\nsteps:\n- feed:\n    Orders:\n    - ['10:17', 1]", "- ['10:17', 1]"),
        ("steps:\n- bound: {Orders: noon}\n- end: true\n", "- bound: {Orders: noon}"),
        ("steps: [\n", ""),
        ("# nothing", "# nothing"),
        ("- end", "- end"),
        ("sql: SELECT 1\nsteps:\n- end: true", "sql: SELECT 1"),
        ("given: orders\nsteps:\n- end: true", "given: orders"),
    ],
)
def test_a_fault_of_the_script_is_its_line(script: str, line: str) -> None:
    (fault,) = answer(replace(ASKED, script=script)).faults
    assert fault.text == "script"
    assert script[fault.start : fault.end] == line
    assert fault.message


@pytest.mark.parametrize("stream", ["STREAM ", ""])
def test_a_failure_at_run_time_is_reported(stream: str) -> None:
    query = f"SELECT {stream}1 / (units - 1) AS x FROM Orders"
    found = answer(replace(ASKED, query=query))
    assert places(found) == [("query", *at(query, "1 / (units - 1)"), "DIVISION_BY_ZERO")]
    if stream:
        assert [each.rows for each in found.moments] == [(), ("0",), ()]
        assert found.moments[-1].faults == ("the query fails: DIVISION_BY_ZERO: division by zero",)
    else:
        assert found.rows is None


def test_a_failure_of_the_schema_s_statements_is_the_schema_s() -> None:
    schema = SCHEMA + "INSERT INTO Products VALUES (1 / 0, 'x');"
    (fault,) = answer(replace(ASKED, schema=schema)).faults
    assert (fault.text, fault.code) == ("schema", "DIVISION_BY_ZERO")


def test_question_and_answer_are_json() -> None:
    asked = json.dumps({"schema": SCHEMA, "query": HOURS, "script": SCRIPT, "width": 900})
    found = json.loads(answer_json(asked))
    assert found["svg"].startswith("<svg")
    assert found["rows"] is None


def test_the_playground_imports_nothing_that_a_browser_lacks() -> None:
    """What is asked in it is answered before the modules are listed."""
    program = (
        "import json, sys\n"
        "from rowtime.playground.answer import answer_json\n"
        "question = dict(schema='', query='SELECT STREAM 1', script='steps: []')\n"
        "sys.platform = 'emscripten'\n"
        "answer_json(json.dumps(question | {'query': 'VALUES (1)'}))\n"
        "print(json.dumps(sorted({each.partition('.')[0] for each in sys.modules})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    found = set(json.loads(done.stdout)) - sys.stdlib_module_names
    # In the wheel all of them are inside of the first.
    parts = (answer_json, parse_query, prepare, evaluate, case_of, inset)
    ours = {each.__module__.partition(".")[0] for each in parts}
    # The last is of PyYAML's compiled loader, without which it does.
    theirs = {"antlr4", "yaml", "jinja2", "markupsafe", "fastjsonschema", "cython_runtime"}
    assert ours <= found
    assert {each for each in found - ours - theirs if not each.startswith("_")} == set()
