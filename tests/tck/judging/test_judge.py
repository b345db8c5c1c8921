"""Each kind of verdict at tier ``final`` is provoked by a backend that is wrong in that way."""

from pathlib import Path

import pytest

from tck.backends import RunningBackend
from tck.judging.verdict import Kind, Outcome, Verdict
from tck.protocol import Accepted, Open, Output, Refused, WireRow
from tck.run import run_case
from tests.tck import toy
from tests.tck.corpora import load_case

FILTER = """
id: filter
cites: [CAL-019]
sql: SELECT STREAM * FROM Orders WHERE units > 3
schema: [rowtime TIMESTAMP(3) NOT NULL, productId INTEGER NOT NULL, units INTEGER]
steps:
- feed: all
  emit: [['10:00', 10, 4], ['10:05', 10, 7]]
- end: true
"""

ALL = """
id: all
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
order: ORDER
rows: [['10:00', 20, 1], ['10:00', 10, 4], ['10:05', 10, 7]]
"""

REFUSED = """
id: refused
cites: [CAL-040]
sql: SELECT STREAM productId FROM Orders GROUP BY productId
error: {code: NO_MONOTONIC_KEY, at: GROUP BY productId}
"""

FAILS = """
id: fails
cites: [CAL-001]
sql: SELECT STREAM units / 0 FROM Orders
steps:
- feed: all
  error: {code: DIVISION_BY_ZERO, at: units / 0}
"""

LATE = """
id: late
cites: [CAL-045]
sql: SELECT STREAM * FROM Orders
steps:
- feed: {Orders: [['10:00', 10, 1], ['10:05', 10, 2], ['10:04', 10, 3], ['10:05', 10, 4]]}
  emit: [['10:00', 10, 1], ['10:05', 10, 2], ['10:05', 10, 4]]
  late: {Orders: [['10:04', 10, 3]]}
- end: true
"""

METADATA = """
id: metadata
cites: [CAL-034]
sql: SELECT STREAM * FROM Orders
monotonicity: {rowtime: INCREASING}
"""

PLAN = """
id: plan
cites: [CAL-046]
sql: SELECT STREAM * FROM Orders
plan: |
  Delta
    Scan(ORDERS)
"""

EQUAL = """
id: equal
cites: [CAL-003]
sql: SELECT STREAM * FROM Orders WHERE units > 3
equal_to: SELECT STREAM * FROM Orders
tables: {Orders: []}
steps:
- feed: {Orders: [['10:00', 10, 4], ['10:05', 10, 7]]}
  emit: [['10:00', 10, 4], ['10:05', 10, 7]]
- end: true
"""


def verdict(folder: Path, case: str, backend: type[toy.Faithful] = toy.Faithful) -> Verdict:
    made = backend()
    running = RunningBackend("toy", backend, made, made.start())
    return run_case(running, load_case(folder, case), "final")


@pytest.mark.parametrize(
    "case", [FILTER, ALL.replace("ORDER", "any"), REFUSED, FAILS, LATE, METADATA, PLAN, EQUAL]
)
def test_a_faithful_backend_passes(case: str, tmp_path: Path) -> None:
    if case == EQUAL:
        case = case.replace("FROM Orders\n", "FROM Orders WHERE units > 2\n")
    assert verdict(tmp_path, case) == Verdict(Outcome.PASS)


@pytest.mark.parametrize(
    ("case", "backend", "kind"),
    [
        (FILTER, toy.RefusesAll, Kind.REFUSED),
        (FILTER, toy.FailsLate, Kind.REFUSED),
        (REFUSED, toy.AcceptsAll, Kind.ACCEPTED),
        (FAILS, toy.NeverFails, Kind.ACCEPTED),
        (FAILS, toy.RefusesAll, Kind.REFUSED),
        (REFUSED, toy.OtherCode, Kind.WRONG_CODE),
        (REFUSED, toy.OtherSpan, Kind.WRONG_CODE),
        (REFUSED, toy.WholeSpan, Kind.WRONG_CODE),
        (REFUSED, toy.WideSpan, Kind.WRONG_CODE),
        (FAILS, toy.FailsLate, Kind.WRONG_CODE),
        (LATE, toy.OtherLateCode, Kind.WRONG_CODE),
        (FILTER, toy.OtherSchema, Kind.WRONG_SCHEMA),
        (METADATA, toy.OtherMetadata, Kind.WRONG_METADATA),
        (PLAN, toy.OtherMetadata, Kind.WRONG_METADATA),
        (LATE, toy.KeepsLate, Kind.NOT_LATE),
        (LATE, toy.DropsTies, Kind.WRONGLY_LATE),
        (LATE, toy.OtherPlace, Kind.WRONGLY_LATE),
        (FILTER, toy.Drops, Kind.WRONG_ROWS),
        (FILTER, toy.Alters, Kind.WRONG_ROWS),
        (FILTER, toy.Repeats, Kind.DUPLICATE),
        (FILTER, toy.Reverses, Kind.ORDER),
        (ALL.replace("ORDER", "rowtime"), toy.Reverses, Kind.ORDER),
        (ALL.replace("ORDER", "exact"), toy.Faithful, Kind.ORDER),
    ],
)
def test_a_wrong_backend_fails_in_its_own_way(
    case: str, backend: type[toy.Faithful], kind: Kind, tmp_path: Path
) -> None:
    found = verdict(tmp_path, case, backend)
    assert (found.outcome, found.kind) == (Outcome.FAIL, kind)
    assert found.reason


