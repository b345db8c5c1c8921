"""A series becomes a case for each of its lines, or problems that say where and what."""

from pathlib import Path

import pytest

from tck.corpus.load import load_corpus
from tck.protocol import Bound, End, Rows
from tests.tck.corpora import load_cases, write_cases

DAY = "2015-02-15"
SERIES = """
id: hour
cites: [S-405.d]
why: the hour of 10 o'clock $verb
sql: SELECT STREAM TUMBLE_START(rowtime, INTERVAL '1' HOUR) AS t, COUNT(*) AS c FROM Orders
  GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)
steps:
- feed: {Orders: [['10:30', $product, 1]]}
- <<: $event
  emit: $rows
series:
- [id, verb, product, event, rows]
- [open, goes on, 10, {bound: {Orders: '10:59:59.999'}}, []]
- [over, is over, null, {end: true, clock: end}, [['10:00', 1]]]
"""


def test_each_line_of_a_series_is_a_case_of_its_own(tmp_path: Path) -> None:
    plain = "id: plain\ncites: [S-1]\nsql: SELECT STREAM * FROM Orders\nrows: []"
    before, still_open, over, after = load_cases(
        tmp_path, plain, SERIES, plain.replace("plain", "last")
    )
    assert [before.id, still_open.id, over.id, after.id] == [
        "plain",
        "hour-open",
        "hour-over",
        "last",
    ]
    assert still_open.why == "the hour of 10 o'clock goes on"
    assert [step.events for step in still_open.steps] == [
        (Rows("ORDERS", ((f"{DAY} 10:30:00", 10, 1),)),),
        (Bound("ORDERS", f"{DAY} 10:59:59.999"),),
    ]
    assert [step.events for step in over.steps] == [
        (Rows("ORDERS", ((f"{DAY} 10:30:00", None, 1),)),),
        (End(),),
    ]
    assert still_open.steps[1].emit == ()
    assert over.steps[1].emit == (("10:00", 1),)
    assert over.steps[1].output_bound == "end"


def test_a_case_of_a_series_is_at_its_line_and_a_step_where_it_is_written(tmp_path: Path) -> None:
    still_open, over = load_cases(tmp_path, SERIES)
    assert [still_open.place.line, over.place.line] == [15, 16]
    assert [step.line for step in over.steps] == [10, 11]


def test_a_value_within_a_text_is_written_as_a_file_writes_it(tmp_path: Path) -> None:
    one, two = load_cases(
        tmp_path,
        """
        id: sum
        cites: [S-203]
        sql: SELECT $term AS t, 'a $$0 $term' AS x FROM Orders
        rows: [[$value, $text]]
        series:
        - [id, term, value, text]
        - [whole, 1, 1, 'a $$0 1']
        - [exact, 1.50, 1.50, 'a $$0 1.50']
        """,
    )
    assert one.sql == "SELECT 1 AS t, 'a $$0 1' AS x FROM Orders"
    assert two.sql == "SELECT 1.50 AS t, 'a $$0 1.50' AS x FROM Orders"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("'10:30', $product", "'10:30', $price", "10: the series has no column for $price"),
        ("emit: $rows", "emit: []", "14: no $rows stands in the case"),
        ("[open, goes on, 10,", "[open, goes on,", "15: 4 values for 5 columns: id, verb, "),
        ("<<: $event", "<<: $rows", "11: << stands before a mapping"),
        ("{end: true, clock", "{end: true, emit: [], clock", "12: the key emit stands twice"),
        ("o'clock $verb", "o'clock $rows", "6: $rows in a text must be a text or a number"),
        ("[id, verb,", "[verb, id,", '14: cases.0.series.0.0: "verb" is not "id"'),
        ("[open, goes", "[Open, goes", '15: cases.0.series.1.0: "Open" is not as it must'),
        ("{end: true, clock", "{ends: true, clock", "11: cases.1.steps.1: Additional properties"),
        ("'10:30', $product", "'half past', $product", "10: column ROWTIME: "),
        ("- [over", "- [open", "the id hour-open is taken"),
    ],
)
def test_a_fault_of_a_series_is_told_once_with_its_place(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    assert old in SERIES
    corpus = load_corpus([write_cases(tmp_path, SERIES.replace(old, new))])
    found = [str(problem) for problem in corpus.problems]
    assert len([problem for problem in found if fault in problem]) == 1, found
