"""Streams and relations: the rows that a relation gains at each tick, and the rows so far.

A tick is one moment of the input; the relation can have other rows after each tick.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise

from algebra.expression import SortKey
from grammar.tree import SetOperator
from reference.relation import Relation, Row, by_keys, compare_keys, distinct
from reference.relational.sets import set_operation


def delta(history: Iterable[Relation]) -> Iterator[Relation]:
    """For each tick, the rows that the relation has gained since the tick before (CAL-012).

    ``history`` has the relation at each tick.  Rows that it has lost do not count.  In DBSP, this
    is the operator D.
    """
    for before, now in pairwise([(), *history]):
        yield set_operation((now, before), SetOperator.EXCEPT, all=True)


def chi(changes: Iterable[Relation]) -> Iterator[Relation]:
    """For each tick, all rows that have arrived so far, in order (CAL-013; DBSP's operator I)."""
    return accumulate(changes, lambda past, came: [*past, *came])


def history(timed: Sequence[tuple[Row, Row]], keys: Sequence[SortKey]) -> list[Relation]:
    """The relation at each tick: the rows whose time is not after the tick.

    ``timed`` has pairs of (time, row); a time has a value for each of the sort ``keys``.  The ticks
    are the distinct times of all rows, in the order of the keys.
    """
    ticks = sorted(distinct(time for time, _ in timed), key=by_keys(keys))
    return [[row for time, row in timed if compare_keys(time, tick, keys) <= 0] for tick in ticks]


def emitted(timed: Sequence[tuple[Row, Row]], keys: Sequence[SortKey]) -> Relation:
    """The rows of a stream in the order of emission: at each tick, the rows that are new."""
    return list(chain.from_iterable(delta(history(timed, keys))))