def test_ties_are_free_by_rowtime_and_all_is_free_in_any_order(tmp_path: Path) -> None:
    assert verdict(tmp_path, ALL.replace("ORDER", "rowtime")).outcome is Outcome.PASS
    assert verdict(tmp_path, ALL.replace("ORDER", "any"), toy.Reverses).outcome is Outcome.PASS


def test_an_order_left_out_is_by_rowtime_for_a_stream_and_free_for_a_table(tmp_path: Path) -> None:
    stream = ALL.replace("order: ORDER\n", "")
    table = """
    id: table
    cites: [CAL-015]
    sql: SELECT * FROM Orders
    schema: [rowtime TIMESTAMP(3) NOT NULL, productId INTEGER NOT NULL, units INTEGER]
    tables: {Orders: [['09:00', 10, 1], ['09:30', 20, 2]]}
    rows: [['09:30', 20, 2], ['09:00', 10, 1]]
    """
    assert verdict(tmp_path, stream, toy.Reverses).kind is Kind.ORDER
    assert verdict(tmp_path, table).outcome is Outcome.PASS


def test_a_difference_shows_missing_and_unexpected_rows_side_by_side(tmp_path: Path) -> None:
    assert verdict(tmp_path, FILTER, toy.Alters) == Verdict(
        Outcome.FAIL,
        Kind.WRONG_ROWS,
        "2 rows missing, 2 rows not expected",
        (
            "  expected                                   actual",
            "  ROWTIME                PRODUCTID  UNITS    ROWTIME                PRODUCTID  UNITS",
            "- '2015-02-15 10:00:00'  10         4      + '2015-02-15 10:00:00'  10         5",
            "                                    ^^^^^                                      ^^^^^",
            "- '2015-02-15 10:05:00'  10         7      + '2015-02-15 10:05:00'  10         8",
            "                                    ^^^^^                                      ^^^^^",
        ),
    )


def test_a_script_that_does_not_end_leaves_open_what_comes_later(tmp_path: Path) -> None:
    case = """
    id: open
    cites: [CAL-037]
    sql: SELECT STREAM * FROM Orders
    order: exact
    steps: [{feed: all, emit: [['10:00', 10, 4], ['10:00', 20, 1]]}]
    """
    assert verdict(tmp_path, case).outcome is Outcome.PASS
    assert verdict(tmp_path, case, toy.Drops).outcome is Outcome.PASS
    assert verdict(tmp_path, case, toy.Alters).kind is Kind.WRONG_ROWS
    assert verdict(tmp_path, case, toy.Reverses).kind is Kind.ORDER


def test_rows_that_may_come_at_several_steps_are_rows_of_the_result(tmp_path: Path) -> None:
    case = """
    id: may
    cites: [CAL-012]
    sql: SELECT STREAM * FROM Orders
    steps:
    - feed: all
      emit: [['10:00', 10, 4], ['10:00', 20, 1]]
      may_emit: [['10:05', 10, 7]]
    - end: true
      emit_by: [['10:05', 10, 7]]
    """
    assert verdict(tmp_path, case).outcome is Outcome.PASS
    assert verdict(tmp_path, case, toy.Drops).kind is Kind.WRONG_ROWS


def test_rows_before_a_failure_may_come_or_not_but_no_others(tmp_path: Path) -> None:
    class Hasty(toy.Faithful):
        """Emits a row before it fails."""

        def emit(self, row: WireRow) -> None:
            super().emit(row)
            self.out = [(4,)]

    may = FAILS.replace("error:", "emit: [[4], [1]]\n  error:")
    assert verdict(tmp_path, may, Hasty).outcome is Outcome.PASS
    assert verdict(tmp_path, FAILS, Hasty).kind is Kind.WRONG_ROWS


def test_may_accept_lets_both_answers_pass_but_no_other_refusal(tmp_path: Path) -> None:
    case = REFUSED + "may_accept: true\n"
    assert verdict(tmp_path, case).outcome is Outcome.PASS
    assert verdict(tmp_path, case, toy.AcceptsAll).outcome is Outcome.PASS
    assert verdict(tmp_path, case, toy.OtherCode).kind is Kind.WRONG_CODE


