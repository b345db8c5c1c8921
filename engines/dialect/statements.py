"""What a driver runs besides the query: CREATE TABLE, and relational DML."""

from algebra.catalog import Column, Stream, Table
from algebra.plan import Delete, Insert, Merge, Modify, Update
from engines.dialect.printer import Printer
from engines.dialect.unsupported import UnsupportedError


class StatementPrinter(Printer):
    """Statements in the standard's spelling, over the queries of `Printer`."""

    def create_table(self, relation: Table | Stream) -> str:
        """The table that holds a table's rows, or those that have come in a stream.

        Constraints are left out: the rows that a driver is fed have passed them.
        """
        columns = ", ".join(self.column(each) for each in relation.columns)
        return f"CREATE TABLE {self.table_name(relation.name)} ({columns})"

    def column(self, column: Column) -> str:
        """The declaration of a column."""
        nullable = "" if column.type.nullable else " NOT NULL"
        return f"{self.identifier(column.name)} {self.type_name(column.type)}{nullable}"

    def insert_row(self, relation: Table | Stream) -> str:
        """An INSERT with a ``?`` for each column."""
        places = ", ".join("?" for _ in relation.columns)
        return f"INSERT INTO {self.table_name(relation.name)} VALUES ({places})"

    def modify(self, node: Modify) -> str:
        """One statement of relational DML."""
        match node:
            case Insert(target, input, False):
                return f"INSERT INTO {self.table_name(target.name)} {self.query(input)}"
            case Insert():
                raise UnsupportedError("no UPSERT")
            case Update(target, row, condition):
                # A row is matched by its own columns: an UPDATE has no alias in the standard.
                scope = (tuple(self.identifier(each.name) for each in target.columns),)
                values = ", ".join(
                    f"{self.identifier(column.name)} = {self.expression(value, scope)}"
                    for column, value in zip(target.columns, row, strict=True)
                )
                where = self.expression(condition, scope)
                return f"UPDATE {self.table_name(target.name)} SET {values} WHERE {where}"
            case Delete(target, condition):
                scope = (tuple(self.identifier(each.name) for each in target.columns),)
                where = self.expression(condition, scope)
                return f"DELETE FROM {self.table_name(target.name)} WHERE {where}"
            case Merge():
                raise UnsupportedError("no MERGE")
