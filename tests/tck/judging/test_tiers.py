"""Each tier is provoked by backends that are wrong in time, and leaves the right ones alone."""

# ruff: noqa: D102 - the methods of the backends are the protocol's, and documented there

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tck.backends import RunningBackend
from tck.judging.verdict import Kind, Outcome, Verdict
from tck.protocol import TIERS, Accepted, Backend, Open, Output, Refused, WireRow
from tck.run import grade_case
from tests.tck import toy, toy_hours
from tests.tck.corpora import load_case
from tests.tck.toy_hours import SQL

#: The right answers step by step: after the first step nothing, for the hour is open; the row of
#: 11:02 ends it; the bound of 11:30 ends nothing, that of 12:00 the next hour.
HOURS = f"""
id: hours
cites: [S-305]
sql: |
{SQL.replace(chr(10), chr(10) + "  ").rstrip()}
steps:
- feed: {{Orders: [['10:17', 30, 1], ['10:17:05', 10, 1], ['10:18', 30, 1], ['10:18', 30, 1]]}}
  clock: '11:00'
  state: 2
- feed: {{Orders: [['11:02', 10, 1], ['10:50', 20, 1]]}}
  emit: [['11:00', 30, 3], ['11:00', 10, 1]]
  late: {{Orders: [['10:50', 20, 1]]}}
  clock: '12:00'
  state: 1
- bound: {{Orders: '11:30'}}
- bound: {{Orders: '12:00'}}
  emit: [['12:00', 10, 1]]
  clock: '13:00'
  state: 0
- feed: {{Orders: [['12:10', 20, 1], ['12:10', 20, 1]]}}
- end: true
  emit: [['13:00', 20, 2]]
  clock: end
"""
#: It fails at the third of three steps; the inputs do not end.
FAILS = (
    f"{HOURS.partition('- bound')[0]}- bound: {{Orders: '11:30'}}\n  error: {{code: OVERFLOW}}\n"
)
#: The inputs do not end after the first step, or the second.
OPEN = HOURS.partition("- feed: {Orders: [['11:02'")[0]
NOT_ENDED = HOURS.partition("- bound")[0]


def kinds(folder: Path, case: str, backend: type[Backend]) -> list[Kind | None]:
    """The kinds of failure at each tier."""
    return [verdict.kind for verdict in verdicts(folder, case, backend)]


def verdicts(folder: Path, case: str, backend: type[Backend]) -> list[Verdict]:
    """The verdicts at each tier."""
    made = backend()
    running = RunningBackend("toy", backend, made, made.start())
    grade = grade_case(running, load_case(folder, case), "exact")
    assert grade.verdict == grade.at["exact"]
    assert all(v.outcome is Outcome.FAIL for v in grade.at.values() if v.kind)
    return [grade.at[tier] for tier in TIERS]


PASSES = None
#: As HOURS, with nothing said of bounds and state.
BARE = re.sub(r"  (clock|state): .*\n", "", HOURS)


