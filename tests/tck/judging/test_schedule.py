"""The schedule of rows follows from the steps, and emitted rows are matched with it completely."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck.corpus.case import Case
from tck.corpus.permitted import permitted_rows
from tck.judging.rows.equality import classes
from tck.judging.rows.matching import match_rows
from tck.judging.rows.reading import read_rows
from tck.judging.schedule import ScheduledRow, TimedTier, schedule
from tck.judging.timing import Misplaced, TimingFault, compare_times
from tck.protocol import ColumnInfo
from tests.tck import toy
from tests.tck.corpora import load_case, problems

NUMBER = (ColumnInfo("A", "INTEGER", True),)

#: Rows of 10:00 and of 10:05, and what is said of them in up to five steps; the last ends.
A, B = "['10:00', 1, 1]", "['10:05', 1, 1]"


def case(*steps: str, order: str = "", ends: bool = True) -> str:
    """A case with these steps, and one that ends the inputs."""
    listed = "".join(f"- {{bound: {{Orders: '09:0{i}'}}, {s}}}\n" for i, s in enumerate(steps))
    more = f"order: {order}\n" if order else ""
    end = "- {end: true}\n" if ends else ""
    sql = "sql: SELECT STREAM * FROM Orders\n"
    return f"id: a\ncites: [S-1]\n{sql}{more}steps:\n{listed}{end}"


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ([f"emit: [{A}]"], [(0, 0)]),
        (["emit: []", f"emit: [{A}, {A}]"], [(1, 1), (1, 1)]),
        ([f"may_emit: [{A}]", "emit: []"], [(0, 2)]),
        ([f"may_emit: [{A}]", f"emit_by: [{A}]"], [(0, 1)]),
        ([f"may_emit: [{A}], emit_by: [{A}]"], [(0, 0)]),
        # Of equal rows, the first allowed is the first due.
        ([f"may_emit: [{A}, {A}]", f"emit_by: [{A}]", f"emit_by: [{A}]"], [(0, 1), (0, 2)]),
        ([f"may_emit: [{A}]", f"may_emit: [{A}]", f"emit_by: [{A}]"], [(0, 2), (1, 3)]),
        # What is emitted at one step is apart from its equals that have a range.
        ([f"may_emit: [{A}]", f"emit: [{A}], emit_by: [{A}]"], [(0, 1), (1, 1)]),
        ([f"may_emit: [{A}, {B}]", f"emit_by: [{B}]"], [(0, 2), (0, 1)]),
    ],
)
def test_a_range_goes_from_its_first_step_to_its_last(
    steps: list[str], found: list[tuple[int, int]], tmp_path: Path
) -> None:
    loaded = load_case(tmp_path, case(*steps))
    assert [(span.first, span.last) for span in permitted_rows(loaded)] == found
    assert [(due.first, due.last) for due in scheduled(loaded, "exact")] == found


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        ([f"emit: [{A}]"], 1),  # nothing forces it but the end
        ([f"emit: [{A}], clock: '10:00'"], 1),  # its own time does not
        ([f"emit: [{A}], clock: '10:00:00.001'"], 0),
        ([f"emit: [{A}]", "clock: '10:06'"], 1),
        ([f"emit: [{A}]", "emit: []", "clock: '10:06'"], 2),
        ([f"emit: [{A}, {B}]"], 0),  # a later row has come: the clock is there
        ([f"emit: [{A}]", f"emit: [{B}]"], 1),
        ([f"emit: [{A}]", f"emit: [{A}]"], 2),  # a tie does not
        ([f"emit: [{A}], may_emit: [{B}]", "emit: []", f"emit_by: [{B}]"], 2),  # once it must
        (["emit: []", f"emit: [{A}]", "clock: '10:06'"], 2),
        ([f"emit: [{A}]", "clock: '09:00'", "emit: []"], 3),
    ],
)
def test_at_bounded_a_row_is_due_when_the_bound_is_known_to_exceed_its_rowtime(
    steps: list[str], last: int, tmp_path: Path
) -> None:
    loaded = load_case(tmp_path, case(*steps))
    assert scheduled(loaded, "bounded")[0].last == last
    first = scheduled(loaded, "exact")[0]
    assert first.first == first.last == scheduled(loaded, "bounded")[0].first


@pytest.mark.parametrize("order", ["any", "exact"])
def test_rows_that_have_come_force_no_other_where_they_need_not_come_by_rowtime(
    order: str, tmp_path: Path
) -> None:
    both = case(f"emit: [{A}, {B}]", order=order)
    assert scheduled(load_case(tmp_path, both), "bounded")[0].last == 1
    reported = case(f"emit: [{A}, {B}], clock: '10:05'", order=order)
    assert scheduled(load_case(tmp_path, reported), "bounded")[0].last == 0


def test_rows_without_a_rowtime_are_due_at_the_end(tmp_path: Path) -> None:
    loaded = load_case(tmp_path, case("emit: [[1, 1]], clock: '10:05'"))
    assert scheduled(replace(loaded, result=toy.COLUMNS[1:]), "bounded")[0].last == 1


def test_a_script_that_does_not_end_leaves_rows_open_that_nothing_forces(tmp_path: Path) -> None:
    loaded = load_case(tmp_path, case(f"emit: [{A}]", f"may_emit: [{B}]", ends=False))
    assert [(d.first, d.last) for d in scheduled(loaded, "bounded")] == [(0, 2), (1, 2)]
    assert [(d.first, d.last) for d in scheduled(loaded, "exact")] == [(0, 0), (1, 2)]


def test_rows_of_the_step_that_fails_may_come_and_those_before_must(tmp_path: Path) -> None:
    steps = (f"emit: [{A}]", f"emit: [{B}], error: {{code: OVERFLOW}}")
    loaded = load_case(tmp_path, case(*steps, ends=False))
    assert [due.optional for due in scheduled(loaded, "exact")] == [False, True]


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([f"emit_by: [{A}]"], "`emit_by` without `may_emit`"),
        ([f"emit_by: [{A}]", f"may_emit: [{A}]"], "`emit_by` before `may_emit`"),
        (
            [f"may_emit: [{A}]", f"emit_by: [{A}, {A}]", f"may_emit: [{A}]"],
            "`emit_by` before `may_emit`",
        ),
    ],
)
def test_a_range_that_ends_before_it_begins_is_a_problem(
    steps: list[str], problem: str, tmp_path: Path
) -> None:
    (found,) = problems(tmp_path, case(*steps))
    assert problem in found


def scheduled(case: Case, tier: TimedTier) -> tuple[ScheduledRow, ...]:
    """The schedule of a case."""
    return schedule(case, read_rows(case.all_rows, case.result or (), case.date), tier)


def due(number: int, first: int, last: int, optional: bool = False) -> ScheduledRow:
    """A row of one number."""
    return ScheduledRow((number,), read_rows([(number,)], NUMBER)[0], first, last, optional)


def compared(
    scheduled: Sequence[ScheduledRow], emitted: Sequence[tuple[int, int]], steps: int
) -> tuple[dict[int, int], tuple[Misplaced, ...]]:
    """The scheduled rows next to emitted ones: a number and a step each, in the order of steps."""
    came = sorted(emitted, key=lambda each: each[1])
    rows = read_rows([(number,) for number, _ in came], NUMBER)
    equal = classes([each.row for each in scheduled], rows)
    return compare_times(scheduled, [step for _, step in came], equal, match_rows(equal), steps)


EARLY, LATE, MISSING, EXTRA = TimingFault


@pytest.mark.parametrize(
    ("scheduled", "emitted", "faults"),
    [
        ([due(1, 0, 0)], [(1, 0)], []),
        ([due(1, 1, 1)], [(1, 0)], [(EARLY, 0)]),
        ([due(1, 0, 0)], [(1, 1)], [(LATE, 0)]),
        ([due(1, 0, 0)], [], [(MISSING, 0)]),
        ([due(1, 0, 0, optional=True)], [], []),
        ([due(1, 1, 1, optional=True)], [(1, 0)], [(EARLY, 0)]),
        ([], [(1, 1)], [(EXTRA, 1)]),
        ([], [(1, 3)], []),  # after the last step: open
        ([due(1, 0, 3)], [(1, 3)], []),
        # Whom to serve first: the row with the narrow range, whatever comes first in the list.
        ([due(1, 0, 2), due(1, 0, 0)], [(1, 0), (1, 2)], []),
        ([due(1, 0, 2), due(1, 1, 1)], [(1, 1), (1, 0)], []),
        ([due(1, 0, 1), due(1, 1, 2)], [(1, 1), (1, 1)], []),
        ([due(1, 0, 2), due(1, 0, 1), due(1, 0, 0)], [(1, 0), (1, 1), (1, 2)], []),
        ([due(1, 0, 1), due(1, 1, 2), due(1, 0, 2)], [(1, 2), (1, 2), (1, 0)], []),
        # No pairing serves all.
        ([due(1, 0, 1), due(1, 0, 1)], [(1, 0), (1, 2)], [(LATE, 1)]),
        ([due(1, 0, 0), due(1, 2, 2)], [(1, 1), (1, 1)], [(LATE, 0), (EARLY, 1)]),
        ([due(1, 1, 2), due(1, 1, 2)], [(1, 0), (1, 2)], [(EARLY, 0)]),
        ([due(1, 0, 0)], [(1, 0), (1, 0)], [(EXTRA, 0)]),
        ([due(1, 0, 0)], [(1, 0), (1, 1)], [(EXTRA, 1)]),
        # A row within the steps is served before an equal one that came after them.
        ([due(1, 0, 3)], [(1, 3), (1, 1)], []),
        ([due(1, 0, 0), due(2, 1, 1)], [(2, 0), (1, 1)], [(LATE, 0), (EARLY, 0)]),
        ([due(1, 0, 0)], [(2, 0)], [(MISSING, 0), (EXTRA, 0)]),
    ],
)
def test_rows_are_matched_with_what_was_due(
    scheduled: list[ScheduledRow],
    emitted: list[tuple[int, int]],
    faults: list[tuple[TimingFault, int]],
) -> None:
    _, wrong = compared(scheduled, emitted, steps=3)
    assert [(each.fault, each.step) for each in wrong] == faults


STEPS = 3
#: Where the query may fail, the rows of its last steps are optional.
DUES = st.integers(0, STEPS + 1).flatmap(
    lambda failing: st.lists(
        st.tuples(st.integers(1, 2), st.integers(0, STEPS), st.integers(0, STEPS)).map(
            lambda d: due(d[0], min(d[1:]), max(d[1:]), max(d[1:]) >= failing)
        ),
        max_size=3,
    )
)
CAME = st.lists(st.tuples(st.integers(1, 2), st.integers(0, STEPS)), max_size=4)


def served(scheduled: Sequence[ScheduledRow], emitted: Sequence[tuple[int, int]]) -> bool:
    """Whether some pairing leaves out no row that must come, and none that came in the steps."""
    slots = [*range(len(emitted)), *([None] * len(scheduled))]
    for chosen in set(permutations(slots, len(scheduled))):
        taken = {place for place in chosen if place is not None}
        fit = all(
            due.optional
            if place is None
            else emitted[place][0] == due.cells[0] and due.first <= emitted[place][1] <= due.last
            for due, place in zip(scheduled, chosen, strict=True)
        )
        inside = {i for i, (_, step) in enumerate(emitted) if step < STEPS}
        if fit and inside <= taken:
            return True
    return False


@given(DUES, CAME)
def test_nothing_is_wrong_exactly_where_some_pairing_serves_all(
    scheduled: list[ScheduledRow], emitted: list[tuple[int, int]]
) -> None:
    _, wrong = compared(scheduled, emitted, STEPS)
    assert (not wrong) == served(scheduled, emitted)


@given(DUES, CAME)
def test_every_row_is_in_its_time_or_named_once(
    scheduled: list[ScheduledRow], emitted: list[tuple[int, int]]
) -> None:
    in_time, wrong = compared(scheduled, emitted, STEPS)
    named = [each.scheduled for each in wrong if each.scheduled is not None]
    assert len(named) == len(set(named))
    assert set(named) & set(in_time) == set()
    must = {i for i, each in enumerate(scheduled) if not each.optional}
    assert must <= set(named) | set(in_time)
    seen = [each.emitted for each in wrong if each.emitted is not None]
    assert len(seen) == len(set(seen))
    inside = {i for i, step in enumerate(sorted(s for _, s in emitted)) if step < STEPS}
    assert inside <= set(seen) | set(in_time.values())
