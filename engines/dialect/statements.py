"""The statements of a driver besides the query: CREATE TABLE, and relational DML."""

from typing import ClassVar

from algebra.catalog import Column, Stream, Table
from algebra.modify import Delete, Insert, Merge, Modify, Update
from algebra.plan import column_names
from engines.dialect.block import distinct_names
from engines.dialect.printer import Printer
from engines.dialect.unsupported import UnsupportedError


class StatementPrinter(Printer):
    """Statements in the standard's spelling, over the queries of `Printer`."""

    #: The words for an INSERT that replaces the row of its primary key; "": there are none.
    upsert: ClassVar[str] = ""

    def create_table(self, relation: Table | Stream) -> str:
        """The table that holds a table's rows, or those that have come in a stream.

        Constraints are left out, because rows that break them do not concern queries; but there is
        a primary key if UPSERT needs it.
        """
        parts = [self.column(each) for each in relation.columns]
        if isinstance(relation, Table) and relation.primary_key and self.upsert:
            key = (self.identifier(relation.columns[i].name) for i in relation.primary_key)
            parts.append(f"PRIMARY KEY ({', '.join(key)})")
        return f"CREATE TABLE {self.table_name(relation.name)} ({', '.join(parts)})"

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
            case Insert(target, input):
                if not self.upsert:
                    raise UnsupportedError("no UPSERT")
                return f"{self.upsert} {self.table_name(target.name)} {self.query(input)}"
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
                return self.merge(node)

    def merge(self, node: Merge) -> str:
        """MERGE, whose actions are tried in order."""
        old, new = self.alias(), self.alias()
        columns = [self.identifier(each.name) for each in node.target.columns]
        source = [self.identifier(each) for each in distinct_names(column_names(node.source))]
        scope = ((*(f"{old}.{c}" for c in columns), *(f"{new}.{c}" for c in source)),)
        text = (
            f"MERGE INTO {self.table_name(node.target.name)} AS {old}"
            f" USING ({self.query(node.source)}) AS {new}"
            f" ON {self.expression(node.condition, scope)}"
        )
        for action in node.actions:
            matched = "MATCHED" if action.matched else "NOT MATCHED"
            condition = self.expression(action.condition, scope)
            text += f" WHEN {matched} AND {condition} THEN "
            values = [self.expression(each, scope) for each in action.row or ()]
            if action.row is None:
                text += "DELETE"
            elif action.matched:
                pairs = zip(columns, values, strict=True)
                text += "UPDATE SET " + ", ".join(f"{name} = {value}" for name, value in pairs)
            else:
                text += f"INSERT ({', '.join(columns)}) VALUES ({', '.join(values)})"
        return text
