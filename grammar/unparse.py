"""The printer: from syntax trees to SQL text, which `grammar.parse` parses to the same tree.

Each private function returns the text of a part of a statement.  `grammar.printing` has the
functions for queries and expressions.
"""

from collections.abc import Iterable
from typing import TypeAlias

from grammar.printing.precedence import ADD
from grammar.printing.unparse_name import alias, identifier, identifiers, name, type_name
from grammar.printing.unparse_query import expression, expressions, from_item, query
from grammar.statement import (
    AlterPump,
    Assignment,
    ColumnDef,
    ColumnOrder,
    CreateFunction,
    CreatePump,
    CreateSchema,
    CreateStream,
    CreateTable,
    CreateView,
    Delete,
    Drop,
    Explain,
    Insert,
    Merge,
    MergeClause,
    Option,
    SetOption,
    Statement,
    TableConstraint,
    Transaction,
    TransactionKind,
    Update,
)
from grammar.tree import (
    DerivedTable,
    Expression,
    FromItem,
    Identifier,
    Join,
    Name,
    Query,
    TableFunction,
    TableRef,
    TypeName,
)

#: The nodes that can be printed by themselves.
Printable: TypeAlias = Statement | Expression | FromItem | Name | Identifier | TypeName


def unparse(node: Printable) -> str:
    """The text of ``node`` on one line, with the fewest brackets that its tree needs.

    ``parse_statement(unparse(s)) == s`` for every statement that can be written, and likewise for
    queries and expressions.  Names that were not quoted are printed in upper case (S-205).

    >>> from grammar.parse import parse_statement
    >>> unparse(parse_statement("select stream (rowtime), ((a + b)) * c x from Orders"))
    'SELECT STREAM ROWTIME, (A + B) * C AS X FROM ORDERS'
    """
    match node:
        case Identifier():
            return identifier(node)
        case Name():
            return name(node)
        case TypeName():
            return type_name(node)
        case TableRef() | DerivedTable() | TableFunction() | Join():
            return from_item(node)
        case Query():
            return query(node)
        case (
            CreateSchema() | CreateStream() | CreateTable() | CreateView() | CreatePump()
            | CreateFunction()
        ):  # fmt: skip
            return _create(node)
        case Insert() | Update() | Delete() | Merge():
            return _change(node)
        case Drop() | AlterPump() | Explain() | SetOption() | Transaction():
            return _other(node)
        case _:
            return expression(node)


def _create(
    node: CreateSchema | CreateStream | CreateTable | CreateView | CreatePump | CreateFunction,
) -> str:
    create = "CREATE OR REPLACE" if node.replace else "CREATE"
    named = name(node.name)
    match node:
        case CreateSchema():
            return f"{create} SCHEMA {named}"
        case CreateStream():
            return _create_stream(node, create)
        case CreateTable(_, _, columns, constraints):
            return f"{create} TABLE {named} {_elements(columns, constraints)}"
        case CreateView(_, _, columns, inner):
            listed = f" {identifiers(columns)}" if columns else ""
            return f"{create} VIEW {named}{listed} AS {query(inner)}"
        case CreatePump(_, _, started, statement):
            state = "STARTED" if started else "STOPPED"
            return f"{create} PUMP {named} {state} AS {_change(statement)}"
        case CreateFunction(_, _, parameters, returns, body):
            listed = ", ".join([f"{identifier(p.name)} {type_name(p.type)}" for p in parameters])
            return (
                f"{create} FUNCTION {named}({listed})"
                f" RETURNS {type_name(returns)} RETURN {expression(body)}"
            )


def _create_stream(node: CreateStream, create: str) -> str:
    """CREATE STREAM; ``create`` is CREATE or CREATE OR REPLACE."""
    text = f"{create} {'FOREIGN ' if node.foreign else ''}STREAM {name(node.name)}"
    if node.columns or node.constraints:
        text += f" {_elements(node.columns, node.constraints)}"
    if node.history:
        text += " WITH HISTORY"
        if node.history_length is not None:
            text += f" {expression(node.history_length, ADD)}"
    if node.changes is not None:
        text += " WITH CHANGES"
        if node.changes.key:
            text += f" KEY {identifiers(node.changes.key)}"
    if node.options:
        text += f" {_options(node.options)}"
    return text


