"""Which columns of a changelog the driver declares as the key of its upserts."""

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from engines.flink.keys import key_of

DDL = """
  CREATE STREAM s (k INTEGER, j INTEGER, v INTEGER);
  CREATE STREAM c (k INTEGER, v INTEGER) WITH CHANGES KEY (k);
"""


@pytest.mark.parametrize(
    ("sql", "key"),
    [
        ("SELECT STREAM k, SUM(v) AS n FROM s GROUP BY k", (0,)),
        ("SELECT STREAM SUM(v) AS n, j, k FROM s GROUP BY k, j HAVING SUM(v) > 1", (2, 1)),
        ("SELECT STREAM k, k AS again, COUNT(*) AS n FROM s GROUP BY k", (0,)),
        ("SELECT STREAM DISTINCT v, k FROM s", (0, 1)),
        ("SELECT STREAM v, k FROM c WHERE v > 1", (1,)),
        ("SELECT STREAM k FROM (SELECT k, COUNT(*) AS n FROM s GROUP BY k)", (0,)),
        ("SELECT STREAM SUM(v) AS n FROM s GROUP BY k", None),
        ("SELECT STREAM k + 1 AS k, SUM(v) AS n FROM s GROUP BY k", None),
        ("SELECT STREAM k, SUM(v) AS n FROM s GROUP BY ROLLUP (k)", None),
        ("SELECT STREAM COUNT(*) AS n FROM s", None),
        ("SELECT STREAM v FROM c", None),
        ("SELECT STREAM k, v FROM s", None),
        ("SELECT STREAM k, v FROM c UNION ALL SELECT STREAM k, v FROM c", None),
    ],
)
def test_the_key_is_that_of_groups_or_of_the_stream(sql: str, key: tuple[int, ...] | None) -> None:
    query = prepare(DDL, f"{sql} EMIT CHANGES", Profile.CALCITE).query
    assert query is not None
    assert key_of(query) == key
