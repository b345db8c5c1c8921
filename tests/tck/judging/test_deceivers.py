"""Backends built to deceive the judge: each is wrong, and none of them passes."""

# ruff: noqa: D102 - the methods of the backend are the protocol's, and documented there

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tck.backends import RunningBackend
from tck.corpus.needs import ORDERED_OUTPUT
from tck.judging.verdict import Grade, Kind, Mark, Marks, Outcome
from tck.protocol import TIERS, Accepted, ColumnInfo, Event, Hello, Open, Output, Wire, WireRow
from tck.run import grade_case
from tck.variants.variants import variants
from tests.tck.corpora import load_case

FAIL, NONE, PASS = Mark.FAIL, Mark.NONE, Mark.PASS

#: The rowtime is the column ROWTIME.
STREAM = """
id: stream
cites: [CAL-010]
sql: SELECT STREAM rowtime, units FROM Orders
steps:
- feed: all
  emit: [['10:00', 4], ['10:00', 1], ['10:05', 7]]
- end: true
"""
#: The column ROWTIME is the second one.
SECOND = """
id: second
cites: [CAL-010]
sql: SELECT STREAM units, rowtime FROM Orders
order: rowtime
steps:
- feed: all
  emit: [[4, '10:00'], [1, '10:00'], [7, '10:05']]
- end: true
"""
SORTED = STREAM.replace("FROM Orders", "FROM Orders ORDER BY rowtime")
ROWS: tuple[WireRow, ...] = (
    ("2015-02-15 10:00:00", 4),
    ("2015-02-15 10:00:00", 1),
    ("2015-02-15 10:05:00", 7),
)
SWAPPED = tuple((units, time) for time, units in ROWS)


def columns(*declared: tuple[str, str]) -> tuple[ColumnInfo, ...]:
    return tuple(ColumnInfo(name, type, True) for name, type in declared)


TIMES = columns(("ROWTIME", "TIMESTAMP(3)"), ("UNITS", "INTEGER"))


@dataclass
class Canned:
    """Accepts whatever it is asked, and has the same rows and bounds for the polls."""

    columns: tuple[ColumnInfo, ...]
    rows: Sequence[Sequence[WireRow]]
    streaming: bool = True
    monotonicity: Mapping[str, str] = field(default_factory=dict[str, str])
    bounds: Sequence[str | None] = ()
    gaps: Mapping[str, str] = field(default_factory=dict[str, str])
    polls: int = 0

    def start(self) -> Hello:
        return Hello("canned", "1", "python", "bounded", ("calcite",), self.gaps)

    def open(self, request: Open) -> Accepted:
        del request
        self.polls = 0
        return Accepted(self.streaming, self.columns, self.monotonicity)

    def feed(self, event: Event) -> None:
        pass

    def poll(self) -> Output:
        poll, self.polls = self.polls, self.polls + 1
        rows = tuple(self.rows[poll]) if poll < len(self.rows) else ()
        return Output(rows, self.bounds[poll] if poll < len(self.bounds) else None)

    def explain(self, row: int | None = None) -> str:
        return "" if row is None else str(row)

    def close(self) -> None:
        pass

    def stop(self) -> None:
        pass


def grade(folder: Path, case: str, backend: Canned) -> Grade:
    running = RunningBackend("canned", lambda: backend, backend, backend.start())
    return grade_case(running, load_case(folder, case), "bounded")


def kinds(folder: Path, case: str, backend: Canned) -> list[Kind | None]:
    """The kinds of failure at each tier."""
    return [grade(folder, case, backend).at[tier].kind for tier in TIERS]


def one_value(sql: str, value: str) -> str:
    """A case with one column and one row."""
    return f"""
    id: value
    cites: [CAL-001]
    sql: VALUES ({sql})
    rows: [[{value}]]
    """


def test_who_does_not_deceive_passes(tmp_path: Path) -> None:
    assert kinds(tmp_path, STREAM, Canned(TIMES, [ROWS])) == [None] * 3
    renamed = columns(("UNITS", "INTEGER"), ("T", "TIMESTAMP(3)"))
    assert kinds(tmp_path, SECOND, Canned(renamed, [SWAPPED])) == [None] * 3


