"""The schedule of rows follows from the steps, and emitted rows are matched with it completely."""

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck.corpus.permitted import permitted_rows
from tck.judging.matching import read_row
from tck.judging.pairing import Pairing
from tck.judging.schedule import ScheduledRow, schedule
from tck.judging.timing import EmittedRow, TimingFault, compare_times
from tck.protocol import Accepted, ColumnInfo
from tests.tck import toy
from tests.tck.corpora import load_case, problems

ACCEPTED = Accepted(True, toy.COLUMNS, {"ROWTIME": "INCREASING"})
TIMELESS = Accepted(True, toy.COLUMNS[1:])
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
    assert [(due.first, due.last) for due in schedule(loaded, ACCEPTED, "exact")] == found


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
    assert schedule(loaded, ACCEPTED, "bounded")[0].last == last
    first = schedule(loaded, ACCEPTED, "exact")[0]
    assert first.first == first.last == schedule(loaded, ACCEPTED, "bounded")[0].first


@pytest.mark.parametrize("order", ["any", "exact"])
def test_rows_that_have_come_force_no_other_where_they_need_not_come_by_rowtime(
    order: str, tmp_path: Path
) -> None:
    both = case(f"emit: [{A}, {B}]", order=order)
    assert schedule(load_case(tmp_path, both), ACCEPTED, "bounded")[0].last == 1
    reported = case(f"emit: [{A}, {B}], clock: '10:05'", order=order)
    assert schedule(load_case(tmp_path, reported), ACCEPTED, "bounded")[0].last == 0


def test_rows_without_a_rowtime_are_due_at_the_end(tmp_path: Path) -> None:
    loaded = load_case(tmp_path, case("emit: [[1, 1]], clock: '10:05'"))
    assert schedule(loaded, TIMELESS, "bounded")[0].last == 1


def test_a_script_that_does_not_end_leaves_rows_open_that_nothing_forces(tmp_path: Path) -> None:
    loaded = load_case(tmp_path, case(f"emit: [{A}]", f"may_emit: [{B}]", ends=False))
    assert [(d.first, d.last) for d in schedule(loaded, ACCEPTED, "bounded")] == [(0, 2), (1, 2)]
    assert [(d.first, d.last) for d in schedule(loaded, ACCEPTED, "exact")] == [(0, 0), (1, 2)]


def test_rows_of_the_step_that_fails_may_come_and_those_before_must(tmp_path: Path) -> None:
    steps = (f"emit: [{A}]", f"emit: [{B}], error: {{code: OVERFLOW}}")
    loaded = load_case(tmp_path, case(*steps, ends=False))
    assert [due.optional for due in schedule(loaded, ACCEPTED, "exact")] == [False, True]


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


def due(number: int, first: int, last: int, optional: bool = False) -> ScheduledRow:
    """A row of one number."""
    return ScheduledRow((number,), read_row((number,), NUMBER, None), first, last, optional)


def rows(*emitted: tuple[int, int]) -> list[EmittedRow]:
    """Rows of one number each, with their steps."""
    return [EmittedRow(read_row((number,), NUMBER, None), step) for number, step in emitted]


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
    _, wrong = compare_times(scheduled, rows(*emitted), steps=3)
    assert [(each.fault, each.step) for each in wrong] == faults


STEPS = 3
DUES = st.lists(
    st.tuples(st.integers(1, 2), st.integers(0, STEPS), st.integers(0, STEPS), st.booleans()).map(
        lambda d: due(d[0], min(d[1], d[2]), max(d[1], d[2]), d[3])
    ),
    max_size=3,
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
    _, wrong = compare_times(scheduled, rows(*emitted), STEPS)
    assert (not wrong) == served(scheduled, emitted)


@given(DUES, CAME)
def test_every_row_is_in_its_time_or_named_once(
    scheduled: list[ScheduledRow], emitted: list[tuple[int, int]]
) -> None:
    in_time, wrong = compare_times(scheduled, rows(*emitted), STEPS)
    named = [each.scheduled for each in wrong if each.scheduled is not None]
    assert len(named) == len(set(named))
    assert set(named) & set(in_time.right_of) == set()
    must = {i for i, each in enumerate(scheduled) if not each.optional}
    assert must <= set(named) | set(in_time.right_of)
    seen = [each.emitted for each in wrong if each.emitted is not None]
    assert len(seen) == len(set(seen))
    inside = {i for i, (_, step) in enumerate(emitted) if step < STEPS}
    assert inside <= set(seen) | set(in_time.left_of)


EDGES = st.lists(st.lists(st.integers(0, 3), unique=True, max_size=3), max_size=4)


@given(EDGES, st.permutations(range(4)))
def test_as_many_are_paired_as_can_be_and_who_has_a_partner_keeps_one(
    edges: list[list[int]], order: list[int]
) -> None:
    pairing = Pairing(edges)
    pairing.add_right(order[:2])
    retained = set(pairing.left_of)
    pairing.add_left(range(len(edges)))
    assert retained <= set(pairing.left_of)
    assert all(right in edges[left] for left, right in pairing.pairs)
    assert {left: right for right, left in pairing.left_of.items()} == pairing.right_of
    most = max(
        len({r for r, left in zip(right_range, edges, strict=True) if r in left})
        for right_range in permutations([*range(4), *[-1] * len(edges)], len(edges))
    )
    assert len(pairing.pairs) == most
