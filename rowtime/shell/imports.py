"""Imports the rows of a file into a table or stream of a database."""

from bisect import bisect_left
from dataclasses import replace

from algebra.records.batch import BadRow
from algebra.records.formats import input_batches
from algebra.records.pipeline import Input, RunError
from grammar.codes import Code
from grammar.names import delimited
from reference.acceptance import typed_rows
from rowtime.driver.connection import Connection
from rowtime.driver.values import rows_of
from rowtime.inputs import DataFile, connection_to


def declare_for(connection: Connection, data: DataFile) -> tuple[str, DataFile]:
    """Declare a table or stream with the columns of a file, as ``rowtime describe`` declares it.

    Returns the declaration, and the file with the options by which its rows are read.  Raises
    `RunError` and `FileError`, and the errors of the driver.
    """
    from algebra.records.discovery.declaration import declaration, found_files

    found = found_files(connection_to(data.name, data.file), {})
    ddl = declaration(data.name, found)
    connection.execute(ddl)
    return ddl, replace(data, settings=found.settings)


def import_rows(connection: Connection, input: Input) -> int:
    """Insert the rows of a file into its table or stream; return the number of inserted rows.

    Late rows of a stream are dropped, and are in the trace.  Raises `RunError` for a record that is
    not a row, and the errors of the driver; the rows before it have been inserted.
    """
    columns = input.source.columns
    types = [each.type for each in columns]
    names = ", ".join(delimited(each.name) for each in columns)
    target = ".".join(map(delimited, input.source.name))
    marks = ", ".join("?" for _ in columns)
    count = 0
    with connection.cursor() as cursor:
        sql = f"INSERT INTO {target} ({names}) VALUES ({marks})"
        for path, batch in input_batches(input):
            # ``now`` would be the time of rows without a rowtime, but no column is left out.
            rows, faults = typed_rows(columns, batch.rows, now=0)
            untyped = [BadRow(path, batch.lines[place], why.reason) for place, why in faults]
            bad = min([*batch.bad, *untyped], key=lambda each: each.line, default=None)
            if bad is not None:  # it is the first bad line: insert the rows of the lines before it
                rows = rows[: bisect_left(batch.lines, bad.line)]
            cursor.executemany(sql, rows_of(types, rows))
            count += max(cursor.rowcount, 0)
            if bad is not None:
                raise RunError(f"{Code.BAD_ROW}: {bad.reason}\n{bad.path}:{bad.line}")
    return count