@pytest.mark.parametrize("name", ["rowtime", "Rowtime", "EXPR$0", "", "UNITS"])
def test_the_rowtime_cannot_be_hidden_by_its_name(name: str, tmp_path: Path) -> None:
    declared = columns((name, "TIMESTAMP(3)"), ("ROWTIME", "INTEGER"))
    assert kinds(tmp_path, STREAM, Canned(declared, [ROWS[::-1]])) == [Kind.ORDER] * 3
    declared = columns(("ROWTIME", "INTEGER"), (name, "TIMESTAMP(3)"))
    assert kinds(tmp_path, SECOND, Canned(declared, [SWAPPED[::-1]])) == [Kind.ORDER] * 3


@pytest.mark.parametrize("order", ["NOT_MONOTONIC", "DECREASING"])
def test_the_rowtime_cannot_be_hidden_by_its_monotonicity(order: str, tmp_path: Path) -> None:
    declared = columns(("UNITS", "INTEGER"), ("T", "TIMESTAMP(3)"))
    backend = Canned(declared, [SWAPPED[::-1]], monotonicity={"T": order})
    assert kinds(tmp_path, SECOND, backend) == [Kind.ORDER] * 3


def test_the_rowtime_cannot_be_hidden_by_its_type(tmp_path: Path) -> None:
    unknown = columns(("ROWTIME", "ANY"), ("UNITS", "ANY"))
    assert kinds(tmp_path, STREAM, Canned(unknown, [ROWS[::-1]])) == [Kind.ORDER] * 3
    text = columns(("ROWTIME", "VARCHAR(30)"), ("UNITS", "INTEGER"))
    assert kinds(tmp_path, STREAM, Canned(text, [ROWS[::-1]])) == [Kind.WRONG_SCHEMA] * 3


@pytest.mark.parametrize("rows", [ROWS, ROWS[::-1]])
def test_a_stream_that_is_called_relational_fails(rows: Sequence[WireRow], tmp_path: Path) -> None:
    backend = Canned(TIMES, [(), rows], streaming=False)
    assert kinds(tmp_path, STREAM, backend) == [Kind.WRONG_SCHEMA] * 3
    assert "says SELECT STREAM" in grade(tmp_path, STREAM, backend).verdict.reason


def test_a_table_that_is_called_streaming_fails(tmp_path: Path) -> None:
    backend = Canned(columns(("EXPR$0", "INTEGER")), [[(1,)]])
    assert kinds(tmp_path, one_value("1", "1"), backend) == [Kind.WRONG_SCHEMA] * 3


def test_the_modality_that_a_backend_claims_decides_nothing_else(tmp_path: Path) -> None:
    """What is wrong besides is judged as it would be of an honest backend."""
    early = Canned(TIMES, [ROWS[::-1]], streaming=False)
    assert grade(tmp_path, STREAM, early).marks == Marks(rows=PASS, order=FAIL, time=PASS)


