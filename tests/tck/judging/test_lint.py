"""Lint finds cases that can be read and yet are wrong."""

from pathlib import Path

import pytest

from tck.corpus.case import Place
from tck.corpus.ledger import Entry
from tck.judging.lint import lint
from tests.tck.corpora import load_cases

LEDGER = (
    Entry("S-1", "ours", "one", ("POS",), Place("ledger.yaml", 1)),
    Entry("S-2", "ours", "two", ("EMIT",), Place("ledger.yaml", 2), untested="timed", reason="x"),
)
ANY_ANSWER = """
monotonicity: {x: CONSTANT}
also_sound:
- INCREASING
- STRICTLY_INCREASING
- DECREASING
- STRICTLY_DECREASING
- NOT_MONOTONIC
"""
EMPTY = "tables: {Orders: []}\nsteps: [{feed: {Orders: []}}, {end: true}]"


def found(folder: Path, *cases: str) -> list[str]:
    return [problem.message for problem in lint(load_cases(folder, *cases), LEDGER)]


def case(more: str, id: str = "a", cites: str = "S-1", sql: str = "SELECT x") -> str:
    return f"id: {id}\ncites: [{cites}]\nsql: {sql}\n{more}"


def test_a_sound_corpus_has_no_problems(tmp_path: Path) -> None:
    assert found(tmp_path, case("rows: [[1]]"), case("error: {code: C, at: y}", "b", sql="y")) == []


def test_an_unknown_citation_is_a_problem(tmp_path: Path) -> None:
    assert found(tmp_path, case("rows: [[1]]", cites="S-1, S-9")) == [
        "a cites S-9, which is unknown"
    ]


def test_a_status_of_what_is_tested_is_a_problem(tmp_path: Path) -> None:
    assert found(tmp_path, case("rows: [[1]]", cites="S-2")) == [
        "S-2 has the status timed, but cases cite it"
    ]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (ANY_ANSWER, "a allows every answer to its monotonicity"),
        ("equal_to: SELECT   x", "a compares a query with itself"),
        (EMPTY, "a expects no rows of no input"),
    ],
)
def test_an_expectation_that_cannot_fail_is_a_problem(
    more: str, problem: str, tmp_path: Path
) -> None:
    assert found(tmp_path, case(more)) == [problem]


@pytest.mark.parametrize(
    "more", [f"{EMPTY}\nschema: [x INTEGER]", EMPTY.replace("end: true", "end: true, clock: end")]
)
def test_no_rows_of_no_input_may_stand_beside_what_can_fail(more: str, tmp_path: Path) -> None:
    assert found(tmp_path, case(more)) == []


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("rows: [[1]]", "rows: [[2]]", "its rows"),
        ("rows: [[1]]", "rows: [[1], [1]]", "its rows"),
        ("rows: [[1]]", "error: {code: C, at: x}", "its error"),
        ("error: {code: C, at: x}", "error: {code: D, at: x}", "its error"),
        ("schema: [x INTEGER]", "schema: [x BIGINT]", "its schema"),
        ("monotonicity: {x: CONSTANT}", "monotonicity: {x: INCREASING}", "its monotonicity"),
        ("plan: Scan(X)", "plan: Scan(Y)", "its plan"),
    ],
)
def test_the_same_input_with_another_expectation_is_a_problem(
    one: str, other: str, what: str, tmp_path: Path
) -> None:
    same = case(other, "b", sql='"SELECT  x"')
    assert found(tmp_path, case(one), same) == [
        f"b contradicts a, which has the same input, in {what}"
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rows: [[1], [2]]", "rows: [[2], [1]]"),
        ("rows: [[1]]", "rows: [[2]]\nprofile: sqlstream"),
        ("rows: [[1]]", "rows: [[2]]\ntables: {Orders: []}"),
        ("rows: [[1]]", "schema: [x INTEGER]"),
        ("rows: [[1]]", "error: {code: C, at: x}\nmay_accept: true"),
    ],
)
def test_expectations_that_agree_or_of_other_inputs_are_none(
    one: str, other: str, tmp_path: Path
) -> None:
    assert found(tmp_path, case(one), case(other, "b")) == []


