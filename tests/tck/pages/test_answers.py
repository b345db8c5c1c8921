"""What is expected beside what an engine answered: step by step, and drawn."""

from dataclasses import replace
from pathlib import Path

import pytest

from tck.corpus.case import Case
from tck.judging.verdict import Kind
from tck.pages.case.answers import (
    MOST_LINES,
    Line,
    compared_answer,
    cut_lines,
    expected_answer,
    question_of,
)
from tck.pages.case.timelines import timeline_of
from tests.tck.corpora import load_case
from tests.tck.pages.runs import COLUMNS, cases_in, transcript

FIRST = ("2015-02-15 10:00:00", 10, 4)
SECOND = ("2015-02-15 10:05:00", 20, 1)
THIRD = ("2015-02-15 10:10:00", 30, 2)
#: The same as pages show them: without the case's date.
FIRST_TEXT, SECOND_TEXT, THIRD_TEXT = (
    ("10:00:00", "10", "4"),
    ("10:05:00", "20", "1"),
    ("10:10:00", "30", "2"),
)


@pytest.fixture
def orders(tmp_path: Path) -> Case:
    """A case of three steps: two orders, one more, and the end."""
    return cases_in(tmp_path)["all-orders"]


def test_what_is_expected_is_shown_at_its_step(orders: Case) -> None:
    steps = expected_answer(question_of(orders))
    assert [step.events for step in steps] == [
        (
            "ORDERS holds 09:00:00, 10, 1",
            "ORDERS 10:00:00, 10, 4",
            "ORDERS 10:05:00, 20, 1",
        ),
        ("ORDERS 10:10:00, 30, 2",),
        ("end of all input",),
    ]
    assert [[line.expected for line in step.lines] for step in steps] == [
        [FIRST_TEXT, SECOND_TEXT],
        [THIRD_TEXT],
        [],
    ]


def test_rows_of_steps_that_the_case_does_not_have_belong_to_its_last_step(orders: Case) -> None:
    """An older run has them if the case has lost a step since."""
    late = transcript([FIRST, SECOND], [], [], [THIRD])
    steps = compared_answer(question_of(orders), late, None)
    assert [line.comparison for line in steps[0].lines] == ["same", "same"]
    assert [(line.comparison, line.note) for line in steps[1].lines] == [
        ("moved", "emitted at step 3")
    ]
    assert [(line.comparison, line.note) for line in steps[2].lines] == [("moved", "due at step 2")]
    assert len(steps) == 3


def test_an_answer_that_is_right_has_no_differences(orders: Case) -> None:
    steps = compared_answer(question_of(orders), transcript([FIRST, SECOND], [THIRD], []), None)
    assert steps[0].lines == (Line(FIRST_TEXT, FIRST_TEXT), Line(SECOND_TEXT, SECOND_TEXT))
    assert {line.comparison for step in steps for line in step.lines} == {"same"}


def test_a_row_at_another_step_says_where_it_came_and_where_it_was_due(orders: Case) -> None:
    steps = compared_answer(
        question_of(orders), transcript([FIRST], [THIRD], [SECOND]), Kind.TOO_LATE
    )
    assert steps[0].lines[1] == Line(SECOND_TEXT, None, "moved", note="emitted at step 3")
    assert steps[2].lines == (Line(None, SECOND_TEXT, "moved", note="due at step 1"),)


def test_a_missing_row_is_beside_one_that_is_not_expected(orders: Case) -> None:
    wrong = ("2015-02-15 10:05:00", 20, 9)
    steps = compared_answer(
        question_of(orders), transcript([FIRST, wrong], [], [FIRST]), Kind.WRONG_ROWS
    )
    other = ("10:05:00", "20", "9")
    assert steps[0].lines[1] == Line(SECOND_TEXT, other, "differs", frozenset({2}))
    assert steps[1].lines == (Line(THIRD_TEXT, None, "missing"),)
    assert steps[2].lines == (Line(None, FIRST_TEXT, "extra"),)


def test_rows_in_a_wrong_order_are_compared_place_by_place(orders: Case) -> None:
    steps = compared_answer(
        question_of(orders), transcript([SECOND, FIRST], [THIRD], []), Kind.ORDER
    )
    assert steps[0].lines == (
        Line(FIRST_TEXT, SECOND_TEXT, "order"),
        Line(SECOND_TEXT, FIRST_TEXT, "order"),
    )