@pytest.mark.parametrize(
    ("sql", "expected", "type", "value", "kind"),
    [
        # A DECIMAL is exact.
        ("0.75", "0.75", "DECIMAL(2, 2)", "0.75", None),
        ("0.75", "0.75", "NUMERIC(30, 5)", "0.75000", None),
        ("0.75", "0.75", "ANY", "0.75", None),
        ("0.75", "0.75", "DOUBLE", 0.75, Kind.WRONG_SCHEMA),
        ("0.75", "0.75", "DOUBLE", 0.75 + 1e-10, Kind.WRONG_SCHEMA),
        ("0.75", "0.75", "ANY", 0.75, Kind.WRONG_ROWS),
        ("0.75", "0.75", "DECIMAL(2, 2)", 0.75, Kind.WRONG_ROWS),
        ("0.75", "0.75", "DECIMAL(12, 11)", "0.75000000001", Kind.WRONG_ROWS),
        ("0.75", "0.75", "VARCHAR(9)", "0.75", Kind.WRONG_SCHEMA),
        # A whole number is not a number that is close to one, no text and no truth.
        ("1", "1", "SMALLINT", 1, None),
        ("1", "1", "DECIMAL(10, 2)", "1.00", None),
        ("1", "1", "DECIMAL(10, 2)", "1.01", Kind.WRONG_ROWS),
        ("1", "1", "DOUBLE", 1.0, Kind.WRONG_SCHEMA),
        ("1", "1", "ANY", 1.0, Kind.WRONG_ROWS),
        ("1", "1", "ANY", "1", Kind.WRONG_ROWS),
        ("1", "1", "ANY", True, Kind.WRONG_ROWS),
        ("1", "1", "BOOLEAN", True, Kind.WRONG_SCHEMA),
        ("TRUE", "true", "ANY", 1, Kind.WRONG_ROWS),
        ("TRUE", "true", "INTEGER", 1, Kind.WRONG_SCHEMA),
        # A DOUBLE is close, but no other type.
        ("1e0", "1", "DOUBLE", 1 + 1e-10, None),
        ("1e0", "1", "DOUBLE", 1 + 1e-8, Kind.WRONG_ROWS),
        ("1e0", "1", "REAL", 1.0, Kind.WRONG_SCHEMA),
        ("CAST(0.1 AS REAL)", "0.1", "DOUBLE", 0.1, None),
        # Texts are texts, times are times.
        ("'1.0'", "'1.0'", "VARCHAR(3)", "1.0", None),
        ("'1.0'", "'1.0'", "DOUBLE", 1.0, Kind.WRONG_SCHEMA),
        ("'1.0'", "'1.0'", "ANY", "1.00", Kind.WRONG_ROWS),
        ("DATE '2015-02-15'", "'2015-02-15'", "DATE", "2015-02-15", None),
        (
            *("DATE '2015-02-15'", "'2015-02-15'", "TIMESTAMP(3)", "2015-02-15 00:00:00"),
            Kind.WRONG_SCHEMA,
        ),
        # An interval may be written in other fields, not as another thing.
        ("INTERVAL '90' MINUTE", "90", "INTERVAL HOUR TO MINUTE", "1:30", None),
        ("INTERVAL '90' MINUTE", "90", "INTERVAL HOUR TO MINUTE", "1:31", Kind.WRONG_ROWS),
        ("INTERVAL '90' MINUTE", "90", "INTERVAL MONTH", "90", Kind.WRONG_SCHEMA),
        ("INTERVAL '90' MINUTE", "90", "BIGINT", 90, Kind.WRONG_SCHEMA),
        ("CAST(NULL AS INTEGER)", "null", "INTEGER", 0, Kind.WRONG_ROWS),
    ],
)
def test_a_value_is_read_by_the_type_of_the_case(
    sql: str, expected: str, type: str, value: Wire, kind: Kind | None, tmp_path: Path
) -> None:
    backend = Canned(columns(("V", type)), [[(value,)]], streaming=False)
    assert kinds(tmp_path, one_value(sql, expected), backend) == [kind] * 3


@pytest.mark.parametrize("more", [1, -1])
def test_a_result_has_as_many_columns_as_the_query(more: int, tmp_path: Path) -> None:
    declared = (*TIMES, *TIMES)[: len(TIMES) + more]
    backend = Canned(declared, [[(*row, *row)[: len(declared)] for row in ROWS]])
    assert kinds(tmp_path, STREAM, backend) == [Kind.WRONG_SCHEMA] * 3
    lying = Canned(TIMES, backend.rows)
    assert kinds(tmp_path, STREAM, lying) == [Kind.WRONG_ROWS] * 3


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        (["2015-02-15 10:05:00", "2015-02-15 10:04:00"], "falls from 2015-02-15 10:05:00 to"),
        (["end", "2015-02-15 10:05:00"], "falls from end to 2015-02-15 10:05:00"),
        (["10:05:00"], "the bound is '10:05:00', neither a time with its date nor `end`"),
        (["END"], "the bound is 'END'"),
        (["2015-02-30 00:00:00"], "the bound is '2015-02-30 00:00:00'"),
        (["9999-99-99\x1b[2J"], r"the bound is U&'9999-99-99\001b[2J'"),
        ([""], "the bound is ''"),
    ],
)
def test_a_bound_that_is_no_promise_is_named(
    bounds: list[str], reason: str, tmp_path: Path
) -> None:
    graded = grade(tmp_path, STREAM, Canned(TIMES, [ROWS], bounds=bounds))
    assert [graded.at[tier].kind for tier in TIERS] == [Kind.FALSE_BOUND] * 3
    assert reason in graded.verdict.reason
    assert graded.marks == Marks(rows=PASS, order=PASS, time=FAIL)