@pytest.mark.parametrize(
    ("case", "backend", "final", "bounded", "exact"),
    [
        (HOURS, toy_hours.Hourly, PASSES, PASSES, PASSES),
        (HOURS, toy_hours.Permuted, PASSES, PASSES, PASSES),
        (HOURS, toy_hours.Uncounted, PASSES, PASSES, PASSES),
        (HOURS, toy_hours.Early, PASSES, Kind.TOO_EARLY, Kind.TOO_EARLY),
        (HOURS, toy_hours.LateByOne, PASSES, Kind.TOO_LATE, Kind.TOO_LATE),
        (HOURS, toy_hours.LateByOneUnawares, Kind.FALSE_BOUND, Kind.TOO_LATE, Kind.TOO_LATE),
        (HOURS, toy_hours.AtEnd, PASSES, Kind.TOO_LATE, Kind.TOO_LATE),
        (HOURS, toy_hours.Repeats, Kind.DUPLICATE, Kind.DUPLICATE, Kind.DUPLICATE),
        (HOURS, toy_hours.RepeatsLater, Kind.DUPLICATE, Kind.DUPLICATE, Kind.DUPLICATE),
        (HOURS, toy_hours.DropsLast, Kind.WRONG_ROWS, Kind.WRONG_ROWS, Kind.WRONG_ROWS),
        (HOURS, toy_hours.GivesAnother, Kind.WRONG_ROWS, Kind.WRONG_ROWS, Kind.WRONG_ROWS),
        (HOURS, toy_hours.Updates, Kind.DUPLICATE, Kind.DUPLICATE, Kind.DUPLICATE),
        (HOURS, toy_hours.Reversed, Kind.ORDER, Kind.ORDER, Kind.ORDER),
        (HOURS, toy_hours.Boasts, Kind.FALSE_BOUND, Kind.FALSE_BOUND, Kind.FALSE_BOUND),
        (HOURS, toy_hours.BoastsOnce, Kind.FALSE_BOUND, Kind.FALSE_BOUND, Kind.FALSE_BOUND),
        (HOURS, toy_hours.EndsTooSoon, Kind.FALSE_BOUND, Kind.FALSE_BOUND, Kind.FALSE_BOUND),
        (HOURS, toy_hours.Mumbles, Kind.FALSE_BOUND, Kind.FALSE_BOUND, Kind.FALSE_BOUND),
        (HOURS, toy_hours.Silent, PASSES, PASSES, Kind.FALSE_BOUND),
        (HOURS, toy_hours.Timid, PASSES, PASSES, Kind.FALSE_BOUND),
        (HOURS, toy_hours.Forgetful, PASSES, PASSES, Kind.FALSE_BOUND),
        (HOURS, toy_hours.KeepsLate, Kind.NOT_LATE, Kind.NOT_LATE, Kind.NOT_LATE),
        (HOURS, toy_hours.DropsTies, Kind.WRONGLY_LATE, Kind.WRONGLY_LATE, Kind.WRONGLY_LATE),
        (HOURS, toy_hours.TellsLateLater, PASSES, Kind.NOT_LATE, Kind.NOT_LATE),
        (HOURS, toy_hours.Hoards, PASSES, PASSES, Kind.TOO_MUCH_STATE),
        (HOURS, toy_hours.HoldsNothing, PASSES, PASSES, Kind.FALSE_STATE),
        (BARE, toy_hours.Silent, PASSES, PASSES, PASSES),
        (BARE, toy_hours.LateByOne, PASSES, PASSES, Kind.TOO_LATE),
        (BARE, toy_hours.AtEnd, PASSES, Kind.TOO_LATE, Kind.TOO_LATE),
        (BARE, toy_hours.LateByOneUnawares, Kind.FALSE_BOUND, Kind.FALSE_BOUND, Kind.TOO_LATE),
        (BARE, toy_hours.Boasts, Kind.FALSE_BOUND, Kind.FALSE_BOUND, Kind.FALSE_BOUND),
        (FAILS, toy_hours.Hourly, Kind.ACCEPTED, Kind.ACCEPTED, Kind.ACCEPTED),
        (FAILS, toy_hours.FailsThird, PASSES, PASSES, PASSES),
        (FAILS, toy_hours.FailsEarly, Kind.NOT_LATE, Kind.TOO_EARLY, Kind.TOO_EARLY),
        (FAILS, toy_hours.FailsAtEnd, PASSES, PASSES, Kind.TOO_LATE),
        (FAILS, toy_hours.FailsLosingRows, PASSES, Kind.WRONG_ROWS, Kind.WRONG_ROWS),
        (OPEN, toy_hours.Hourly, PASSES, PASSES, PASSES),
        (OPEN, toy_hours.Early, PASSES, PASSES, PASSES),
        (OPEN, toy_hours.Updates, PASSES, Kind.WRONG_ROWS, Kind.WRONG_ROWS),
        (NOT_ENDED, toy_hours.Hourly, PASSES, PASSES, PASSES),
        (NOT_ENDED, toy_hours.AtEnd, PASSES, Kind.TOO_LATE, Kind.TOO_LATE),
        (NOT_ENDED, toy_hours.DropsLast, PASSES, PASSES, PASSES),
    ],
)
def test_each_backend_is_judged_at_each_tier_for_what_it_is(
    case: str,
    backend: type[Backend],
    final: Kind | None,
    bounded: Kind | None,
    exact: Kind | None,
    tmp_path: Path,
) -> None:
    assert kinds(tmp_path, case, backend) == [final, bounded, exact]


