"""How an ingress accepts rows: it reads the values, and drops bad and late rows (S-301, S-601)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from algebra.catalog import Column, QualifiedName
from algebra.expression import Value
from algebra.wire import Wire, read_column, reader
from grammar.counts import counted
from grammar.source import SqlError
from reference.environment import Accept, Environment, Verdicts
from reference.ingress import IMPLICIT_ROWTIME, Dropped, Fault, Ingress
from reference.relation import Relation, Row
from reference.scalar.expression import value_of
from reference.values import is_nan


class DroppedRow(NamedTuple):
    """A row of the input that was dropped: late or bad.

    ``target`` is its stream or table, ``wire`` the row on the wire, ``place`` its place among all
    rows that were sent to the target, and ``dropped`` the reason.
    """

    target: QualifiedName
    wire: tuple[Wire, ...]
    place: int
    dropped: Dropped


def typed_rows(
    columns: Sequence[Column], wires: Sequence[Sequence[Wire]], now: int
) -> tuple[Relation, Sequence[tuple[int, Dropped]]]:
    """Read the rows ``wires`` from the wire into internal values.

    Returns the valid rows, and for each other row its place in ``wires`` and its fault.  ``now`` is
    the session's clock, in milliseconds.
    """
    # Reading column by column is faster, but does not say which row is at fault.
    if len(wires) > 1 and set(map(len, wires)) == {len(columns)}:
        try:
            values = zip(*wires, strict=True)
            read = [read_column(c.type, v) for c, v in zip(columns, values, strict=True)]
            return list(zip(*read, strict=True)), ()
        except ValueError:
            pass  # read row by row, to find the faults
    readers = [reader(each.type) for each in columns]
    rows: list[Row] = []
    faults: list[tuple[int, Dropped]] = []
    for place, wire in enumerate(wires):
        row = _typed(columns, readers, wire, now)
        if isinstance(row, Dropped):
            faults.append((place, row))
        else:
            rows.append(row)
    return rows, faults


def typed_change(
    columns: Sequence[Column], key: Collection[int], wire: Sequence[Wire], weight: int, now: int
) -> Row | Dropped:
    """Read the row of one change of a stream WITH CHANGES; returns the row, or its fault.

    ``key`` has the places of the columns of KEY; it is empty without KEY.  ``weight`` is negative
    for a delete.  ``now`` is the session's clock.
    """
    if weight < 0 and key:
        # A delete by key (a tombstone): only the key is read, and the other columns are NULL.
        wire = tuple(v if i in key else None for i, v in enumerate(wire))
        columns = tuple(
            each if i in key else replace(each, type=each.type.as_nullable())
            for i, each in enumerate(columns)
        )
    return _typed(columns, [reader(each.type) for each in columns], wire, now)


def _typed(
    columns: Sequence[Column],
    readers: Sequence[Callable[[Wire], Value]],
    wire: Sequence[Wire],
    now: int,
) -> Row | Dropped:
    """The row of internal values, or the fault BAD_ROW.

    A row is bad if it has a wrong number of values, a value of a wrong type, or NULL in a NOT NULL
    column.  ``readers`` has one function for each column, which reads its value from the wire.  The
    value of an implicit ROWTIME may be left out: it is then ``now``, the session's clock (S-604).

    Defines: S-604.a
    """
    unread = iter(wire)
    explicit = [each for each in columns if not each.implicit]
    if len(wire) not in (len(columns), len(explicit)):
        found = counted(len(wire), "value")
        return Dropped(Fault.BAD_ROW, f"{found} for {counted(len(columns), 'column')}")
    values: list[Value] = []
    for column, read in zip(columns, readers, strict=True):
        try:
            left_out = column.implicit and len(wire) < len(columns)
            values.append(now if left_out else read(next(unread)))
        except ValueError as error:
            return Dropped(Fault.BAD_ROW, f"{column.name}: {error}")
    return tuple(values)


def accept(ingress: Ingress, row: Row, env: Environment) -> tuple[Ingress, Dropped | None]:
    """The ingress after ``row``, and the reason why the row is dropped, or None if it is accepted.

    Any monotonic column can make a row late.  A dropped row changes no bound (S-601).  The bound at
    `IMPLICIT_ROWTIME`, of a stream without a rowtime column, does not belong to a value of the row:
    the row cannot be late by this bound, and does not advance it (S-311).

    Defines: S-601.a, S-601.i
    """
    dropped = _fault(ingress, row, env)
    if dropped is not None:
        return ingress, dropped
    bounds = {
        place: known if place == IMPLICIT_ROWTIME else known.after(row[place])
        for place, known in ingress.bounds.items()
    }
    return replace(ingress, bounds=bounds), None


def _fault(ingress: Ingress, row: Row, env: Environment) -> Dropped | None:
    """Why ``row`` is dropped; None if it is accepted.

    A row that is bad and late is reported as bad.  A bad row has NULL or NaN where the column
    allows none, or breaks a CHECK.

    Defines: S-301.g, S-301.h, S-601.c, S-601.g, S-601.h
    """
    source = ingress.source
    for place, column in enumerate(source.columns):
        required = not column.type.nullable or place in ingress.bounds
        if row[place] is None and required:
            return Dropped(Fault.BAD_ROW, f"{column.name}: NULL in a column that has none")
        if place in ingress.bounds and is_nan(row[place]):
            return Dropped(Fault.BAD_ROW, f"{column.name}: NaN in a monotonic column")
    try:
        broken = any(value_of(check, row, env) is False for check in source.checks)
    except SqlError as error:
        return Dropped(Fault.BAD_ROW, f"CHECK: {error.message}")
    if broken:
        return Dropped(Fault.BAD_ROW, "a CHECK is false")
    if ingress.ended:
        return Dropped(Fault.LATE, "the input has ended")
    for place, known in ingress.bounds.items():
        if place != IMPLICIT_ROWTIME and known.late(row[place]):
            return Dropped(Fault.LATE, ingress.lateness(place, row[place]))
    return None


def one_by_one(_ingress: Ingress, env: Environment) -> Accept:
    """Return the function that passes rows through an ingress, one after the other.

    It is the definition of `Forms.ingress`, which is called once for each stream or table.  A fast
    form prepares the checks of that ingress; the definition has nothing to prepare.
    """

    def accept_rows(ingress: Ingress, rows: Relation) -> Verdicts:
        verdicts: list[Dropped | None] = []
        for row in rows:
            ingress, dropped = accept(ingress, row, env)
            verdicts.append(dropped)
        return ingress, verdicts

    return accept_rows