def _elements(columns: Iterable[ColumnDef], constraints: Iterable[TableConstraint]) -> str:
    listed = [_column(each) for each in columns] + [_constraint(each) for each in constraints]
    return f"({', '.join(listed)})"


def _column(node: ColumnDef) -> str:
    words = [identifier(node.name), type_name(node.type)]
    if node.not_null:
        words.append("NOT NULL")
    if node.primary_key:
        words.append("PRIMARY KEY")
    if node.order is not None:
        words.append(_order(node.order))
    if node.default is not None:
        words.append(f"DEFAULT {expression(node.default, ADD)}")
    if node.check is not None:
        words.append(f"CHECK ({expression(node.check)})")
    if node.path is not None:
        words.append(f"FROM {expression(node.path)}")
    if node.options:
        words.append(_options(node.options))
    return " ".join(words)


def _options(options: Iterable[Option]) -> str:
    listed = [f"{identifier(o.name)} {expression(o.value, ADD)}" for o in options]
    return f"OPTIONS ({', '.join(listed)})"


def _order(node: ColumnOrder) -> str:
    text = f"{node.direction} STRICT" if node.strict else str(node.direction)
    disorder = node.disorder
    if disorder is None:
        return text
    if disorder.within is not None:
        return f"{text} WITHIN {expression(disorder.within, ADD)}"
    return f"{text} PUNCTUATED" if disorder.rows is None else f"{text} WITHIN {disorder.rows} ROWS"


def _constraint(node: TableConstraint) -> str:
    if node.primary_key:
        return f"PRIMARY KEY {identifiers(node.primary_key)}"
    if node.check is not None:
        return f"CHECK ({expression(node.check)})"
    if node.watermark is not None:
        column, bound = node.watermark.column, node.watermark.bound
        return f"WATERMARK FOR {identifier(column)} AS {expression(bound, ADD)}"
    return f"PERIOD {identifiers(node.period)}"


def _change(node: Insert | Update | Delete | Merge) -> str:
    target = name(node.target)
    match node:
        case Insert(_, columns, source, upsert, expedited):
            verb = "UPSERT" if upsert else "INSERT EXPEDITED" if expedited else "INSERT"
            listed = f" {identifiers(columns)}" if columns else ""
            return f"{verb} INTO {target}{listed} {query(source)}"
        case Update(_, as_, assignments, where):
            return f"UPDATE {target}{alias(as_)} SET {_assignments(assignments)}{_where(where)}"
        case Delete(_, as_, where):
            return f"DELETE FROM {target}{alias(as_)}{_where(where)}"
        case Merge(_, as_, source, on, clauses):
            return (
                f"MERGE INTO {target}{alias(as_)} USING {from_item(source, bracketed=True)}"
                f" ON {expression(on)} {' '.join([_merge_clause(each) for each in clauses])}"
            )


def _assignments(nodes: Iterable[Assignment]) -> str:
    return ", ".join([f"{identifier(each.column)} = {expression(each.value)}" for each in nodes])


def _where(condition: Expression | None) -> str:
    return "" if condition is None else f" WHERE {expression(condition)}"


def _merge_clause(node: MergeClause) -> str:
    text = "WHEN MATCHED" if node.matched else "WHEN NOT MATCHED"
    if node.condition is not None:
        text += f" AND {expression(node.condition)}"
    if node.assignments:
        return f"{text} THEN UPDATE SET {_assignments(node.assignments)}"
    if node.matched:
        return f"{text} THEN DELETE"
    listed = f" {identifiers(node.columns)}" if node.columns else ""
    return f"{text} THEN INSERT{listed} VALUES ({expressions(node.values)})"


def _other(node: Drop | AlterPump | Explain | SetOption | Transaction) -> str:
    match node:
        case Drop(kind, dropped, if_exists, cascade):
            exists = "IF EXISTS " if if_exists else ""
            return f"DROP {kind} {exists}{name(dropped)}{' CASCADE' if cascade else ''}"
        case AlterPump(pump, start):
            return f"ALTER PUMP {name(pump)} {'START' if start else 'STOP'}"
        case Explain(statement):
            return f"EXPLAIN PLAN FOR {unparse(statement)}"
        case SetOption(option, value):
            return f"SET {name(option)} = {expression(value, ADD)}"
        case Transaction(TransactionKind.SAVEPOINT):
            return "SAVEPOINT S"  # the tree does not have the name; any name gives the same tree
        case Transaction(kind):
            return kind
