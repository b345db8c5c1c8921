"""The effects of a script: relational DML step by step, then the standing statements (S-605).

By the end of all input a standing statement has processed every row exactly once.  So each one is
evaluated as one query over all rows, after the statements that feed its inputs.

The rows of a table or stream are in two buffers (`ObjectRows`): ``before`` has those that were
there before the first event, which a streaming query does not read, and ``passed`` has the rows
that have arrived since.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from typing import Final

from algebra.build import and_, is_not_null, is_not_true, is_null
from algebra.catalog import Column, QualifiedName, Stream, Table
from algebra.expression import Case, Expression, InputRef, Literal
from algebra.modify import Delete, Insert, Merge, MergeAction, Modify, Update
from algebra.parts.mentions import scans
from algebra.plan import Filter, Join, Plan, Project, Reads, Scan
from algebra.rewrite import shifted
from algebra.types import INTEGER
from grammar.codes import Code
from grammar.source import Span, SqlError, located
from grammar.tree import JoinKind
from spark_backend.data.changes import is_changing
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import KEY_REPEATED, Ingress, Refusal, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.types import Row

#: The column, added to the rows of MERGE's target, with the place of each row in the target.
_PLACE: Final = Column("PLACE", INTEGER.as_nullable(False))


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that a statement emitted and its target refused, with the reason."""

    target: Table | Stream
    row: Row
    refusal: Refusal


# --- relational DML ---------------------------------------------------------------------------


def run_step(step: Modify, contents: Contents) -> list[RefusedRow]:
    """Run one relational statement; return the rows that its target, a stream, dropped.

    It runs before the first event, so all rows are in ``before``.  BAD_ROW if a table does not
    accept a row, or if a row repeats a primary key (S-605.l).
    """
    stored = contents.of(step.target)
    match step:
        case Insert(target, input, upsert):
            rows = list(contents.rows(input))
            if upsert:
                assert isinstance(target, Table), "only tables have keys"
                rows = upserted(target, list(stored.before.rows()), rows)
            else:
                rows = [*stored.before.rows(), *rows]
        case Update(target, row, condition):
            changed = tuple(
                Case(((condition, new),), InputRef(i, each.type), each.type)
                for i, (each, new) in enumerate(zip(target.columns, row, strict=True))
            )
            rows = list(contents.rows(_over(target, changed)))
        case Delete(target, condition):
            rest = Filter(Scan(target, Reads.TABLE), is_not_true(condition))
            rows = list(contents.rows(rest))
        case Merge():
            rows = _merged(step, contents)
    return _replace(step.target, rows, contents)


def _over(target: Table, expressions: tuple[Expression, ...]) -> Plan:
    """The plan that computes new rows of ``target``, one for each row that it has now."""
    names = tuple(each.name for each in target.columns)
    return Project(Scan(target, Reads.TABLE), expressions, names)


def _replace(target: Table | Stream, rows: Sequence[Row], contents: Contents) -> list[RefusedRow]:
    """Replace the rows of the target, each validated as if it arrived.

    Return the rows that a stream drops; BAD_ROW if a table does not accept a row.
    """
    stored = contents.of(target)
    if isinstance(target, Table):
        _check_nulls(target, rows)
    accepted, refused = ingress_of(target).judge(rows, contents.checks(target))
    if refused and isinstance(target, Table):
        raise _bad_row(refused[0].reason)
    if with_new_keys(target, (), accepted)[1]:
        raise _bad_row(KEY_REPEATED)
    stored.before.close()
    stored.before = RowBuffer.of(stored.before.types, accepted)
    return [RefusedRow(target, rows[each.place], each) for each in refused]


def _check_nulls(target: Table, rows: Sequence[Row]) -> None:
    """BAD_ROW if a row has NULL in a NOT NULL column."""
    for row in rows:
        for column, value in zip(target.columns, row, strict=True):
            if value is None and not column.type.nullable:
                raise _bad_row(f"NULL in {column.name}, which is NOT NULL")


def _bad_row(reason: str) -> SqlError:
    return SqlError(Code.BAD_ROW, reason, "", Span(0, 0))