def stepped(*steps: str, id: str = "a", sql: str = "SELECT STREAM * FROM Orders") -> str:
    """A case with these steps."""
    return case("steps:\n" + "".join(f"- {{{step}}}\n" for step in steps), id, sql=sql)


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        (
            ["feed: all, clock: '10:05'", "clock: '10:04', bound: {Orders: '10:06'}", "end: true"],
            "a has a bound that falls to 2015-02-15 10:04:00 (S-103)",
        ),
        (
            ["feed: all, clock: end", "end: true"],
            "a has the bound `end` before an input ends, and cites no rule of that",
        ),
        (
            ["feed: all", "end: true, clock: '10:05'"],
            "a has another bound than `end` after the end of the inputs (S-105)",
        ),
        (
            ["end: true, emit: []", "feed: all"],
            "a has events after the end of all inputs",
        ),
        (
            ["open: {Orders: [p, p]}", "end: true, emit: []"],
            "a opens ORDERS from p twice",
        ),
        (
            ["close: {Orders: p}", "end: true, emit: []"],
            "a closes ORDERS from p, which is not open",
        ),
        (
            ["open: {Orders: q}, producer: p, feed: all", "end: true"],
            "a sends to ORDERS from p, which is not open",
        ),
    ],
)
def test_steps_that_no_backend_can_take_are_a_problem(
    steps: list[str], problem: str, tmp_path: Path
) -> None:
    assert found(tmp_path, stepped(*steps)) == [problem]


def test_rows_of_a_relational_query_before_the_end_are_a_problem(tmp_path: Path) -> None:
    early = stepped("feed: all, emit: [[1]]", "end: true", sql="SELECT 1 FROM Orders")
    assert found(tmp_path, early) == [
        "a has rows of a relational query before the end of all inputs"
    ]
    right = stepped("feed: all", "end: true, emit: [[1]]", sql="SELECT 1 FROM Orders")
    assert found(tmp_path, right) == []


def test_the_end_of_one_input_may_be_the_end_of_the_output(tmp_path: Path) -> None:
    steps = ("feed: all", "end: Orders, clock: end", "end: true, clock: end")
    assert found(tmp_path, stepped(*steps)) == []


ROW = "['10:00', 10, 4]"


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        (
            ("feed: all, emit: [ROW]", "end: true"),
            ("feed: all", "end: true, emit: [ROW]"),
            "the steps of its rows",
        ),
        (
            ("feed: all, may_emit: [ROW]", "end: true"),
            ("feed: all, emit: [ROW]", "end: true"),
            "the steps of its rows",
        ),
        (
            ("feed: all, emit: [ROW], clock: '10:05'", "end: true"),
            ("feed: all, emit: [ROW], clock: '10:06'", "end: true"),
            "its bounds",
        ),
    ],
)
def test_the_same_steps_with_other_moments_are_a_problem(
    one: tuple[str, ...], other: tuple[str, ...], what: str, tmp_path: Path
) -> None:
    first = stepped(*one).replace("ROW", ROW)
    second = stepped(*other, id="b").replace("ROW", ROW)
    assert found(tmp_path, first, second) == [
        f"b contradicts a, which has the same input, in {what}"
    ]


def test_steps_that_say_less_contradict_nothing(tmp_path: Path) -> None:
    first = stepped(f"feed: all, emit: [{ROW}], clock: '10:05'", "end: true")
    second = stepped(f"feed: all, emit: [{ROW}]", "end: true", id="b")
    whole = case(
        f"steps:\n- feed: all\n- end: true\nrows: [{ROW}]", "c", sql="SELECT STREAM * FROM Orders"
    )
    assert found(tmp_path, first, second, whole) == []
