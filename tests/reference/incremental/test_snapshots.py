"""Snapshots of operators: restored from one, a query goes on as if nothing had happened (S-610)."""

import json
from collections import deque
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from hypothesis import given

from reference.incremental.lazy_min_heap import PendingRow
from reference.incremental.standing.query import Flow
from reference.snapshot import (
    Json,
    NoSnapshotError,
    SnapshotError,
    of_plan,
    restored,
    snapshot,
    stateful,
)
from tests.examples import examples
from tests.reference.incremental.histories import Play
from tests.reference.incremental.samples import Sample, samples
from tests.reference.incremental.test_laws import told


def written_and_read(saved: Json) -> Json:
    """What a file has of it."""
    return json.loads(json.dumps(saved))


def taken_up(play: Play) -> None:
    """Put fresh operators, restored from a snapshot, in the place of those of a play."""
    saved = written_and_read(snapshot(play.flow))
    play.flow = restored(Flow(play.query, play.env), saved)


@examples(40, 10_000)
@given(samples())
def test_a_query_that_is_taken_up_goes_on_as_it_was(sample: Sample) -> None:
    """S-610.c: before each event; rows, bounds and the size of the state are the same."""
    told(sample)
    play, other = sample.play(), sample.play()
    for event in sample.events:
        taken_up(other)
        assert repr(other.step(event)) == repr(play.step(event))
        assert repr(other.trains) == repr(play.trains)
        states = [each.flow.network.states() for each in (play, other)]
        assert states[0] == states[1]
        rows = [{plan: [*of.retained()] for plan, of in each.items()} for each in states]
        sizes = [{plan: len(of) for plan, of in each.items()} for each in rows]
        assert sizes[0] == sizes[1]


@stateful
@dataclass
class Held:
    """An object with data."""

    value: Any = None


def test_values_are_read_as_they_were_written() -> None:
    values: tuple[object, ...] = (
        None,
        True,
        1 << 2000,
        -0.0,
        float("inf"),
        "ä\u0000\ud800",
        b"\x00\xff",
        Decimal("1.50"),
        Fraction(1, 3),
        datetime(2026, 1, 1, 10, 0, 0, 123456),
        date(2026, 1, 1),
        time(10, 30),
        timedelta(days=-1, microseconds=7),
        (1, (2,), ()),
        [1, [2]],
        {(1, "a"): [Decimal(2)], None: {}},
        deque([1, 2]),
        {3},
        frozenset({(1, "a")}),
    )
    found = restored(Held(), written_and_read(snapshot(Held(values)))).value
    assert repr(found) == repr(values)


def test_a_counter_goes_on() -> None:
    counter = count(5)
    found = restored(Held(), written_and_read(snapshot(Held(counter)))).value
    assert next(found) >= 5
    assert next(counter) >= 5


def test_an_object_that_is_held_twice_is_one_object() -> None:
    pending = PendingRow((1,))
    found = restored(Held(), written_and_read(snapshot(Held([pending, (pending,)])))).value
    assert found[0] is found[1][0]
    assert found[0].row == (1,)


@stateful
@dataclass(frozen=True)
class Key:
    """An object that can be the key of a dict."""

    value: int


def test_objects_keep_their_numbers_among_keys_and_values() -> None:
    pending, keys = PendingRow((1,)), [Key(1), Key(2)]
    held = ({(keys[0],): pending, (keys[1],): [pending, keys[0]]}, keys[1], pending)
    found = restored(Held(), written_and_read(snapshot(Held(held)))).value
    first, second = found[0].values()
    assert [*found[0]] == [(Key(1),), (Key(2),)]
    assert first is second[0] is found[2]
    assert (second[1], found[1]) == (Key(1), Key(2))


def test_what_is_no_data_comes_from_the_twin() -> None:
    saved = written_and_read(snapshot(Held((len, 1))))
    assert restored(Held((abs, 2)), saved).value == (abs, 1)


@stateful
class Colour(Enum):
    """An enumeration, of which the state has one member."""

    RED = 1
    BLUE = 2


def test_a_member_of_an_enumeration_is_data() -> None:
    saved = written_and_read(snapshot(Held([Colour.BLUE])))
    assert restored(Held(Colour.RED), saved).value == [Colour.BLUE]


class ForgottenColour(Enum):
    """An enumeration without a mark."""

    RED = 1


class Forgotten:
    """A class that can change, and has no mark."""

    def __init__(self) -> None:
        self.rows = [1]


@of_plan
class Constant(Forgotten):
    """A class that is said not to change."""


@dataclass(frozen=True)
class Record:
    """A record that cannot change, but what it holds may."""

    held: object


class More(Held):
    """A class with an attribute more than its base, which alone is marked."""


@pytest.mark.parametrize(
    "held",
    [
        Forgotten(),
        Record(Forgotten()),
        Record((len, [Forgotten()])),
        Record({len: Forgotten()}),
        Record(Held(1)),  # marked, but what holds it is not: the twin has another
        More(1),
        {Record(1): 5},
        {(1, len): 5},
        {len},
        deque([len]),
        {Record(1): [5]},
        (value for value in [1]),
        ForgottenColour.RED,
        object(),
    ],
)
def test_a_class_that_was_not_marked_is_refused(held: object) -> None:
    """Nothing is left out in silence: what could be state, and cannot be written, is an error."""
    with pytest.raises(NoSnapshotError):
        snapshot(Held(held))


@pytest.mark.parametrize(
    "held",
    [len, Held, Constant(), Record((len, (1, Decimal(2)), {1: Colour.RED})), {Record(1): len}],
)
def test_what_cannot_change_is_of_the_plan(held: object) -> None:
    other = Held(held)
    assert restored(other, written_and_read(snapshot(Held(held)))).value is held


@stateful
@dataclass
class Longer(Held):
    """A class whose objects have more than its base says."""

    def __post_init__(self) -> None:
        self.count = 0


def test_the_state_is_all_that_an_object_holds() -> None:
    """Also what a subclass adds to the fields of its base."""
    old = Longer(1)
    old.count = 7
    assert restored(Longer(2), written_and_read(snapshot(old))).count == 7


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("test_snapshots.Held", "subprocess.Popen"),  # no class of ours
        ("test_snapshots.Held", "lazy_min_heap.PendingRow"),  # of another class
        ('"value"', '"worth"'),  # with other fields
        ('"decimal"', '"eval"'),
        ('"1.5"', '"one"'),
        ('{"decimal": "1.5"}', '{"object": 7}'),
        ('{"decimal": "1.5"}', '{"twin": null, "more": 1}'),
        ('{"decimal": "1.5"}', "{}"),
        ('{"decimal": "1.5"}', '{"new": [9]}'),
        ('{"decimal": "1.5"}', '{"own": ["test_snapshots.Held", 1]}'),
        ('{"decimal": "1.5"}', '{"member": ["test_snapshots.Held", "value"]}'),
        ('{"decimal": "1.5"}', '{"member": ["test_snapshots.Colour", "GREEN"]}'),
        ('"data"', '"date"'),
    ],
)
def test_a_snapshot_that_does_not_fit_is_refused(old: str, new: str) -> None:
    """It is data alone: what names a class that is not marked makes no object."""
    text = json.dumps(snapshot(Held(Decimal("1.5"))))
    assert old in text
    with pytest.raises(SnapshotError):
        restored(Held(), json.loads(text.replace(old, new)))
