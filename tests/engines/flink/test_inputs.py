"""What a stream's rows and bounds are to Flink: rows and watermarks."""

from algebra.catalog import Catalog, Profile
from algebra.prepare import Prepared, prepare
from engines.flink.inputs import Input, inputs_of
from engines.flink.script import statements


def prepared(ddl: str) -> Prepared:
    return prepare(ddl, None, Profile.CALCITE)


def catalog(ddl: str) -> Catalog:
    return prepared(ddl).catalog


def stream(order: str) -> Input:
    ddl = f"CREATE STREAM s (rowtime TIMESTAMP(3) {order}, v INTEGER);"
    return inputs_of(prepared(ddl))["S"]


def watermarks(input: Input, *rowtimes: str) -> list[str | None]:
    """The watermarks that rows bring, in milliseconds since 1970-01-01."""
    rows = [(f"1970-01-01 00:00:{each}", 1) for each in rowtimes]
    return [each[2] for each in input.rows(rows) if each[0] == "watermark"]


def test_a_watermark_is_a_millisecond_below_an_ascending_rowtime() -> None:
    assert watermarks(stream("ASCENDING"), "01", "01", "02") == ["999", "1999"]


def test_a_strict_rowtime_is_its_watermark() -> None:
    assert watermarks(stream("ASCENDING STRICT"), "01", "02") == ["1000", "2000"]


def test_a_t_sorted_stream_stays_behind_by_its_slack() -> None:
    order = "ASCENDING WITHIN INTERVAL '10' SECOND"
    assert watermarks(stream(order), "20", "15", "21") == ["9999", "10999"]


def test_a_k_sorted_stream_goes_by_the_least_of_its_greatest_rowtimes() -> None:
    assert watermarks(stream("ASCENDING WITHIN 2 ROWS"), "05", "03", "04", "07") == ["2999", "3999"]


def test_a_punctuated_stream_goes_by_bounds_alone() -> None:
    input = stream("ASCENDING PUNCTUATED")
    assert watermarks(input, "05") == []
    assert list(input.bound("1970-01-01 00:00:05", strict=False)) == [("watermark", "S", "4999")]
    assert list(input.bound("1970-01-01 00:00:05", strict=True)) == [("watermark", "S", "5000")]
    assert list(input.bound("1970-01-01 00:00:04", strict=False)) == []


def test_an_input_ends_once() -> None:
    input = stream("ASCENDING")
    assert list(input.end()) == [("end", "S")]
    assert list(input.end()) == []


def test_a_stream_has_watermarks_unless_it_is_read_in_batch() -> None:
    ddl = "CREATE STREAM s (rowtime TIMESTAMP(3) ASCENDING, v INTEGER);"
    columns = "`ROWTIME` TIMESTAMP(3) NOT NULL, `V` INT"
    watermark = ", WATERMARK FOR `ROWTIME` AS SOURCE_WATERMARK()"
    options = "'connector' = 'input', 'name' = 'S'"
    assert statements(ddl, catalog(ddl), bounded=False) == (
        f"CREATE TEMPORARY TABLE `S` ({columns}{watermark}) WITH ({options})",
    )
    assert statements(ddl, catalog(ddl), bounded=True) == (
        f"CREATE TEMPORARY TABLE `S` ({columns}) WITH ({options}, 'bounded' = 'true')",
    )


INSERTED = """
    CREATE STREAM s (rowtime TIMESTAMP(3) ASCENDING, v INTEGER);
    CREATE STREAM large (rowtime TIMESTAMP(3) ASCENDING, v INTEGER);
    CREATE TABLE names (v INTEGER, name VARCHAR(10));
    INSERT INTO large SELECT STREAM * FROM s WHERE v > 9;
"""


def test_a_stream_that_is_inserted_into_is_a_view_of_its_own_rows_too() -> None:
    *_, view = statements(INSERTED, catalog(INSERTED), bounded=False)
    assert view == (
        "CREATE TEMPORARY VIEW `LARGE` (`ROWTIME`, `V`) AS SELECT * FROM `LARGE$FED`"
        " UNION ALL SELECT `ROWTIME`, `V` FROM (SELECT * FROM `S` WHERE `V` > 9)"
        " AS `I` (`ROWTIME`, `V`)"
    )


def test_an_insert_goes_by_place_also_where_two_of_its_columns_have_one_name() -> None:
    ddl = f"""
        {INSERTED}
        CREATE STREAM pairs (rowtime TIMESTAMP(3) ASCENDING, v INTEGER, w INTEGER);
        INSERT INTO pairs SELECT STREAM s.rowtime, s.v, l.v FROM s JOIN large AS l
          ON s.v = l.v AND s.rowtime = l.rowtime;
    """
    *_, view = statements(ddl, catalog(ddl), bounded=False)
    assert "SELECT `ROWTIME`, `V`, `W` FROM (SELECT `S`.`ROWTIME`, `S`.`V`, `L`.`V` FROM" in view
    assert view.endswith(") AS `I` (`ROWTIME`, `V`, `W`)")


def test_a_column_that_an_insert_does_not_name_is_null() -> None:
    ddl = f"{INSERTED} INSERT INTO names (v) VALUES (1);"
    assert any(
        each.endswith("SELECT `V`, CAST(NULL AS VARCHAR(10)) FROM (VALUES (1)) AS `I` (`V`)")
        for each in statements(ddl, catalog(ddl), bounded=False)
    )


def test_tables_and_streams_that_are_inserted_into_hold_nothing_back() -> None:
    inputs = inputs_of(prepared(INSERTED))
    held = {name: [each[0] for each in input.hold_nothing()] for name, input in inputs.items()}
    assert held == {"S": [], "LARGE": ["watermark"], "NAMES": ["watermark"]}


def test_a_stream_with_changes_inserts_and_deletes() -> None:
    ddl = "CREATE STREAM s (v INTEGER) WITH CHANGES;"
    (table,) = statements(ddl, catalog(ddl), bounded=False)
    assert table.endswith("'name' = 'S', 'changes' = 'RETRACT')")
    input = inputs_of(prepared(ddl))["S"]
    assert list(input.rows([(1,), (1,)], (1, -1))) == [
        ("row", "S", "INSERT", "1"),
        ("row", "S", "DELETE", "1"),
    ]


def test_a_stream_with_changes_and_a_key_upserts() -> None:
    ddl = "CREATE STREAM s (k INTEGER NOT NULL, v INTEGER) WITH CHANGES KEY (k);"
    (table,) = statements(ddl, catalog(ddl), bounded=False)
    assert "`V` INT, PRIMARY KEY (`K`) NOT ENFORCED)" in table
    assert table.endswith("'changes' = 'UPSERT')")
    input = inputs_of(prepared(ddl))["S"]
    assert list(input.rows([(1, 2), (1, None)], (1, -1))) == [
        ("row", "S", "UPDATE_AFTER", "1", "2"),
        ("row", "S", "DELETE", "1", None),
    ]
