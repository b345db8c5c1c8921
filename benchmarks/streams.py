"""Orders and trades as they stream, and how a streaming query of the reference is fed with them."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from algebra.catalog import Profile, QualifiedName
from algebra.prepare import prepare
from reference.engine.session import Session
from reference.fast.forms import FAST
from reference.relation import Row

DDL: Final = """\
CREATE STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, productId INTEGER, units INTEGER);
CREATE STREAM Trades (
  rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, productId INTEGER, units INTEGER);
"""
ORDERS: Final[QualifiedName] = ("ORDERS",)
TRADES: Final[QualifiedName] = ("TRADES",)
START: Final = 1_420_070_400_000

#: Rows that arrive together, and where.
Arrival: TypeAlias = tuple[QualifiedName, Sequence[Row]]


def orders(rows: int, keys: int = 50, seed: int = 1) -> list[Row]:
    """Orders 10 ms apart on average: rowtime, orderId, productId (of ``keys``), units (1 to 9)."""
    dice = random.Random(seed)
    time, made = START, list[Row]()
    for place in range(rows):
        time += dice.randint(0, 20)
        made.append((time, place, dice.randint(1, keys), dice.randint(1, 9)))
    return made


def arrivals(rows: int, train: int, keys: int = 50, both: bool = False) -> list[Arrival]:
    """``rows`` orders in trains; ``both``: half of them trades, whose trains come in between."""
    if not both:
        one = orders(rows, keys)
        return [(ORDERS, one[at : at + train]) for at in range(0, rows, train)]
    here, there = orders(rows // 2, keys), orders(rows // 2, keys, seed=2)
    return [
        (name, side[at : at + train])
        for at in range(0, rows // 2, train)
        for name, side in ((ORDERS, here), (TRADES, there))
    ]


def feeding(sql: str, given: Sequence[Arrival]) -> Callable[[], int]:
    """A function that runs ``sql`` on the arrivals, and returns the number of rows emitted.

    The rows pass the ingress of their streams; their values have been read before.
    """
    return lambda: sum(stepwise(sql, given))


def stepwise(sql: str, given: Sequence[Arrival]) -> Iterator[int]:
    """The number of rows that ``sql`` emits at each arrival, and last at the end."""
    session = Session(prepare(DDL, sql, Profile.CALCITE), forms=FAST)
    assert session.flow is not None, "the query streams"
    for name, rows in given:
        session.enter(name, rows, passing=True)
        yield len(session.flow.drained())
    session.end(None)
    yield len(session.flow.drained())