def test_a_row_below_a_bound_is_found_whatever_the_rowtime_is_called(tmp_path: Path) -> None:
    declared = columns(("EXPR$0", "ANY"), ("ROWTIME", "ANY"))
    backend = Canned(declared, [(), ROWS], bounds=["2015-02-15 10:01:00", "end"])
    assert kinds(tmp_path, STREAM, backend)[0] is Kind.FALSE_BOUND


class TestWithoutOrderedOutput:
    """The gap takes away the order that nobody promised, and nothing else."""

    GAPS: Mapping[str, str] = {ORDERED_OUTPUT: "threads race"}

    def test_rows_in_another_order_pass_without_a_mark(self, tmp_path: Path) -> None:
        backend = Canned(TIMES, [ROWS[::-1]], gaps=self.GAPS)
        assert kinds(tmp_path, STREAM, backend) == [None] * 3
        assert grade(tmp_path, STREAM, backend).marks == Marks(rows=PASS, order=NONE, time=PASS)

    def test_an_order_that_the_query_demands_is_judged(self, tmp_path: Path) -> None:
        backend = Canned(TIMES, [ROWS[::-1]], gaps=self.GAPS)
        assert kinds(tmp_path, SORTED, backend) == [Kind.ORDER] * 3

    def test_other_rows_fail(self, tmp_path: Path) -> None:
        backend = Canned(TIMES, [(*ROWS[:2], ROWS[1])], gaps=self.GAPS)
        assert kinds(tmp_path, STREAM, backend) == [Kind.WRONG_ROWS] * 3

    def test_rows_that_come_twice_fail(self, tmp_path: Path) -> None:
        backend = Canned(TIMES, [(*ROWS, ROWS[1])], gaps=self.GAPS)
        assert kinds(tmp_path, STREAM, backend) == [Kind.DUPLICATE] * 3

    def test_rows_at_another_step_fail(self, tmp_path: Path) -> None:
        late = Canned(TIMES, [(), ROWS], gaps=self.GAPS)
        due = STREAM.replace("- end", "  clock: '10:06'\n- end")
        assert kinds(tmp_path, due, late) == [None, Kind.TOO_LATE, Kind.TOO_LATE]
        assert grade(tmp_path, due, late).marks == Marks(rows=PASS, order=NONE, time=FAIL)


@pytest.mark.parametrize(
    ("rows", "marks"),
    [
        ([ROWS], Marks(PASS, PASS, PASS)),
        ([ROWS[::-1]], Marks(PASS, FAIL, PASS)),
        ([ROWS[:2]], Marks(FAIL, PASS, PASS)),
        ([(ROWS[2], ROWS[0])], Marks(FAIL, FAIL, PASS)),
        ([(), ROWS], Marks(PASS, PASS, FAIL)),
        ([(ROWS[2],), (ROWS[0],)], Marks(FAIL, FAIL, FAIL)),
    ],
)
def test_rows_order_and_time_are_marked_each_for_itself(
    rows: list[Sequence[WireRow]], marks: Marks, tmp_path: Path
) -> None:
    due = STREAM.replace("- end", "  clock: '10:06'\n- end")
    assert grade(tmp_path, due, Canned(TIMES, rows)).marks == marks


def test_who_replays_what_a_case_expects_fails_its_variants(tmp_path: Path) -> None:
    case = load_case(tmp_path, STREAM)
    backend = Canned(TIMES, (ROWS,), bounds=("2015-02-15 10:05:00", "end"))
    running = RunningBackend("canned", lambda: backend, backend, backend.start())
    assert grade_case(running, case, "exact").verdict.outcome is Outcome.PASS
    failing = [e for e in variants(case) if grade_case(running, e, "exact").verdict.kind]
    assert [each.id for each in failing] == ["stream~four-centuries-later", "stream~in-many-copies"]
