"""The rows of a file into a table or stream of a database."""

from algebra.records.formats import input_batches
from algebra.records.pipeline import Input, RunError
from algebra.wire import reader
from grammar.codes import Code
from grammar.names import delimited
from rowtime.driver.connection import Connection
from rowtime.driver.values import Python, rows_of


def import_rows(connection: Connection, input: Input) -> int:
    """The number of rows of a file that have been inserted into its table or stream.

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
            rows: list[tuple[Python, ...]] = []
            for line, row in zip(batch.lines, batch.rows, strict=True):
                try:
                    pairs = zip(types, row, strict=True)
                    values = tuple([reader(type)(value) for type, value in pairs])
                except ValueError as error:
                    raise RunError(f"{Code.BAD_ROW}: {error}\n{path}:{line}") from None
                rows += rows_of(types, [values])
            cursor.executemany(sql, rows)
            count += max(cursor.rowcount, 0)
            if batch.bad:
                raise RunError(f"{Code.BAD_ROW}: {batch.bad[0].reason}\n{path}:{batch.bad[0].line}")
    return count
