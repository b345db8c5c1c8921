"""The base of an inner join follows from the columns that the node above reads (S-510.j)."""

import pytest

from algebra.catalog import Profile
from algebra.monotonicity.columns import base_side, rowtime_column
from algebra.plan import Join, Side, nodes
from algebra.prepare import prepare

DDL = """
CREATE STREAM O (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER);
CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER);
"""
FROM = "FROM O {kind} JOIN S ON O.k = S.k AND S.rowtime BETWEEN O.rowtime AND {later}".replace(
    "{later}", "O.rowtime + INTERVAL '1' HOUR"
)
INNER = FROM.replace("{kind} ", "")


def joined(sql: str) -> Join:
    """The one join in the plan of ``sql``."""
    query = prepare(DDL, sql, Profile.CALCITE).query
    assert query is not None
    [found] = (each for each in nodes(query) if isinstance(each, Join))
    return found


@pytest.mark.parametrize(
    ("sql", "base"),
    [
        (f"SELECT STREAM O.rowtime, O.k {INNER}", Side.LEFT),
        (f"SELECT STREAM S.rowtime, O.k {INNER}", Side.RIGHT),
        (f"SELECT STREAM S.rowtime AS shipped, O.rowtime {INNER}", Side.LEFT),
        (f"SELECT STREAM S.rowtime AS shipped, O.rowtime AS ordered {INNER}", Side.RIGHT),
        (f"SELECT STREAM (S.rowtime - O.rowtime) SECOND AS d, S.rowtime AS s {INNER}", Side.RIGHT),
        (f"SELECT STREAM O.k {INNER}", Side.LEFT),
        (f"SELECT STREAM S.rowtime, O.k {INNER} WHERE O.k > 1", Side.RIGHT),
        (f"SELECT STREAM S.rowtime, COUNT(*) AS c {INNER} GROUP BY S.rowtime", Side.RIGHT),
        (
            f"SELECT STREAM COUNT(*) AS c {INNER} GROUP BY TUMBLE(S.rowtime, INTERVAL '1' HOUR)",
            Side.RIGHT,
        ),
        (
            f"SELECT STREAM O.rowtime AS o, COUNT(*) OVER (ORDER BY S.rowtime) AS c {INNER}",
            Side.RIGHT,
        ),
        (
            f"SELECT STREAM S.k {INNER} ORDER BY S.rowtime WITHIN INTERVAL '1' MINUTE",
            Side.RIGHT,
        ),
    ],
)
def test_the_first_expression_with_one_rowtime_decides(sql: str, base: Side) -> None:
    found = joined(sql)
    assert base_side(found) is base
    assert rowtime_column(found) == (0 if base is Side.LEFT else 2)


@pytest.mark.parametrize(
    ("kind", "base"), [("LEFT", Side.LEFT), ("RIGHT", Side.RIGHT), ("FULL", None)]
)
def test_of_an_outer_join_the_preserved_side_is_the_base(kind: str, base: Side | None) -> None:
    """E-30."""
    times = "O.rowtime AS o, S.rowtime AS s"
    assert base_side(joined(f"SELECT STREAM {times} {FROM.format(kind=kind)}")) is base


def test_a_join_with_a_table_has_the_time_of_the_stream() -> None:
    ddl = "CREATE TABLE T (rowtime TIMESTAMP(3), k INTEGER);"
    sql = "SELECT STREAM T.rowtime AS shown, O.rowtime FROM T JOIN O ON O.k = T.k"
    query = prepare(DDL + ddl, sql, Profile.CALCITE).query
    assert query is not None
    [found] = (each for each in nodes(query) if isinstance(each, Join))
    assert base_side(found) is Side.RIGHT
