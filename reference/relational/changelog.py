"""Changelogs: the rows that an answer gains and loses from event to event, and their fold."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from grammar.tree import SetOperator
from reference.relation import Relation, Row, identity_of
from reference.relational.sets import set_operation

#: Rows with their weights: a positive weight inserts that many equal rows, a negative one deletes.
WeightedRows: TypeAlias = Sequence[tuple[Row, int]]


def changes(answers: Iterable[Relation]) -> Iterator[WeightedRows]:
    """Per event the difference of the answer and the one before it; the first is all inserts.

    Defines: S-1001.b
    """
    return (difference(now, before) for before, now in pairwise([(), *answers]))


def difference(now: Relation, before: Relation) -> WeightedRows:
    """From ``before`` to ``now``: the lost rows as deletes, then the gained rows as inserts."""
    lost = set_operation((before, now), SetOperator.EXCEPT, all=True)
    gained = set_operation((now, before), SetOperator.EXCEPT, all=True)
    return [*((row, -1) for row in lost), *((row, 1) for row in gained)]


def single(weighted: WeightedRows) -> WeightedRows:
    """The same changes as rows of weight 1 and -1, deletes first; equal rows have one sign."""
    total: dict[tuple[object, ...], tuple[Row, int]] = {}
    for row, weight in weighted:
        key = identity_of(row)
        total[key] = (row, total.get(key, (row, 0))[1] + weight)
    rows = [(row, weight) for row, weight in total.values() if weight]
    signs = [(row, 1 if weight > 0 else -1) for row, weight in rows for _ in range(abs(weight))]
    return sorted(signs, key=lambda change: change[1])
