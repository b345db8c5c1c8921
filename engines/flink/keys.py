"""The key of a changelog: the PRIMARY KEY that a user would declare for a sink."""

from collections.abc import Sequence

from algebra.catalog import Table
from algebra.expression import InputRef
from algebra.plan import Aggregate, Changes, Filter, Plan, Project, Scan


def key_of(plan: Plan) -> tuple[int, ...] | None:
    """The places of columns whose values no two rows of a changelog share, in order.

    They are the keys of a GROUP BY with one grouping set, all columns of SELECT DISTINCT, or the
    KEY of a stream WITH CHANGES, if the query returns all of these columns as they are.  None: the
    query has another form, or its only row needs no key.
    """
    match plan:
        case Changes(input) | Filter(input):
            return key_of(input)
        case Project(input, expressions):
            return _projected(key_of(input), expressions)
        case Aggregate(_, keys, sets) if keys and sets == (tuple(range(len(keys))),):
            return tuple(range(len(keys)))
        case Scan(Table(primary_key=key, changing=True)) if key:
            return key
        case _:
            return None


def _projected(
    key: tuple[int, ...] | None, expressions: Sequence[object]
) -> tuple[int, ...] | None:
    """The places of the columns of a key among expressions; None if one is missing."""
    if key is None:
        return None
    places = {
        each.index: place
        for place, each in reversed(list(enumerate(expressions)))
        if isinstance(each, InputRef)
    }
    return tuple(places[each] for each in key) if places.keys() >= set(key) else None
