"""The schema of the source pages, and the result of binding a query over it."""

from typing import Final

import pytest

from algebra.catalog import Profile
from algebra.explain import explain
from algebra.prepare import Prepared, prepare
from grammar.source import SqlError

#: Orders is both a stream and a table, Shipments a stream alone (CAL-007 to CAL-009).
ORDERS: Final = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, orderId INTEGER,
  units INTEGER) WITH HISTORY;
CREATE STREAM Shipments (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER);
CREATE STREAM Readings (rowtime TIMESTAMP(3) ASCENDING WITHIN INTERVAL '10' SECOND,
  taken TIMESTAMP(3), sensor INTEGER);
CREATE STREAM Countdown (left_over INTEGER DESCENDING, seen TIMESTAMP(3));
CREATE TABLE Products (rowtime TIMESTAMP(3), productId INTEGER PRIMARY KEY, name VARCHAR(20),
  unitPrice DECIMAL(10, 2));
CREATE TABLE Suppliers (supplierId INTEGER NOT NULL, city VARCHAR(20) DEFAULT 'Oslo');
CREATE TABLE ProductVersions (productId INTEGER, unitPrice DECIMAL(10, 2),
  startDate TIMESTAMP(3), endDate TIMESTAMP(3), PERIOD (startDate, endDate));
CREATE STREAM Prices (productId INTEGER, price INTEGER) WITH CHANGES KEY (productId);
CREATE TABLE OrdersSummary (productId INTEGER PRIMARY KEY, c BIGINT);
CREATE VIEW HourlyOrderTotals (rowtime, productId, c, su) AS
  SELECT TUMBLE_END(rowtime, INTERVAL '1' HOUR), productId, COUNT(*), SUM(units)
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId;
CREATE VIEW ByProduct AS SELECT productId, COUNT(*) AS c FROM Orders GROUP BY productId;
"""

#: Streams of profile sqlstream: their ROWTIME is implicit (S-311).
TICKS: Final = """
CREATE STREAM Trades (ticker VARCHAR(5), price INTEGER);
CREATE STREAM Asks (ticker VARCHAR(5), ask INTEGER);
"""


def ready(sql: str | None, *, ddl: str = ORDERS, profile: Profile = Profile.CALCITE) -> Prepared:
    """The script and the query, bound."""
    return prepare(ddl, sql, profile)


def shown(sql: str, *, ddl: str = ORDERS, profile: Profile = Profile.CALCITE) -> str:
    """The query's plan as `explain` prints it."""
    plan = ready(sql, ddl=ddl, profile=profile).query
    assert plan is not None
    return explain(plan)


def names_of(sql: str, *, ddl: str = ORDERS, profile: Profile = Profile.CALCITE) -> list[str]:
    """The names of the query's columns."""
    from algebra.plan import row_type

    plan = ready(sql, ddl=ddl, profile=profile).query
    assert plan is not None
    return [each.name for each in row_type(plan)]


def refusal(sql: str | None, *, ddl: str = ORDERS, profile: Profile = Profile.CALCITE) -> SqlError:
    """The error that the query or the script raises; it has a hint."""
    with pytest.raises(SqlError) as caught:
        ready(sql, ddl=ddl, profile=profile)
    assert caught.value.hint
    return caught.value


def guilty(error: SqlError) -> str:
    """The text that the error points at."""
    return error.sql[error.at.start : error.at.end]


def repaired(error: SqlError) -> str:
    """The text with the hint in place of the text at fault."""
    return error.sql[: error.at.start] + error.hint + error.sql[error.at.end :]