def upserted(target: Table, before: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """``before``, each row replaced by the last new one of its key, then rows of new keys."""
    by_key = {_key(target, row): row for row in before}
    for row in rows:
        by_key[_key(target, row)] = row
    return list(by_key.values())


def with_new_keys(
    target: Table | Stream, before: Iterable[Row], rows: Iterable[Row]
) -> tuple[list[Row], list[RefusedRow]]:
    """The rows with a new primary key, and the refusals of the others (S-605.l).

    A key is new if no row in ``before``, and no earlier row in ``rows``, has it.  Refusals are
    numbered from 0: their places are not those of the rows.  ``before`` is not read if the target
    has no primary key.
    """
    new: list[Row] = []
    refused: list[RefusedRow] = []
    rows = list(rows)
    for row, repeated in zip(rows, repeats_key(target, before, rows), strict=True):
        if repeated:
            refusal = Refusal(len(refused), Code.BAD_ROW, KEY_REPEATED)
            refused.append(RefusedRow(target, row, refusal))
        else:
            new.append(row)
    return new, refused


def judged(
    target: Table | Stream, ingress: Ingress, rows: Sequence[Row], contents: Contents
) -> tuple[list[Row], list[tuple[int, Refusal]]]:
    """The rows that may enter the target, and the others as pairs: index in ``rows``, refusal.

    A row that repeats a primary key is refused, except in a stream WITH CHANGES: there it replaces
    the row that has its key (S-1005).
    """
    first = ingress.arrived
    accepted, refused = ingress.judge(rows, contents.checks(target))
    found = {each.place - first: each for each in refused}
    sound = [number for number in range(len(rows)) if number not in found]
    before = () if is_changing(target) else contents.of(target).rows()
    repeated = repeats_key(target, before, accepted)
    for number in compress(sound, repeated):
        found[number] = Refusal(first + number, Code.BAD_ROW, KEY_REPEATED)
    new = [row for row, again in zip(accepted, repeated, strict=True) if not again]
    return new, sorted(found.items())


def repeats_key(
    target: Table | Stream, before: Iterable[Row], rows: Sequence[Row]
) -> Sequence[bool]:
    """For each row, whether a row before it, in ``before`` or ``rows``, has its primary key.

    ``before`` is not read if the target has no primary key.
    """
    if not isinstance(target, Table) or not target.primary_key:
        return [False] * len(rows)
    known = {_key(target, row) for row in before}
    found: list[bool] = []
    for row in rows:
        key = _key(target, row)
        found.append(key in known)
        known.add(key)
    return found


def _key(target: Table, row: Row) -> Row:
    """The values of a row in the columns of the primary key."""
    return tuple(row[i] for i in target.primary_key)


# --- MERGE ------------------------------------------------------------------------------------


def _merged(step: Merge, contents: Contents) -> list[Row]:
    """The target's rows after a MERGE, in their order, then the inserted ones.

    INVALID_ARGUMENT if two source rows would change one row of the target.
    """
    target, width = step.target, len(step.target.columns)
    targets = list(contents.rows(Scan(target, Reads.TABLE)))
    changed: dict[int, Row | None] = {}
    inserted: list[Row] = []
    for place, action, row in _matches(targets, step, contents):
        values = None if step.actions[action].row is None else row[:width]  # None: it deletes
        if place is None:
            assert values is not None, "NOT MATCHED inserts"
            inserted.append(values)
        elif place in changed:
            message = f"MERGE would change a row of {target.name[-1]} twice"
            raise SqlError(Code.INVALID_ARGUMENT, message, "", Span(0, 0))
        else:
            changed[place] = values
    remaining = (changed.get(i, row) for i, row in enumerate(targets))
    return [row for row in remaining if row is not None] + inserted


def _matches(
    targets: Sequence[Row], step: Merge, contents: Contents
) -> Iterator[tuple[int | None, int, Row]]:
    """For each source row and each match: the place of the target row, the action, the new row.

    ``targets`` are the rows of the target.  The place is None for a source row without a match.
    The action is a number: its place among the actions of ``step``.  Rows for which no action
    applies are left out.
    """
    place = Table((*step.target.name, "WITH PLACE"), (*step.target.columns, _PLACE))
    numbered = contents.of(place)
    places = ((*row, i) for i, row in enumerate(targets))
    numbered.before = RowBuffer.of(numbered.before.types, places)
    width = len(step.target.columns)

    def with_place(expression: Expression) -> Expression:
        """``expression`` over rows with the place: the source's columns are shifted by one."""
        return shifted(expression, 1, start=width)

    condition = with_place(step.condition)
    pairs = Join(Scan(place, Reads.TABLE), step.source, JoinKind.RIGHT, condition)
    place_or_null = InputRef(width, INTEGER)
    matched = is_not_null(place_or_null)
    unmatched = is_null(place_or_null)

    def applies(action: MergeAction) -> Expression:
        return and_(matched if action.matched else unmatched, with_place(action.condition))

    chosen = Case(
        tuple((applies(a), Literal(i, INTEGER)) for i, a in enumerate(step.actions)),
        Literal(None, INTEGER),
        INTEGER,
    )
    new_values: list[Expression] = []
    for i, column in enumerate(step.target.columns):
        branches = tuple(
            (applies(a), Literal(None, column.type) if a.row is None else with_place(a.row[i]))
            for a in step.actions
        )
        new_values.append(Case(branches, Literal(None, column.type), column.type))
    names = ("PLACE", "ACTION", *(each.name for each in step.target.columns))
    for row in contents.rows(Project(pairs, (place_or_null, chosen, *new_values), names)):
        where, action, *values = row
        if isinstance(action, int):
            yield (where if isinstance(where, int) else None), action, tuple(values)


# --- standing statements ----------------------------------------------------------------------


def run_standing(statements: Sequence[Insert], contents: Contents) -> list[RefusedRow]:
    """Run all standing statements on all rows; return the rows that their targets refused.

    The rows of several producers of one stream are merged by rowtime (S-603).
    """
    refused: list[RefusedRow] = []
    for each in in_dependency_order(statements):
        emitted = list(contents.rows(each.input))
        ingress = ingress_of(each.target)
        accepted, refusals = ingress.judge(emitted, contents.checks(each.target))
        refused += [RefusedRow(each.target, emitted[r.place], r) for r in refusals]
        stored = contents.of(each.target)
        if each.upsert:
            assert isinstance(each.target, Table), "only tables have keys"
            # A row with a known key takes the place of the old row.  Plans read the rows of a table
            # in both buffers, so one buffer can have them all.
            rows = [*stored.before.rows(), *stored.passed.rows()]
            stored.before.close()
            stored.before = RowBuffer.of(stored.before.types, upserted(each.target, rows, accepted))
            rows = []
        else:
            before = chain(stored.before.rows(), stored.passed.rows())
            accepted, repeated = with_new_keys(each.target, before, accepted)
            refused += repeated
            rows = _merge_by_rowtime(ingress.rowtime, list(stored.passed.rows()), accepted)
        stored.passed.close()
        stored.passed = RowBuffer.of(stored.passed.types, rows)
    return refused


def _merge_by_rowtime(rowtime: int | None, old: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """All rows, sorted by the column at the place ``rowtime``; among ties, old rows are first.

    ``rowtime`` None: the old rows, then the new ones.
    """
    rows = [*old, *new]
    if rowtime is None:
        return rows

    def time(row: Row) -> int:
        value = row[rowtime]
        assert isinstance(value, int), "an accepted row has a rowtime"
        return value

    return sorted(rows, key=time)


def in_dependency_order(statements: Sequence[Insert]) -> list[Insert]:
    """The statements, each after all statements that feed its inputs.

    Statements that do not depend on one another keep their order.  NOT_SUPPORTED if statements feed
    one another in a circle.
    """
    pending, done = list(statements), list[Insert]()
    while pending:
        fed = {each.target.name for each in pending}
        ready = [each for each in pending if not fed & read_by(each.input)]
        if not ready:
            names = ", ".join(sorted(".".join(each.target.name) for each in pending))
            message = f"statements that feed one another in a circle: {names}"
            error = SqlError(Code.NOT_SUPPORTED, message, "", Span(0, 0))
            raise located(error, pending[0].location)
        done += ready
        pending = [each for each in pending if each not in ready]
    return done


def read_by(plan: Plan) -> set[QualifiedName]:
    """The names of all tables and streams that a plan scans, those of its sub-queries included."""
    return {each.source.name for each in scans(plan)}
