"""The laws of streaming on generated queries and histories: S-303, S-304, S-306, causality."""

import math
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, note
from hypothesis import strategies as st

from algebra.metadata.needed_columns import needed_columns
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.progress import Bound, passed
from algebra.plan import row_type
from reference.incremental.train import NOTHING_KNOWN
from reference.relation import Row
from reference.values import compare
from tests.examples import examples
from tests.reference.incremental.histories import Ended, Event, Rows, Told, cut_anew, same
from tests.reference.incremental.samples import MINUTE, Sample, samples


def told(sample: Sample) -> None:
    """What a failure prints."""
    note(sample.script.ddl)
    note(sample.script.sql + ("   -- sqlstream" if sample.script.sqlstream else ""))
    for event in sample.events:
        note(repr(event))


@examples(30, 10_000)
@given(samples())
def test_the_rows_are_those_of_the_relational_query_in_rowtime_order(sample: Sample) -> None:
    """S-303: as a multiset, DOUBLEs to the bit; no rowtime falls."""
    told(sample)
    play = sample.play()
    rows = [row for event in sample.events for row in play.step(event)]
    expected = play.relational()
    assert same(rows, expected), (rows, expected)
    times = sample.times(rows)
    assert times == sorted(time for time in times if isinstance(time, int))


@given(samples())
def test_no_row_comes_below_a_bound_that_was_given(sample: Sample) -> None:
    """S-306: by its time, hidden or not; and no bound goes back."""
    told(sample)
    play = sample.play()
    shape, clock = play.flow.network.shape, NOTHING_KNOWN
    for event in sample.events:
        play.step(event)
        for train in play.trains:
            note(repr(train))
            assert all(shape.time_of(row) >= clock for row in train.rows)
            assert shape.time_bound(train.bounds) >= clock
            clock = shape.time_bound(train.bounds)
        play.trains.clear()
    assert clock == math.inf


@given(samples())
def test_no_value_comes_before_the_bound_of_its_column(sample: Sample) -> None:
    """S-406: every column that has bounds keeps them, in its direction."""
    told(sample)
    width = len(row_type(sample.query))
    orders = column_monotonicity(sample.query.input, OrderOf.BOUNDS)
    descending = {i: order.descending for i, order in enumerate(orders) if order.progresses}
    play = sample.play(frozenset(descending))
    before: dict[int, Bound | None] = dict.fromkeys(descending)
    for event in sample.events:
        play.step(event)
        for train in play.trains:
            note(repr(train))
            for place, direction in descending.items():
                limit = before[place]
                assert not any(passed(row[place], limit, direction) for row in train.rows)
                before[place] = train.bounds.columns[place]
        play.trains.clear()
    assert width >= len(descending)


@given(samples())
def test_columns_that_are_said_to_rise_or_fall_do(sample: Sample) -> None:
    """S-402: what is deduced of the output's columns holds in the order of emission."""
    told(sample)
    rows = sample.rows(sample.events)
    for place, order in enumerate(column_monotonicity(sample.query.input, OrderOf.ROWS)):
        values = [row[place] for row in rows if row[place] is not None]
        if order.progresses:
            note(f"{place}: {order} {values}")
            backwards = ((a, b) if order.ascending else (b, a) for a, b in pairwise(values))
            assert all(compare(a, b) <= 0 for a, b in backwards)


@given(samples(), st.data())
def test_valid_bounds_change_nothing_but_the_time(sample: Sample, data: st.DataObject) -> None:
    """S-304: with others that hold, with early ends, or with none, the rows are the same."""
    told(sample)
    accepted = sample.accepted()
    places = {each.name[-1]: each.columns for each in sample.streams}
    more: list[Event] = []
    for at, event in enumerate(accepted):
        for name in places:
            later = [e.rows[0][0] for e in accepted[at:] if e.stream == name]
            times = [value for value in later if isinstance(value, int)]
            action = data.draw(st.integers(0, 3))
            if action == 0 and times:
                more.append(Told(name, min(times) - data.draw(st.integers(0, 2)) * MINUTE))
            elif action == 1 and not times:
                more.append(Ended(name))
        more.append(event)
    note(repr(more))
    with_bounds = sample.rows([*more, Ended()])
    without = sample.rows([*accepted, Ended()])
    before = sample.rows(sample.events)
    assert same(with_bounds, before)
    assert same(without, before)
    assert sample.times(with_bounds) == sample.times(without) == sample.times(before)


@given(samples(), st.integers(0, 14))
def test_what_came_out_does_not_depend_on_what_comes_later(sample: Sample, cut: int) -> None:
    """Causality: the output of a prefix, bounds too, is a prefix of the output."""
    told(sample)
    short = sample.trains(sample.events[:cut])
    assert repr(short) == repr(sample.trains(sample.events)[: len(short)])


@given(samples(), st.data())
def test_where_trains_are_cut_cannot_be_seen(sample: Sample, data: st.DataObject) -> None:
    """S-104: the same rows in the same order, up to ties."""
    told(sample)
    cut = data.draw(cut_anew(sample.events))
    one, other = sample.rows(sample.events), sample.rows(cut)
    assert same(one, other)
    assert sample.times(one) == sample.times(other)
    assert all(isinstance(each, Rows | Told | Ended) for each in cut)


@given(samples())
def test_a_column_that_is_not_needed_may_be_null(sample: Sample) -> None:
    """S-613.k: the rows are the same, also those that are dropped as late."""
    told(sample)
    needed = {each.name[-1]: needed_columns(each, (), sample.query) for each in sample.streams}
    note(repr(needed))
    events = [
        replace(event, rows=tuple(_only(needed[event.stream], row) for row in event.rows))
        if isinstance(event, Rows)
        else event
        for event in sample.events
    ]
    assert repr(sample.rows(events)) == repr(sample.rows(sample.events))


def _only(places: frozenset[int], row: Row) -> Row:
    """The row with NULL in all columns but those at some places."""
    return tuple(value if place in places else None for place, value in enumerate(row))


@given(samples())
def test_nothing_is_kept_at_the_end(sample: Sample) -> None:
    """The state of all operators is empty once the inputs have ended."""
    told(sample)
    play = sample.play()
    for event in sample.events:
        play.step(event)
    states = play.flow.network.states()
    assert all(kept.rows == 0 and kept.groups == 0 for kept in states.values()), states
