"""What a script does: relational DML step by step, then the standing statements (S-605).

At the end of all input a standing statement has done its work once, on all rows; so each is one
query, evaluated after those that feed what it reads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from algebra.build import and_, is_not_null, is_not_true, is_null
from algebra.catalog import Column, QualifiedName, Stream, Table
from algebra.expression import Case, Expression, InputRef, Literal, Value
from algebra.mentions import scans
from algebra.plan import (
    Delete,
    Filter,
    Insert,
    Join,
    Merge,
    MergeAction,
    Modify,
    Plan,
    Project,
    Reads,
    Scan,
    Update,
)
from algebra.rewrite import rewritten
from algebra.types import INTEGER
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.tree import JoinKind
from spark_backend.data.contents import Contents, Held
from spark_backend.data.ingress import Refusal, gate_of
from spark_backend.data.row_buffer import Store

Row = tuple[Value, ...]

#: The place of a row of MERGE's target.
_PLACE: Final = Column("PLACE", INTEGER.as_nullable(False))


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that a statement gave and its target did not take."""

    target: QualifiedName
    row: Row
    refusal: Refusal


# --- relational DML ---------------------------------------------------------------------------


def run_step(step: Modify, contents: Contents) -> None:
    """The effect of one relational statement; BAD_ROW if its target does not take a row of it."""
    held = contents.of(step.target)
    match step:
        case Insert(target, input, upsert):
            rows = list(contents.rows(input))
            if upsert:
                assert isinstance(target, Table), "only tables have keys"
                rows = upserted(target, list(held.before.rows()), rows)
            else:
                rows = [*held.before.rows(), *rows]
        case Update(target, row, condition):
            changed = tuple(
                Case(((condition, new),), InputRef(i, each.type), each.type)
                for i, (each, new) in enumerate(zip(target.columns, row, strict=True))
            )
            rows = list(contents.rows(_over(target, changed)))
        case Delete(target, condition):
            kept = is_not_true(condition)
            rows = list(contents.rows(Filter(Scan(target, Reads.TABLE), kept)))
        case Merge():
            rows = _merged(step, contents)
    _replace(step.target, rows, contents)


def _over(target: Table, expressions: tuple[Expression, ...]) -> Plan:
    names = tuple(each.name for each in target.columns)
    return Project(Scan(target, Reads.TABLE), expressions, names)


def _replace(target: Table | Stream, rows: Sequence[Row], contents: Contents) -> None:
    """Let the object hold these rows, judged as they would be on arrival."""
    held = contents.of(target)
    kept, refused = gate_of(target).judge(_sound(target, rows), contents.checks(target))
    if refused:
        raise _bad_row(refused[0].reason)
    held.before.close()
    held.before = Store(held.before.types)
    for each in kept:
        held.before.append(each)


