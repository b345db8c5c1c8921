"""OVER emits at the very event that S-505 and S-305 name: a model that looks at every row again."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given

from algebra.expression import Expression, InputRef, SortKey, Value
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import (
    FrameBound,
    GroupOffset,
    RangeOffset,
    RowOffset,
    Unbounded,
    WindowGroup,
)
from reference.fast.sort_keys import in_order
from reference.incremental.standing.query import reported_bounds
from reference.relation import Row, identity_of
from reference.relational.frames import Partition, axis, moved
from reference.scalar.expression import row_of, value_of
from reference.values import compare, integer, is_nan
from tests.reference.building import ENV
from tests.reference.incremental.histories import Play
from tests.reference.incremental.over.test_over_laws import (
    FIVE_MINUTES,
    MINUTE,
    Sample,
    monthly,
    samples,
)


@dataclass(frozen=True)
class Known:
    """What is known of later values of an expression: none lies before ``limit``."""

    limit: Bound | None
    descending: bool

    def _order(self, value: Value) -> int | None:
        if self.limit is None or value is None:
            return None
        order = compare(value, self.limit.value)
        return -order if self.descending else order

    def reached(self, value: Value) -> bool:
        """No later value lies before ``value``."""
        order = self._order(value)
        return order is not None and order <= 0

    def passed(self, value: Value) -> bool:
        """Nor at it."""
        order = self._order(value)
        assert self.limit is not None or order is None
        return order is not None and (
            order < 0 or (order == 0 and self.limit is not None and self.limit.strict)
        )


@dataclass(frozen=True)
class Model:
    """The rows that have come into a sample's stream, and what is known of later ones."""

    sample: Sample
    rows: Sequence[Row]
    bounds: Bounds

    def known(self, expression: Expression) -> Known | None:
        """How far an expression of the samples has come; None: it makes no progress."""
        if expression == FIVE_MINUTES:
            limit = self.bounds.columns[0]
            floor = None
            if limit is not None:
                floor = Bound(integer(limit.value) // (5 * MINUTE) * 5 * MINUTE)
            return Known(floor, descending=False)
        if not isinstance(expression, InputRef):
            return None
        ordering = self.sample.stream.columns[expression.index].ordering
        if ordering is None:
            return None
        return Known(self.bounds.columns[expression.index], ordering.descending)

    def undetermined(self) -> set[int]:
        """The places of the rows that some group does not know the frame of."""
        return {
            place
            for group in self.sample.window.groups
            for place in range(len(self.rows))
            if not self._determined(place, group)
        }

    def _determined(self, place: int, group: WindowGroup) -> bool:
        """S-505, read off the rule."""
        row = self.rows[place]
        partition_of = row_of(group.partition, ENV)
        if self.bounds.ended or any(
            known is not None and known.passed(value_of(each, row, ENV))
            for each in group.partition
            for known in [self.known(each)]
        ):
            return True
        same = identity_of(partition_of(row))
        order_of = row_of(tuple(key.expression for key in group.order), ENV)
        rows = [
            ((order_of(each), (at, each)))
            for at, each in enumerate(self.rows)
            if identity_of(partition_of(each)) == same
        ]
        settled = [each for each in rows if self._settled(each[0], group.order)]
        ordered = in_order(settled, group.order)
        places = [at for _, (at, _) in ordered]
        if place not in places:
            return False
        partition = Partition(
            tuple(each for _, (_, each) in ordered),
            tuple(order for order, _ in ordered),
            group.order,
        )
        return self._complete(partition, places.index(place), group.frame.end)

    def _settled(self, order: Row, keys: tuple[SortKey, ...]) -> bool:
        """Whether no later row can come before one with these sort keys."""
        known = self._first(keys)
        if not keys or known is None:
            return not keys
        return known.reached(order[0]) if len(keys) == 1 else known.passed(order[0])

    def _first(self, keys: tuple[SortKey, ...]) -> Known | None:
        if not keys:
            return None
        known = self.known(keys[0].expression)
        return known if known is not None and known.descending == keys[0].descending else None

    def _complete(self, partition: Partition, at: int, end: FrameBound) -> bool:
        """Whether no row to come is before ``end`` of the row at ``at``, which is settled."""
        keys = partition.keys
        known = self._first(keys)
        match end:
            case Unbounded():
                return False
            case RowOffset(rows):
                return at + rows < len(partition.rows)
            case GroupOffset(groups) if groups < 0:
                return True
            case GroupOffset(groups):
                peers = partition.peers(at)
                for _ in range(groups):
                    if peers.stop == len(partition.rows):
                        return False
                    peers = partition.peers(peers.stop)
                return known is not None and known.passed(partition.orders[peers.start][0])
            case RangeOffset(distance) if not keys or distance.value == 0:
                return known is not None and known.passed(partition.orders[at][0])
            case RangeOffset(_, preceding) if preceding:
                return True
            case RangeOffset(distance):
                assert known is not None
                kind = keys[0].expression.type.kind
                value = partition.orders[at][0]
                if is_nan(value) or known.limit is None:
                    return known.passed(value)
                target = moved(value, kind, distance, -1 if known.descending else 1)
                limit = Bound(axis(known.limit.value, kind, distance), known.limit.strict)
                return Known(limit, known.descending).passed(target)


@given(samples() | monthly())
def test_each_row_comes_at_the_first_event_after_which_it_is_determined(sample: Sample) -> None:
    """S-305, and S-306: the bound is the greatest below which no later row can be."""
    play = Play(sample.query, [sample.stream])
    width = len(sample.stream.columns)
    out: list[Row] = []
    for event in sample.events:
        out += [row[:width] for row in play.step(event)]
        (entry,) = play.ingresses.values()
        rows = play.contents["S",]
        bounds = reported_bounds(entry)
        missing = {integer(rows[at][0]) for at in Model(sample, rows, bounds).undetermined()}
        limit = bounds.columns[0]
        clock = float("-inf") if limit is None else float(integer(limit.value))
        clock = min([float("inf") if bounds.ended else clock, *map(float, missing)])
        assert play.flow.bound == clock
        waiting = Model(sample, rows, bounds).undetermined()
        expected = [
            row for at, row in enumerate(rows) if at not in waiting and integer(row[0]) <= clock
        ]
        assert sorted(map(repr, out)) == sorted(map(repr, expected))