def test_rows_of_a_case_without_steps_are_compared_at_the_end(tmp_path: Path) -> None:
    case = cases_in(tmp_path)["history-of-orders"]
    row = ("2015-02-15 09:00:00", 10, 1)
    (step,) = compared_answer(question_of(case), transcript([row]), None)
    assert step.events == ("ORDERS holds 09:00:00, 10, 1", "end of all input")
    assert step.lines == (Line(("09:00:00", "10", "1"), ("09:00:00", "10", "1")),)


def test_an_answer_that_broke_off_lacks_the_rows_of_later_steps(orders: Case) -> None:
    steps = compared_answer(question_of(orders), transcript([FIRST, SECOND]), Kind.REFUSED)
    assert [step.lines for step in steps[1:]] == [(Line(THIRD_TEXT, None, "missing"),), ()]


def test_a_long_answer_is_cut_and_says_by_how_much(orders: Case) -> None:
    steps = compared_answer(
        question_of(orders), transcript([FIRST] * (MOST_LINES + 10)), Kind.DUPLICATE
    )
    short = cut_lines(steps)
    assert sum(len(step.lines) for step in short) == MOST_LINES
    assert short[0].facts[0] == "… and 10 more rows"
    assert short[1].facts[0] == "… and 1 more row"


# --- drawn ---------------------------------------------------------------------------------------


def test_a_case_is_drawn_event_by_event_with_its_rows_at_the_end_of_their_step(
    orders: Case,
) -> None:
    drawn = timeline_of(orders, "t", expected_answer(question_of(orders)))
    assert drawn is not None
    assert [each.text for each in drawn.entries] == [
        "ORDERS  1 row from before",
        "ORDERS  10:00:00",
        "ORDERS  10:05:00",
        "ORDERS  10:10:00",
        "end of all input",
    ]
    assert [[out.text for out in each.emitted] for each in drawn.entries] == [
        [],
        [],
        ["10:00:00, 10, 4", "10:05:00, 20, 1"],
        ["10:10:00, 30, 2"],
        [],
    ]
    first = drawn.entries[1].arrived[0]
    assert first.time == drawn.entries[2].emitted[0].time == 1_423_994_400_000  # 10:00 UTC
    assert drawn.day == "2015-02-15"


def test_rows_at_fault_are_drawn_as_missing_and_extra(orders: Case) -> None:
    steps = compared_answer(
        question_of(orders), transcript([FIRST], [THIRD], [SECOND]), Kind.TOO_LATE
    )
    drawn = timeline_of(orders, "t", steps)
    assert drawn is not None
    faults = [(out.text, out.fault) for each in drawn.entries for out in each.emitted if out.fault]
    assert faults == [
        ("10:05:00, 20, 1  (emitted at step 3)", "missing"),
        ("10:05:00, 20, 1  (due at step 1)", "extra"),
    ]


def test_a_late_row_is_no_fault_where_time_is_not_judged(orders: Case) -> None:
    steps = compared_answer(question_of(orders), transcript([FIRST], [THIRD], [SECOND]), None)
    drawn = timeline_of(orders, "t", steps, timed=False)
    assert drawn is not None
    emitted = [(out.text, out.fault) for each in drawn.entries for out in each.emitted]
    assert emitted == [("10:00:00, 10, 4", ""), ("10:10:00, 30, 2", ""), ("10:05:00, 20, 1", "")]


def test_what_has_no_rowtime_or_is_too_long_is_not_drawn(tmp_path: Path, orders: Case) -> None:
    timeless = replace(orders, result=COLUMNS[1:])
    assert timeline_of(timeless, "t", expected_answer(question_of(orders))) is None
    rows = ", ".join("['10:00', 1, 1]" for _ in range(100))
    many = load_case(
        tmp_path / "many",
        f"""
        id: many
        cites: [CAL-001]
        sql: SELECT STREAM * FROM Orders
        steps: [{{feed: {{Orders: [{rows}]}}, emit: [{rows}]}}, {{end: true}}]
        """,
    )
    assert timeline_of(many, "t", expected_answer(question_of(many))) is None
