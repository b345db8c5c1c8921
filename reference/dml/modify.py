"""The rows of a table after INSERT, UPSERT, UPDATE, DELETE and MERGE (S-605).

Each function takes the rows of the table before the statement as ``rows``.
"""

from collections.abc import Sequence

from algebra.catalog import Table
from algebra.modify import Delete, Merge, MergeAction, Update
from grammar.codes import Code
from reference.environment import Environment
from reference.ingress import Dropped, Fault, ingress_of
from reference.relation import Relation, Row
from reference.relational.changelog import WeightedRows
from reference.relational.table_rows import NextRows, next_rows
from reference.scalar.expression import holds, row_of, truth_of
from reference.values import failure


def inserted(
    table: Table, rows: Relation, new: Relation, upsert: bool, env: Environment
) -> tuple[Relation, Sequence[tuple[int, Dropped]]]:
    """The table's rows after ``new`` is inserted into ``rows``; and the dropped rows of ``new``.

    A dropped row is given by its place in ``new`` and the reason.  A row is dropped if it violates
    a constraint.  A row that repeats a primary key is dropped, too; but with ``upsert`` it replaces
    the row that has its key.
    """
    dropped: list[tuple[int, Dropped]] = []
    ingress = ingress_of(table)
    _, faults = env.forms.ingress(ingress, env)(ingress, new)
    after = next_rows(rows, table.primary_key)
    for place, (row, fault) in enumerate(zip(new, faults, strict=True)):
        fault = fault or _insert(table, after, row, upsert)
        if fault is not None:
            dropped.append((place, fault))
    return after.rows, dropped


def _insert(table: Table, after: NextRows, row: Row, upsert: bool) -> Dropped | None:
    """Insert a valid row into ``after``; return the reason if it is dropped instead."""
    existing = after.find(row) if table.primary_key else None
    if existing is None:
        after.add(row)
    elif upsert:
        after.replace(existing, row)
    else:
        return Dropped(Fault.BAD_ROW, "the primary key is there already")
    return None


def changed(
    table: Table, rows: Relation, weighted: WeightedRows, env: Environment
) -> tuple[Relation, Sequence[tuple[int, Dropped]]]:
    """The rows of ``table`` after ``weighted`` changes, and the dropped changes.

    ``table`` is a stream WITH CHANGES, or a table into which a standing statement writes.  A
    dropped change is given by its place and the reason.  A change is dropped if it deletes a row
    that does not exist, or inserts a row that violates a constraint.  A table drops each delete.
    With a KEY, an insert replaces the row with its key, and a delete needs only the key.

    Defines: S-1005.c, S-1005.d, S-1005.e
    """
    dropped: list[tuple[int, Dropped]] = []
    ingress = ingress_of(table)
    accept = env.forms.ingress(ingress, env)
    after = next_rows(rows, table.primary_key)
    for place, (row, weight) in enumerate(weighted):
        fault: Dropped | None = None
        if weight > 0:
            _, (fault,) = accept(ingress, [row])
            fault = fault or _insert(table, after, row, upsert=bool(table.primary_key))
        else:
            found = after.find(row) if table.changing else None
            if found is None:
                text = "there is no such row to delete" if table.changing else "rows are only added"
                fault = Dropped(Fault.BAD_ROW, text)
            else:
                after.replace(found, None)
        if fault is not None:
            dropped.append((place, fault))
    return after.rows, dropped


def checked(table: Table, rows: Relation, env: Environment) -> Relation:
    """``rows`` as the contents of an empty table; raises BAD_ROW if the table drops a row."""
    result, dropped = inserted(table, (), rows, upsert=False, env=env)
    for _, fault in dropped:
        name = ".".join(table.name)
        raise failure(Code.BAD_ROW, f"a row of {name}: {fault.reason}", "correct the row")
    return result


def updated(statement: Update, rows: Relation, env: Environment) -> Relation:
    """The target's rows after UPDATE: a row on which the condition is true has the new values."""
    is_chosen = truth_of(statement.condition, env)
    new_row = row_of(statement.row, env)
    return [new_row(row) if is_chosen(row) else row for row in rows]


def deleted(statement: Delete, rows: Relation, env: Environment) -> Relation:
    """The target's rows after DELETE: those on which the condition is false or unknown."""
    is_chosen = truth_of(statement.condition, env)
    return [row for row in rows if not is_chosen(row)]


def merged(statement: Merge, rows: Relation, source: Relation, env: Environment) -> Relation:
    """The target's rows after MERGE with the rows ``source``; new rows last, in their order.

    For each matched pair, and each source row without a match, the first action applies whose
    condition is true.  INVALID_ARGUMENT if actions of two source rows apply to one target row, as
    in the standard.
    """
    width = len(statement.target.columns)
    matches = truth_of(statement.condition, env)
    result: list[Row] = []
    met: set[int] = set()  # the places of the source rows that have a match
    for row in rows:
        actions: list[tuple[MergeAction, Row]] = []
        for place, other in enumerate(source):
            if matches(row + other):
                met.add(place)
                actions += _chosen_action(statement, True, row + other, env)
        if len(actions) > 1:
            raise failure(
                Code.INVALID_ARGUMENT,
                "MERGE would change a row of the target twice",
                "match each row of the target with one row of the source",
            )
        result += [row] if not actions else _rows_after(*actions[0], env)
    for place, other in enumerate(source):
        if place not in met:
            for action, pair in _chosen_action(statement, False, (None,) * width + other, env):
                result += _rows_after(action, pair, env)
    return result


def _chosen_action(
    statement: Merge, matched: bool, pair: Row, env: Environment
) -> list[tuple[MergeAction, Row]]:
    """The first action of MERGE that applies to ``pair``, with the pair; empty if none applies.

    ``pair`` has the columns of a target row, then those of a source row.  ``matched``: the two rows
    match; else there is no target row, and its columns are NULL.

    Defines: S-605.m
    """
    fitting = (a for a in statement.actions if a.matched is matched)
    chosen = next((a for a in fitting if holds(a.condition, pair, env)), None)
    return [] if chosen is None else [(chosen, pair)]


def _rows_after(action: MergeAction, pair: Row, env: Environment) -> list[Row]:
    """The rows after an action on ``pair``: the new row, or none if the action deletes."""
    return [] if action.row is None else [row_of(action.row, env)(pair)]
