"""Orders as rows inside, the same every time, and how a query of the reference is run on them."""

import random
from collections.abc import Callable
from typing import Final

from algebra.catalog import Profile
from algebra.prepare import prepare
from reference.evaluate import Contents, World, evaluate
from reference.fast.forms import FAST
from reference.relation import Relation, Row

DDL: Final = """\
CREATE STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, productId INTEGER, units INTEGER)
  WITH HISTORY INTERVAL '48' HOUR;
CREATE TABLE Products (productId INTEGER, name VARCHAR(20));
CREATE TABLE Payments (orderId INTEGER, amount INTEGER);
"""
_DAY: Final = 86_400_000


def orders(rows: int) -> list[Row]:
    """A day of orders: rowtime, orderId, productId (of three), units (1 to 20)."""
    dice = random.Random(2015)
    return [
        (place * _DAY // rows, place + 1, dice.choice([10, 20, 30]), dice.randint(1, 20))
        for place in range(rows)
    ]


def payments(rows: int) -> list[Row]:
    """One payment for each order, in another order: orderId, amount."""
    dice = random.Random(2016)
    numbers = list(range(1, rows + 1))
    dice.shuffle(numbers)
    return [(number, dice.randint(1, 100)) for number in numbers]


PRODUCTS: Final[list[Row]] = [(10, "Beer"), (20, "Wine"), (30, "Cheese")]


def answering(sql: str, rows: int) -> Callable[[], Relation]:
    """A function that evaluates ``sql`` on ``count`` orders, parsing included."""
    there = orders(rows)
    streams: Contents = {("ORDERS",): there}
    tables: Contents = {("PRODUCTS",): PRODUCTS, ("PAYMENTS",): payments(rows)}
    world = World(tables, streams, streams)

    def answer() -> Relation:
        query = prepare(DDL, sql, Profile.CALCITE).query
        assert query is not None, "a query was given"
        return evaluate(query, world, FAST)

    return answer