class Buffering(toy.Faithful):
    """Buffers rows until the clock is above them, as engines do that sort by watermarks."""

    def __init__(self) -> None:
        super().__init__()
        self.buffered: tuple[WireRow, ...] = ()

    def open(self, request: Open) -> Accepted | Refused:
        self.buffered = ()
        return super().open(request)

    def poll(self) -> Output:
        output = super().poll()
        rows = (*self.buffered, *output.rows)
        free = [row for row in rows if self.ended or str(row[0]) < self.clock]
        self.buffered = tuple(row for row in rows if row not in free)
        return replace(output, rows=tuple(free))


PASSING = """
id: passing
cites: [S-305]
sql: SELECT STREAM * FROM Orders
steps:
- feed: {Orders: [['10:00', 1, 1], ['10:05', 1, 1], ['10:05', 2, 1]]}
  emit: [['10:00', 1, 1], ['10:05', 2, 1], ['10:05', 1, 1]]
  clock: '10:05'
- bound: {Orders: '10:05'}
- bound: {Orders: '10:05:00.001'}
- end: true
"""


def test_a_row_may_be_buffered_at_bounded_until_the_output_s_bound_exceeds_it(
    tmp_path: Path,
) -> None:
    final, bounded, exact = verdicts(tmp_path, PASSING, Buffering)
    assert (final.kind, bounded.kind, exact.kind) == (None, None, Kind.TOO_LATE)
    assert exact.reason == "step 1 (line 8): 2 rows too late"


def test_a_clock_says_by_when_a_row_is_forced(tmp_path: Path) -> None:
    class Longer(Buffering):
        """Buffers them until the end."""

        def poll(self) -> Output:
            output = super().poll()
            self.buffered, rows = (*output.rows, *self.buffered), output.rows if self.ended else ()
            return replace(output, rows=tuple(sorted(rows, key=str)), bound=None)

    assert kinds(tmp_path, PASSING, Longer) == [None, Kind.TOO_LATE, Kind.TOO_LATE]
    forced = PASSING.replace("- end: true", "- end: true\n  emit: []")
    only_ties = forced.replace("['10:00', 1, 1], ", "").replace("  clock: '10:05'\n", "")
    assert kinds(tmp_path, only_ties, Longer) == [None, None, Kind.TOO_LATE]
    reported = only_ties.replace("00.001'}", "00.001'}\n  clock: '10:05:00.001'")
    last = verdicts(tmp_path, reported, Longer)[1]
    assert last.reason == "step 3 (line 11): 2 rows too late"


RANGE = """
id: range
cites: [S-503]
sql: SELECT STREAM * FROM Orders
steps:
- feed: {Orders: [['10:00', 1, 1]]}
MAY
- bound: {Orders: '10:10'}
BY
- bound: {Orders: '10:20'}
LAST
- end: true
"""


class AtSecond(toy.Faithful):
    """Emits rows at the second poll, and reports no bounds."""

    def open(self, request: Open) -> Accepted | Refused:
        self.polls, self.retained = 0, list[WireRow]()
        return super().open(request)

    def poll(self) -> Output:
        output = super().poll()
        self.retained += output.rows
        self.polls += 1
        rows, self.retained = (self.retained, []) if self.polls >= self.at else ([], self.retained)
        return replace(output, rows=tuple(rows), bound=None)

    at = 2


class AtThird(AtSecond):
    """Emits them at the third."""

    at = 3


class AtFourth(AtSecond):
    """Emits them at the fourth, which ends the inputs."""

    at = 4


