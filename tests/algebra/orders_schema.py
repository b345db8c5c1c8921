"""Streams of every declared order, and plans of queries over them."""

from typing import Final

from algebra.catalog import Profile
from algebra.expression import SortKey
from algebra.plan import Plan, Sort
from algebra.prepare import prepare

SCHEMA: Final = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER ASCENDING STRICT,
  productId INTEGER, units INTEGER NOT NULL, seen TIMESTAMP(3) NOT NULL);
CREATE STREAM Ticks (rowtime TIMESTAMP(3) ASCENDING STRICT, v INTEGER, w INTEGER NOT NULL);
CREATE STREAM Shipments (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER ASCENDING);
CREATE STREAM Late (rowtime TIMESTAMP(3) ASCENDING WITHIN INTERVAL '10' SECOND, v INTEGER,
  k INTEGER ASCENDING WITHIN 3 ROWS);
CREATE STREAM Marked (rowtime TIMESTAMP(3) ASCENDING PUNCTUATED, v INTEGER);
CREATE STREAM Countdown (rest INTEGER DESCENDING, v INTEGER);
CREATE TABLE Products (productId INTEGER PRIMARY KEY, name VARCHAR(20));
"""


def plan_of(sql: str, profile: Profile = Profile.CALCITE) -> Plan:
    """The plan of a query."""
    query = prepare(SCHEMA, sql, profile).query
    assert query is not None
    return query


def requested(sql: str) -> tuple[Plan, tuple[SortKey, ...]]:
    """The plan below the ORDER BY of a relational query, and the sort keys."""
    plan = plan_of(sql)
    assert isinstance(plan, Sort)
    return plan.input, plan.keys
