"""Changelogs: the rows that an answer gains and loses from event to event, and their fold."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from grammar.tree import SetOperator
from reference.relation import Relation, Row, identity_of
from reference.relational.sets import set_operation

#: Rows with their weights: the weight n inserts n equal rows, and the weight -n deletes n of them.
WeightedRows: TypeAlias = Sequence[tuple[Row, int]]


def changes(answers: Iterable[Relation]) -> Iterator[WeightedRows]:
    """For each event, the difference from the previous answer; the first one is all inserts.

    Defines: S-1001.b
    """
    return (difference(now, before) for before, now in pairwise([(), *answers]))


def difference(now: Relation, before: Relation) -> WeightedRows:
    """The changes from ``before`` to ``now``: deletes of lost rows, then inserts of gained rows."""
    lost = set_operation((before, now), SetOperator.EXCEPT, all=True)
    gained = set_operation((now, before), SetOperator.EXCEPT, all=True)
    return [*((row, -1) for row in lost), *((row, 1) for row in gained)]


def single(weighted: WeightedRows) -> WeightedRows:
    """The changes ``weighted`` as rows of weight 1 and -1, the deletes first.

    Weights of equal rows are added up, so that a row is not both deleted and inserted.  The deletes
    are in the order of ``weighted``, and so are the inserts.
    """
    keyed = [(identity_of(row), row, weight) for row, weight in weighted]
    total: dict[tuple[object, ...], int] = {}
    for key, _, weight in keyed:
        total[key] = total.get(key, 0) + weight
    deletes: list[tuple[Row, int]] = []
    inserts: list[tuple[Row, int]] = []
    for key, row, weight in keyed:
        left = total[key]
        if weight > 0 and left > 0:
            number = min(weight, left)
            inserts += [(row, 1)] * number
        elif weight < 0 and left < 0:
            number = max(weight, left)
            deletes += [(row, -1)] * -number
        else:
            continue
        total[key] = left - number
    return deletes + inserts