@pytest.mark.parametrize(
    ("may", "by", "right", "early", "late"),
    [
        ("MAY", "", (1, 2, 3, 4), (), ()),
        ("MAY", "MAY", (1,), (), (2, 3, 4)),
        ("MAY", "BY", (1, 2), (), (3, 4)),
        ("MAY", "LAST", (1, 2, 3), (), (4,)),
        ("BY", "BY", (2,), (1,), (3, 4)),
        ("BY", "LAST", (2, 3), (1,), (4,)),
        ("BY", "", (2, 3, 4), (1,), ()),
        ("LAST", "LAST", (3,), (1, 2), (4,)),
    ],
)
def test_a_range_holds_at_both_tiers_from_its_first_step_to_its_last(
    may: str,
    by: str,
    right: tuple[int, ...],
    early: tuple[int, ...],
    late: tuple[int, ...],
    tmp_path: Path,
) -> None:
    lines = {"MAY": "", "BY": "", "LAST": ""}
    row = "[['10:00', 1, 1]]"
    lines[may] += f"  may_emit: {row}\n"
    if by:
        lines[by] += f"  emit_by: {row}\n"
    case = RANGE
    for mark, line in lines.items():
        case = case.replace(f"{mark}\n", line)
    at: dict[int, type[Backend]] = {1: toy.Faithful, 2: AtSecond, 3: AtThird, 4: AtFourth}
    for step, backend in at.items():
        kind = Kind.TOO_EARLY if step in early else Kind.TOO_LATE if step in late else None
        assert (kind is None) == (step in right)
        assert kinds(tmp_path, case, backend) == [None, kind, kind], step


def test_a_failure_shows_the_first_step_that_differs_beside_what_was_due(tmp_path: Path) -> None:
    late = "emitted only at step 3 (line 15), after ORDERS: bound 2015-02-15 11:30:00"
    assert verdicts(tmp_path, BARE, toy_hours.LateByOne)[2] == Verdict(
        Outcome.FAIL,
        Kind.TOO_LATE,
        "step 2 (line 12): 2 rows too late",
        (
            "  ORDERS: 2 rows",
            "  expected                               actual",
            "  ROWTIME                PRODUCTID  C    ROWTIME                PRODUCTID  C",
            "- '2015-02-15 11:00:00'  30         3",
            "- '2015-02-15 11:00:00'  10         1",
            f"- ('2015-02-15 11:00:00', 30, 3): {late}",
            f"- ('2015-02-15 11:00:00', 10, 1): {late}",
        ),
    )


def test_other_rows_are_shown_at_the_first_step_that_differs(tmp_path: Path) -> None:
    final, _, exact = verdicts(tmp_path, BARE, toy_hours.GivesAnother)
    assert final.reason == "1 row not expected"
    assert exact.reason == "1 row not expected; the first step to differ is step 3 (line 15)"
    assert exact.detail == (
        "  ORDERS: bound 2015-02-15 11:30:00",
        "  expected                               actual",
        "  ROWTIME                PRODUCTID  C    ROWTIME                PRODUCTID  C",
        "                                       + '2015-02-15 12:00:00'  99         1",
    )


def test_where_the_whole_result_is_listed_no_step_says_when_rows_come(tmp_path: Path) -> None:
    rows = "rows: [['11:00', 30, 3], ['11:00', 10, 1], ['12:00', 10, 1], ['13:00', 20, 2]]\n"
    whole = re.sub(r"  emit: .*\n", "", BARE) + rows
    assert kinds(tmp_path, whole, toy_hours.AtEnd) == [None, None, None]
    assert kinds(tmp_path, whole, toy_hours.Early) == [None, None, None]
    wrong = Kind.FALSE_BOUND
    assert kinds(tmp_path, whole, toy_hours.LateByOneUnawares) == [wrong, wrong, wrong]


def test_that_nothing_comes_yet_is_judged_at_every_tier_but_final(tmp_path: Path) -> None:
    case = BARE.partition("- feed: {Orders: [['11:02'")[0]
    assert [v.outcome for v in verdicts(tmp_path, case, toy_hours.Silent)] == [
        Outcome.SKIP,
        Outcome.PASS,
        Outcome.PASS,
    ]
    assert kinds(tmp_path, case, toy_hours.Updates)[1:] == [Kind.WRONG_ROWS, Kind.WRONG_ROWS]
