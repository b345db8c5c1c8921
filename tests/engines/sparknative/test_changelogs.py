"""The output mode of Spark in which its users would run a changelog."""

import pytest

from algebra.catalog import Profile
from algebra.plan import Changes
from algebra.prepare import prepare
from engines.sparknative.changelogs import OutputMode, WholeResult, output_mode

DDL = "CREATE STREAM r (k INTEGER, v INTEGER); CREATE STREAM s (k INTEGER, w INTEGER);"


@pytest.mark.parametrize(
    ("sql", "mode"),
    [
        ("SELECT STREAM k, v FROM r WHERE v > 1", OutputMode("append")),
        ("SELECT STREAM r.k, v, w FROM r JOIN s ON r.k = s.k", OutputMode("append")),
        ("SELECT STREAM k, SUM(v) AS t FROM r GROUP BY k", OutputMode("update", (0,))),
        ("SELECT STREAM SUM(v) AS t, k FROM r GROUP BY k", OutputMode("update", (1,))),
        ("SELECT STREAM SUM(v) AS t FROM r GROUP BY k", OutputMode("complete")),
        ("SELECT STREAM SUM(v) AS t FROM r", OutputMode("complete")),
        (
            "SELECT STREAM k, SUM(v) AS t FROM r GROUP BY k HAVING SUM(v) > 1",
            OutputMode("complete"),
        ),
        (
            "SELECT STREAM k, SUM(v) AS t FROM r GROUP BY k ORDER BY t LIMIT 2",
            OutputMode("complete"),
        ),
    ],
)
def test_the_mode_of_a_changelog(sql: str, mode: OutputMode) -> None:
    query = prepare(DDL, f"{sql} EMIT CHANGES", Profile.CALCITE).query
    assert isinstance(query, Changes)
    assert output_mode(query) == mode


def test_the_changes_of_a_whole_result_count_equal_rows() -> None:
    whole = WholeResult()
    assert whole.changes([(1,), (1,)]) == [((1,), 1), ((1,), 1)]
    assert whole.changes([(1,), (2,)]) == [((1,), -1), ((2,), 1)]
