"""WHERE on the pairs of an inner join of streams is a condition of the join (S-510.a)."""

import pytest

from algebra.catalog import Profile
from algebra.explain import explain
from algebra.prepare import prepare
from grammar.codes import Code
from grammar.source import SqlError

DDL = (
    "".join(
        f"CREATE STREAM {name} (t TIMESTAMP(3) NOT NULL ASCENDING, n INTEGER);" for name in "ABC"
    )
    + "CREATE TABLE T (n INTEGER, m INTEGER);"
)
#: The columns of A, B and C: $0 and $1, $2 and $3, $4 and $5.
SAME = "A.t = B.t"


def joins_and_filters(sql: str) -> list[str]:
    """The lines of these nodes in the plan, from the top, without their marks."""
    query = prepare(DDL, sql, Profile.CALCITE).query
    assert query is not None
    lines = (line.strip() for line in explain(query).splitlines())
    return [
        line.removeprefix("Logical").removesuffix(", joinType=[inner])")
        for line in lines
        if line.startswith(("LogicalJoin", "LogicalFilter"))
    ]


@pytest.mark.parametrize(
    ("sql", "nodes"),
    [
        (f"SELECT STREAM A.t FROM A, B WHERE {SAME}", ["Join(condition=[=($0, $2)]"]),
        (
            f"SELECT STREAM A.t FROM A JOIN B ON {SAME} WHERE A.n = 1 AND A.n < B.n",
            ["Join(condition=[AND(=($0, $2), =($1, 1), <($1, $3))]"],
        ),
        (
            (
                "SELECT STREAM A.t FROM A JOIN B ON A.n = B.n JOIN C ON A.t = C.t "
                f"WHERE {SAME} AND B.n < C.n AND B.n = 2"
            ),
            [
                "Join(condition=[AND(=($0, $4), <($3, $5))]",
                "Join(condition=[AND(=($1, $3), =($0, $2), =($3, 2))]",
            ],
        ),
        (
            f"SELECT STREAM A.t FROM C JOIN (A JOIN B ON A.n = B.n) ON A.t = C.t WHERE {SAME}",
            ["Join(condition=[=($2, $0)]", "Join(condition=[AND(=($1, $3), =($0, $2))]"],
        ),
    ],
)
def test_a_conjunct_is_in_the_lowest_join_that_has_its_columns(sql: str, nodes: list[str]) -> None:
    assert joins_and_filters(sql) == nodes


def test_a_preserved_side_takes_its_conjuncts_and_a_padded_one_does_not() -> None:
    """A row that the outer join has padded has NULLs, of which the condition is not true."""
    pairs = f"(A JOIN B ON {SAME})"
    inner = "Join(condition=[AND(=($0, $2), <($1, $3))]"
    preserved = f"SELECT STREAM A.t FROM {pairs} LEFT JOIN C ON A.t = C.t WHERE A.n < B.n"
    assert joins_and_filters(preserved)[-1] == inner
    padded = f"SELECT STREAM C.t FROM {pairs} RIGHT JOIN C ON A.t = C.t WHERE A.n < B.n"
    assert joins_and_filters(padded)[::2] == [
        "Filter(condition=[<($1, $3)])",
        "Join(condition=[=($0, $2)]",
    ]


@pytest.mark.parametrize(
    ("conjunct", "shown"),
    [
        ("A.n IN (SELECT n FROM T)", "IN"),
        ("A.t < CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"),
        ("MONOTONIC(A.n) < B.n", "MONOTONIC"),
    ],
)
def test_what_depends_on_when_it_is_evaluated_stays_above(conjunct: str, shown: str) -> None:
    sql = f"SELECT STREAM A.t FROM A JOIN B ON {SAME} WHERE A.n = B.n AND {conjunct}"
    above, below = joins_and_filters(sql)
    assert above.startswith("Filter")
    assert shown in above
    assert below == "Join(condition=[AND(=($0, $2), =($1, $3))]"


def test_a_join_with_a_table_and_an_outer_join_leave_where_above() -> None:
    """A row of the stream is looked up in the table by ON; a padded row is emitted before WHERE."""
    of_table = "SELECT STREAM A.t FROM A JOIN T ON A.n = T.n WHERE T.m > A.n"
    assert joins_and_filters(of_table)[0] == "Filter(condition=[>($3, $1)])"
    outer = f"SELECT STREAM A.t FROM A LEFT JOIN B ON {SAME} WHERE A.n < B.n"
    assert joins_and_filters(outer)[0] == "Filter(condition=[<($1, $3)])"


def test_where_puts_an_inner_join_in_lock_step_and_no_outer_one() -> None:
    """CAL-159, CAL-161."""
    where = "ON A.n = B.n WHERE B.t >= A.t AND B.t <= A.t + INTERVAL '1' HOUR"
    assert len(joins_and_filters(f"SELECT STREAM A.t FROM A JOIN B {where}")) == 1
    with pytest.raises(SqlError) as refused:
        joins_and_filters(f"SELECT STREAM A.t FROM A LEFT JOIN B {where}")
    assert refused.value.code is Code.NO_LOCK_STEP


def test_where_of_each_side_alone_may_hold_a_join_in_lock_step() -> None:
    """Both sides lie in the same hour."""
    hour = "BETWEEN TIMESTAMP '2015-02-15 10:00:00' AND TIMESTAMP '2015-02-15 11:00:00'"
    sql = f"SELECT STREAM A.t FROM A JOIN B ON A.n = B.n WHERE A.t {hour} AND B.t {hour}"
    assert len(joins_and_filters(sql)) == 1


def test_where_without_columns_may_leave_no_pair() -> None:
    """S-510.h."""
    sql = "SELECT STREAM A.t FROM A JOIN B ON A.n = B.n WHERE FALSE"
    assert joins_and_filters(sql) == ["Join(condition=[AND(=($1, $3), false)]"]
