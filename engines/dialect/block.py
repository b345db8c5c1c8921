"""A SELECT under construction, as the operators of a plan put its clauses together."""

from dataclasses import dataclass
from enum import IntEnum


class Stage(IntEnum):
    """How far a block has come; each stage allows what is after it in the order of evaluation."""

    FROM = 0  # a source alone, whose columns are the items
    WHERE = 1
    GROUPED = 2  # the items are keys and aggregates
    HAVING = 3
    SELECTED = 4  # the items are computed, perhaps over windows
    COMPLETE = 5  # ordered, limited, or a set operation: any more needs a query around it


@dataclass(frozen=True, slots=True)
class Block:
    """The clauses of a query; ``items`` are texts in the scope of ``source``, one for each column.

    ``names`` are the columns' names, all different.  ``source`` is the text after FROM, "" without
    one.  ``group`` is the text after GROUP BY; None: the query does not group.  ``tail`` is ORDER
    BY and the text after it. ``text``: the whole of a query that is not a SELECT with these
    clauses; its other clauses are empty.
    """

    items: tuple[str, ...]
    names: tuple[str, ...]
    source: str
    stage: Stage
    where: tuple[str, ...] = ()
    group: str | None = None
    having: tuple[str, ...] = ()
    tail: str = ""
    text: str | None = None


def distinct_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, with a number after each name that is in the tuple before.

    >>> distinct_names(("A", "B", "A"))
    ('A', 'B', 'A0')
    """
    found: list[str] = []
    for name in names:
        number, free = 0, name
        while free in found or (free != name and free in names):
            free, number = f"{name}{number}", number + 1
        found.append(free)
    return tuple(found)