def _sound(target: Table | Stream, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows, none of which has NULL where the column may not; BAD_ROW otherwise."""
    for row in rows:
        for column, value in zip(target.columns, row, strict=True):
            if value is None and not column.type.nullable:
                raise _bad_row(f"NULL in {column.name}, which is NOT NULL")
    return rows


def _bad_row(reason: str) -> SqlError:
    return SqlError(Code.BAD_ROW, reason, "", Span(0, 0))


def upserted(target: Table, before: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """The rows of before, each replaced by the last new one of its key, then those of new keys."""
    found = {_key(target, row): row for row in before}
    for row in rows:
        found[_key(target, row)] = row
    return list(found.values())


def _key(target: Table, row: Row) -> Row:
    return tuple(row[i] for i in target.primary_key)


# --- MERGE ------------------------------------------------------------------------------------


def _merged(step: Merge, contents: Contents) -> list[Row]:
    """The target's rows after a MERGE, in their order, then those it inserts.

    INVALID_ARGUMENT where two source rows would change one row of the target.
    """
    target, width = step.target, len(step.target.columns)
    targets = list(contents.rows(Scan(target, Reads.TABLE)))
    numbered = _numbered(targets, step, contents)
    changed: dict[int, Row | None] = {}
    inserted: list[Row] = []
    for place, action, row in numbered:
        values = None if step.actions[action].row is None else row[:width]
        if place is None:
            assert values is not None, "NOT MATCHED inserts"
            inserted.append(values)
        elif place in changed:
            message = f"MERGE would change a row of {target.name[-1]} twice"
            raise SqlError(Code.INVALID_ARGUMENT, message, "", Span(0, 0))
        else:
            changed[place] = values
    kept = (changed.get(i, row) for i, row in enumerate(targets))
    return [row for row in kept if row is not None] + inserted


def _numbered(
    targets: Sequence[Row], step: Merge, contents: Contents
) -> Iterator[tuple[int | None, int, Row]]:
    """Each pair's, or lone source row's, place of the target row, first true action, new row."""
    place = Table((*step.target.name, "WITH PLACE"), (*step.target.columns, _PLACE))
    numbered = contents.of(place)
    numbered.before = Store(numbered.before.types)
    for i, row in enumerate(targets):
        numbered.before.append((*row, i))
    width = len(step.target.columns)

    def seen(expression: Expression) -> Expression:
        """The expression over the row with the place: the source's columns stand one further."""
        return rewritten(
            expression,
            lambda leaf: (
                InputRef(leaf.index + 1, leaf.type)
                if isinstance(leaf, InputRef) and leaf.index >= width
                else leaf
            ),
        )

    pairs = Join(Scan(place, Reads.TABLE), step.source, JoinKind.RIGHT, seen(step.condition))
    here = InputRef(width, INTEGER)
    matched = is_not_null(here)
    lone = is_null(here)

    def applies(action: MergeAction) -> Expression:
        about = matched if action.matched else lone
        return and_(about, seen(action.condition))

    chosen = Case(
        tuple((applies(a), Literal(i, INTEGER)) for i, a in enumerate(step.actions)),
        Literal(None, INTEGER),
        INTEGER,
    )
    news: list[Expression] = []
    for i, column in enumerate(step.target.columns):
        branches = tuple(
            (applies(a), Literal(None, column.type) if a.row is None else seen(a.row[i]))
            for a in step.actions
        )
        news.append(Case(branches, Literal(None, column.type), column.type))
    names = ("PLACE", "ACTION", *(each.name for each in step.target.columns))
    for row in contents.rows(Project(pairs, (here, chosen, *news), names)):
        at, action, *values = row
        if isinstance(action, int):
            yield (at if isinstance(at, int) else None), action, tuple(values)


# --- standing statements ----------------------------------------------------------------------


def run_standing(statements: Sequence[Insert], contents: Contents) -> list[Refused]:
    """The effect of all standing statements on all rows; the rows that their targets refused.

    A stream that several producers feed has their rows merged by rowtime (S-603).
    """
    refused: list[Refused] = []
    for each in in_dependency_order(statements):
        given = list(contents.rows(each.input))
        gate = gate_of(each.target)
        kept, not_taken = gate.judge(given, contents.checks(each.target))
        refused += [Refused(each.target.name, given[r.place], r) for r in not_taken]
        held = contents.of(each.target)
        if each.upsert:
            assert isinstance(each.target, Table), "only tables have keys"
            before = [*held.before.rows(), *held.passed.rows()]
            _hold(held, upserted(each.target, before, kept), before=True)
        else:
            _hold(held, _merged_by(gate.rowtime, list(held.passed.rows()), kept), before=False)
    return refused


def _merged_by(rowtime: int | None, held: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """Both, in the order of their rowtime; of equal ones those held first."""
    rows = [*held, *new]
    if rowtime is None:
        return rows

    def time(row: Row) -> int:
        value = row[rowtime]
        assert isinstance(value, int), "a rowtime is not NULL behind the gate"
        return value

    return sorted(rows, key=time)


def _hold(held: Held, rows: Sequence[Row], *, before: bool) -> None:
    """Let the object hold these rows, as from before the session or as passed since."""
    if before:
        held.before.close()
        held.before = Store(held.before.types)
    held.passed.close()
    held.passed = Store(held.passed.types)
    store = held.before if before else held.passed
    for each in rows:
        store.append(each)


def in_dependency_order(statements: Sequence[Insert]) -> list[Insert]:
    """The statements, each behind those that feed what it reads; otherwise as they began.

    NOT_SUPPORTED where statements feed one another in a circle: no one of them comes first.
    """
    left, done = list(statements), list[Insert]()
    while left:
        fed = {each.target.name for each in left}
        free = [each for each in left if not fed & read_by(each.input)]
        if not free:
            names = ", ".join(sorted(".".join(each.target.name) for each in left))
            message = f"statements that feed one another in a circle: {names}"
            raise SqlError(Code.NOT_SUPPORTED, message, "", Span(0, 0))
        done += free
        left = [each for each in left if each not in free]
    return done


def read_by(plan: Plan) -> set[QualifiedName]:
    """The names of all objects that a plan scans, in sub-queries, too."""
    return {each.source.name for each in scans(plan)}