def test_an_error_in_the_ddl_is_looked_for_in_the_case_s_own_part_of_the_script(
    tmp_path: Path,
) -> None:
    case = """
    id: ddl
    cites: [CAL-044]
    ddl: CREATE NONSENSE
    error: {code: SYNTAX_ERROR, at: NONSENSE, in: ddl}
    """
    assert verdict(tmp_path, case).outcome is Outcome.PASS
    assert verdict(tmp_path, case, toy.OtherSpan).kind is Kind.WRONG_CODE
    assert verdict(tmp_path, case, toy.RefusesAll).kind is Kind.WRONG_CODE


def test_an_error_may_be_at_more_than_the_fault_but_not_at_most_of_the_text(tmp_path: Path) -> None:
    assert verdict(tmp_path, REFUSED, toy.HalfSpan).outcome is Outcome.PASS
    assert verdict(tmp_path, REFUSED, toy.WideSpan).kind is Kind.WRONG_CODE


def test_other_sound_answers_about_monotonicity_pass(tmp_path: Path) -> None:
    case = METADATA + "also_sound: [NOT_MONOTONIC]\n"
    assert verdict(tmp_path, case, toy.OtherMetadata).outcome is Outcome.PASS


def test_a_column_that_the_backend_does_not_have_has_no_monotonicity(tmp_path: Path) -> None:
    found = verdict(tmp_path, METADATA.replace("rowtime:", "elsewhere:"))
    assert found.kind is Kind.WRONG_METADATA


def test_a_query_must_give_what_the_one_it_is_equal_to_gives(tmp_path: Path) -> None:
    differs = EQUAL.replace("['10:05', 10, 7]]}", "['10:05', 10, 7], ['10:06', 10, 1]]}")
    found = verdict(tmp_path, differs)
    assert found.kind is Kind.WRONG_ROWS
    assert found.reason == "other rows than the query it must be equal to: 1 row missing"


def test_what_a_query_must_be_equal_to_must_be_accepted(tmp_path: Path) -> None:
    refused = EQUAL.replace("equal_to: SELECT", "equal_to: SELEKT")
    assert verdict(tmp_path, refused).kind is Kind.REFUSED


def test_order_by_rowtime_needs_a_rowtime(tmp_path: Path) -> None:
    class Timeless(toy.Faithful):
        """Declares no timestamp."""

        def open(self, request: Open) -> Accepted | Refused:
            super().open(request)
            return Accepted(True, toy.COLUMNS[1:])

    case = ALL.replace("ORDER", "rowtime")
    assert verdict(tmp_path, case, Timeless).kind is Kind.WRONG_SCHEMA


def test_a_malformed_row_is_fed_as_written_and_must_be_dropped_as_such(tmp_path: Path) -> None:
    case = """
    id: malformed
    cites: [CAL-045]
    sql: SELECT STREAM * FROM Orders
    steps:
    - feed: {Orders: [[null, 10, 1], ['10:05', 10, 2]]}
      emit: [['10:05', 10, 2]]
      late: {Orders: [{row: [null, 10, 1], code: BAD_ROW}]}
    - end: true
    """
    assert verdict(tmp_path, case).outcome is Outcome.PASS


def test_a_query_equal_to_another_needs_no_list_of_rows_but_some_rows(tmp_path: Path) -> None:
    case = """
    id: equal
    cites: [CAL-003]
    sql: SELECT STREAM * FROM Orders WHERE units > 3
    equal_to: SELECT STREAM * FROM Orders WHERE units > 2
    steps: [{feed: {Orders: [['10:00', 10, UNITS], ['10:05', 10, 1]]}}]
    """
    assert verdict(tmp_path, case.replace("UNITS", "4")).outcome is Outcome.PASS
    assert verdict(tmp_path, case.replace("UNITS", "3")).kind is Kind.WRONG_ROWS
    assert verdict(tmp_path, case.replace("UNITS", "2")).kind is Kind.WRONG_ROWS


def test_a_failure_and_a_crash_are_shown_with_the_step_and_its_events(tmp_path: Path) -> None:
    class Crashes(toy.Faithful):
        """Raises an exception at the first poll."""

        def poll(self) -> Output:
            raise ZeroDivisionError("no bottom")

    case = FILTER.replace("feed: all", "feed: {Orders: [['10:00', 10, 4], ['10:05', 10, 7]]}")
    crashed = verdict(tmp_path, case, Crashes)
    assert crashed.outcome is Outcome.ERROR
    assert crashed.detail[0] == "at step 1 (line 9), after ORDERS: 2 rows"
    failed = verdict(tmp_path, case, toy.FailsLate)
    assert failed.kind is Kind.REFUSED
    assert failed.reason == "the query failed at step 1 (line 9): OVERFLOW: too large"
    assert failed.detail[0] == "  ORDERS: 2 rows"
