"""The join of a stream with a table, as it is when a row passes (S-508)."""

from algebra.catalog import Profile
from algebra.monotonicity.progress import Bound, Bounds
from algebra.prepare import prepare
from reference.engine.session import Session
from reference.incremental.join.table_join import Contents, TableJoin
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train
from reference.relation import Relation, Row

#: Rows of a stream: the time, a key.
STREAM = Shape(2, 0)


class Table:
    """A table of (key, name) that counts how often it is read."""

    def __init__(self, *rows: Row) -> None:
        self.rows: list[Row] = list(rows)
        self.version = 0
        self.reads = 0

    def query(self) -> Relation:
        """The rows."""
        self.reads += 1
        return list(self.rows)

    def add(self, row: Row) -> None:
        """One row more."""
        self.rows.append(row)
        self.version += 1


def always(row: Row, partner: Row) -> bool:
    """Any two rows of equal keys match."""
    return row[1] == partner[0]


def joined(table: Table, preserved: bool = False) -> TableJoin:
    """The stream's rows with those of the table that have their key; the table's columns first."""

    def made(row: Row, partner: Row | None) -> Row:
        return (*(partner or (None, None)), *row)

    contents = Contents(table.query, lambda: table.version, [0])
    places = [None, None, 0, 1]
    return TableJoin(Shape(4, 2), contents, lambda row: row[1:], always, made, preserved, places)


def told(*limits: int) -> Bounds:
    return Bounds(tuple(map(Bound, limits)))


def test_rows_are_joined_in_their_order_and_then_in_that_of_the_table() -> None:
    table = Table((1, "x"), (2, "y"), (1, "z"), (None, "none"))
    operator = joined(table)
    train = operator.take(Train([(10, 2), (11, 1), (12, 3), (13, None)], told(13, 0)))
    assert train.rows == [(2, "y", 10, 2), (1, "x", 11, 1), (1, "z", 11, 1)]
    assert operator.state() == State()


def test_a_preserved_row_without_partner_comes_at_once() -> None:
    operator = joined(Table((1, "x"), (None, "none")), preserved=True)
    train = operator.take(Train([(10, 2), (11, None)], told(11, 0)))
    assert train.rows == [(None, None, 10, 2), (None, None, 11, None)]


def test_bounds_of_the_stream_pass_and_of_the_table_there_are_none() -> None:
    train = joined(Table()).take(Train([], told(13, 7)))
    assert train.bounds == Bounds((None, None, Bound(13), Bound(7)))
    assert joined(Table()).take(Train([], Bounds((None, None), ended=True))).bounds.ended


def test_the_table_is_read_again_only_when_it_may_have_changed() -> None:
    table = Table((1, "x"))
    operator = joined(table)
    operator.take(Train([], told(0, 0)))
    assert table.reads == 0
    for time in range(10):
        operator.take(Train([(time, 1)], told(time, 0)))
    assert table.reads == 1
    table.add((1, "y"))
    table.add((1, "z"))
    assert len(operator.take(Train([(11, 1)], told(11, 0))).rows) == 3
    assert table.reads == 2


def test_a_session_tells_when_a_table_may_have_changed() -> None:
    """Not with the rows of streams that no sub-query reads again."""
    script = """CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k INTEGER) WITH HISTORY;
    CREATE TABLE T (k INTEGER, name VARCHAR(9));"""
    sql = "SELECT STREAM s.rowtime, t.name FROM S AS s JOIN T AS t ON s.k = t.k"
    session = Session(prepare(script, sql, Profile.CALCITE))
    before = session.version
    session.take_rows(("S",), [("2015-02-15 10:00:00", 1)])
    assert session.version == before
    session.take_rows(("T",), [(1, "x")])
    assert session.version != before


def test_a_sub_query_over_a_history_sees_the_rows_that_have_passed() -> None:
    """S-308: they are others with every row of the stream that it reads."""
    script = "CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k INTEGER) WITH HISTORY;"
    sql = """SELECT STREAM rowtime, k FROM S
    WHERE k > (SELECT MAX(k) FROM S WHERE rowtime < TIMESTAMP '2015-02-15 10:00:00')"""
    session = Session(prepare(script, sql, Profile.CALCITE))
    assert session.flow is not None
    session.load(("S",), [("2015-02-15 09:00:00", 5)])
    session.take_rows(("S",), [("2015-02-15 09:30:00", 6)])
    session.take_rows(("S",), [("2015-02-15 09:40:00", 7), ("2015-02-15 10:00:00", 7)])
    session.take_rows(("S",), [("2015-02-15 10:00:00", 8)])
    assert [row[1] for row in session.flow.drained()] == [8]
