"""Computes the event of a statement that writes into a table, such as UPDATE.

The database stores the event, and then applies it.
"""

from collections.abc import Sequence

from algebra.catalog import Table
from algebra.expression import Expression
from algebra.modify import Insert, Merge, Modify
from grammar.codes import Code
from grammar.source import SqlError, located
from reference.dml.modify import changed, inserted
from reference.dml.statements import applied, environment
from reference.environment import Environment, Forms
from reference.evaluate import World, evaluate
from reference.relation import Relation, Row
from reference.relational.changelog import WeightedRows
from reference.scalar.expression import row_of, truth_of
from reference.values import failure
from rowtime.database.engine import Engine
from rowtime.database.events import Inserted, Replaced


def table_change(
    step: Modify, parameters: Row, engine: Engine, forms: Forms
) -> tuple[Inserted | Replaced, int]:
    """The event of the statement ``step``, and the number of rows that it writes.

    For an UPDATE or DELETE, these are the rows that satisfy its condition.  The number is -1 for a
    MERGE, which does not count them.  Raises the statement's run-time errors, such as BAD_ROW.
    """
    world = engine.world(step, parameters)
    name, old = step.target.name, engine.rows_of(step.target.name)
    env = environment(world, forms)
    if isinstance(step, Insert):
        rows = _rows_to_insert(step, old, world, env, forms)
        return Inserted(name, rows, step.upsert), len(rows)
    after, _, _ = applied(step, world, {}, forms)
    event = Replaced(name, after.tables.get(name, ()))
    if isinstance(step, Merge):
        return event, -1
    return event, sum(map(truth_of(step.condition, env), old))


def rows_inserted(
    step: Modify, row: Sequence[Expression], parameters: Relation, engine: Engine, forms: Forms
) -> Inserted | None:
    """The event of an INSERT that writes one row for each row of parameters.

    ``row`` has the values as expressions over a row of ``parameters``.  The result is None if the
    evaluation of a row fails, or the table rejects a row.
    """
    assert isinstance(step, Insert)
    assert isinstance(step.target, Table), "rows of streams are sent"
    env = environment(engine.world(step, ()), forms)
    old = engine.rows_of(step.target.name)
    try:
        rows = list(map(row_of(row, env), parameters))
        _, dropped = inserted(step.target, old, rows, step.upsert, env)
    except SqlError:  # the caller inserts the rows one by one, to find the wrong row
        return None
    return None if dropped else Inserted(step.target.name, rows, step.upsert)


def valid_changes(
    target: Table, weighted: WeightedRows, engine: Engine
) -> tuple[WeightedRows, tuple[SqlError, ...]]:
    """The valid changes of ``weighted``, in order, and an error BAD_ROW for each other change."""
    env = engine.environment(())
    _, dropped = changed(target, engine.rows_of(target.name), weighted, env)
    reasons = {place: why.reason for place, why in dropped}
    name = ".".join(target.name)
    errors = [
        failure(Code.BAD_ROW, f"a change of {name}: {reason}", "correct the change")
        for reason in reasons.values()
    ]
    valid = [each for place, each in enumerate(weighted) if place not in reasons]
    return valid, tuple(errors)


def _rows_to_insert(
    step: Insert, old: Relation, world: World, env: Environment, forms: Forms
) -> Relation:
    """The rows that an INSERT writes into a table, whose rows before it are ``old``.

    Raises BAD_ROW if the table rejects one of them.
    """
    assert isinstance(step.target, Table), "rows of streams are sent"
    try:
        rows = evaluate(step.input, world, forms)
        _, dropped = inserted(step.target, old, rows, step.upsert, env)
        for _, why in dropped:
            reason = f"a row of {'.'.join(step.target.name)}: {why.reason}"
            raise failure(Code.BAD_ROW, reason, "correct the row")
    except SqlError as error:
        raise located(error, step.location) from None
    return rows
