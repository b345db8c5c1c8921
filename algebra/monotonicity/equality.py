"""Expressions that are equal in every row of a plan: a sort by one is a sort by all (S-408)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import count
from typing import Final, TypeAlias

from algebra.catalog import Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.expression import (
    Call,
    Exists,
    Expression,
    External,
    GroupId,
    Grouping,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Quantified,
    Round,
    ScalarQuery,
)
from algebra.facts import deduced_once
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.normal_form import normal
from algebra.monotonicity.tables import Monotonicity
from algebra.parts.grouping_sets import common_keys
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    Filter,
    Hop,
    Joining,
    Passing,
    Plan,
    Project,
    Scan,
    SetOp,
    TimeWindow,
    Widening,
    WindowJoin,
    row_type,
    window_sizes,
)
from algebra.rewrite import (
    conjuncts,
    operands,
    rewritten,
    shifted,
    subexpressions,
    with_operands,
)
from algebra.types import (
    APPROXIMATE,
    DAY_TO_SECOND,
    TIMESTAMP,
    UNIT_MILLIS,
    UNIT_MONTHS,
    YEAR_TO_MONTH,
    Kind,
)
from grammar.tree import JoinKind, SetOperator, TimeUnit

#: Two expressions over a plan's columns that are equal or both NULL in each row.
Equal: TypeAlias = tuple[Expression, Expression]

#: The most equivalent expressions that are considered; to miss one is never wrong.
MAX_EQUIVALENTS: Final = 24
#: The most nodes that an equivalent expression may have in addition to those of the expression.
MAX_GROWTH: Final = 6


@dataclass(frozen=True, slots=True)
class Equalities:
    """Pairs of equal expressions over a plan's columns.

    They are in the normal form (`normal`), so two expressions differ only if their values may.
    """

    equal: tuple[Equal, ...] = ()

    def equivalents(self, expression: Expression) -> tuple[Expression, ...]:
        """The expressions known to equal ``expression``, in the normal form; itself comes first.

        The search ends when it has found `MAX_EQUIVALENTS`.
        """
        found = dict.fromkeys((normal(expression),))
        self._add(normal(expression), found)
        return tuple(found)

    def _add(self, start: Expression, found: dict[Expression, None]) -> None:
        """Add the equivalents of ``start`` to ``found``, by replacing parts with equal expressions.

        An equivalent that is too long (`MAX_GROWTH`) is left out.
        """
        pending = [start]
        while pending and len(found) < MAX_EQUIVALENTS:
            each = pending.pop(0)
            parts = frozenset(subexpressions(each))
            for a, b in self.equal:
                for one, other in ((a, b), (b, a)):
                    if one not in parts:
                        continue
                    equivalent = normal(_replaced(each, one, other))
                    if equivalent not in found and _size(equivalent) <= _size(start) + MAX_GROWTH:
                        found[equivalent] = None
                        pending.append(equivalent)

    def agree(self, a: Expression, b: Expression) -> bool:
        """Whether ``a`` and ``b`` are known to be equal."""
        return normal(b) in self.equivalents(a)


def implied(
    plan: Plan, columns: Sequence[Monotonicity], constants: AbstractSet[int] | None = None
) -> tuple[Monotonicity, ...]:
    """The monotonicity of each column, also by equality with other expressions.

    ``columns`` has the orders known so far.  A column that is NOT_MONOTONIC by them has the order
    of an expression that it equals, if such an expression has one.  ``constants`` are the places of
    the columns that may be CONSTANT by equality with a constant; None: all columns.
    """
    equal, ranges = equalities(plan), column_ranges(plan)

    def best(place: int, column: Expression, known: Monotonicity) -> Monotonicity:
        if known is not Monotonicity.NOT_MONOTONIC:
            return known
        found = [monotonicity(each, columns, ranges) for each in equal.equivalents(column)[1:]]
        if Monotonicity.CONSTANT in found and (constants is None or place in constants):
            return Monotonicity.CONSTANT
        progressing = [each for each in found if each.progresses]
        strict = [each for each in progressing if each.strict]
        return next(iter(strict + progressing), known)

    return tuple(map(best, count(), _columns(plan), columns))


@deduced_once
def equalities(plan: Plan) -> Equalities:
    """The expressions known to be equal in every row of ``plan``."""
    match plan:
        case Scan(Stream(carries=carried)) if carried is not None:
            return equalities(carried)
        case Filter(input, condition):
            return _with(equalities(input), conjuncts(condition))
        case Project(input, expressions):
            return _projected(equalities(input), expressions)
        case Hop(input):
            return _hop(equalities(input), plan)
        case Aggregate(input, keys):
            common = common_keys(plan)
            return _projected(equalities(input), [keys[i] for i in common], common)
        case Passing() | Widening():
            return equalities(plan.input)
        case Joining():
            known = _sides(plan)
            for condition in expressions_of(plan) if plan.kind is JoinKind.INNER else ():
                known = _with(known, conjuncts(condition))
            time = _pair_time(plan) if isinstance(plan, WindowJoin) else ()
            return Equalities((*known.equal, *time))
        case SetOp():
            return _combined(plan)
        case _:
            return Equalities()


def _columns(plan: Plan) -> tuple[Expression, ...]:
    """The columns of ``plan`` as expressions in the normal form."""
    return tuple(InputRef(i, each.type.as_nullable()) for i, each in enumerate(row_type(plan)))


def _size(expression: Expression) -> int:
    """The number of nodes of ``expression``."""
    return sum(1 for _ in subexpressions(expression))


def _replaced(expression: Expression, one: Expression, other: Expression) -> Expression:
    """``expression`` with ``other`` in place of ``one``."""
    if isinstance(one, Literal):
        return expression  # other occurrences of a constant are coincidences
    return rewritten(expression, lambda leaf: other if leaf == one else leaf, (one,))


def is_deterministic(expression: Expression) -> bool:
    """Whether the columns determine the value of ``expression``, and it has no other effect.

    MONOTONIC has an effect: it drops rows.
    """
    parts = list(subexpressions(expression))
    outside = (External, OuterRef, Grouping, GroupId, ScalarQuery, Exists, InQuery, Quantified)
    varying = (Op.CURRENT_TIMESTAMP, Op.RAND, Op.MONOTONIC)
    return not any(
        isinstance(each, outside) or (isinstance(each, Call) and each.op in varying)
        for each in parts
    )


# --- node by node -------------------------------------------------------------------------------


def _with(known: Equalities, conditions: Iterable[Expression]) -> Equalities:
    """The ``known`` equalities, and those that hold because ``conditions`` are true."""
    usable = (normal(each) for each in conditions if is_deterministic(each))
    return Equalities((*known.equal, *(pair for each in usable for pair in _equality(each))))


def _equality(condition: Expression) -> Iterator[Equal]:
    """The operands of ``condition``, an ``a = b`` that is true only for identical values.

    Nothing for other conditions.  For CHARs and floats, ``=`` is also true for some different
    values: for CHARs that differ in trailing blanks, and for the two zeros of floats.
    """
    match condition:
        case Call(Op.EQUAL, (a, b)) if a.type.kind not in APPROXIMATE | {Kind.CHAR}:
            yield a, b
        case _:
            pass


def _projected(
    known: Equalities, expressions: Sequence[Expression], places: Sequence[int] = ()
) -> Equalities:
    """The equalities of rows whose columns are computed by ``expressions``.

    ``known`` are the equalities of the rows from which they are computed.  ``places`` are the
    places of the new columns; empty: 0, 1, ….
    """
    column_places = places or range(len(expressions))
    written = [normal(each) for each in expressions]
    columns = [InputRef(i, e.type) for i, e in zip(column_places, written, strict=True)]
    determined = [pair for pair in zip(columns, written, strict=True) if is_deterministic(pair[1])]
    # For each expression over the old columns, the new column that equals it.
    names: dict[Expression, Expression] = {}
    for column, each in determined:
        if not isinstance(each, Literal):
            for equivalent in known.equivalents(each):
                names.setdefault(equivalent, column)
    equal: list[Equal] = []
    # Each column equals its expression, written over the other new columns.
    for column, each in determined:
        others = {equivalent: other for equivalent, other in names.items() if other != column}
        found = in_terms(each, others, known)
        if found is not None:
            equal.append((column, found))
    # Equal expressions over the old columns stay equal when they are written over the new ones.
    for a, b in known.equal:
        one, other = in_terms(a, names, known), in_terms(b, names, known)
        if one is not None and other is not None and one != other:
            equal.append((one, other))
    return Equalities(tuple(dict.fromkeys(equal)))


def in_terms(
    expression: Expression, names: Mapping[Expression, Expression], known: Equalities
) -> Expression | None:
    """``expression``, or one that equals it, written with only the columns that ``names`` has.

    ``names`` has a new column for each of some expressions over the old columns.  The largest
    expressions are replaced first.  None: an old column cannot be replaced.
    """
    for equivalent in known.equivalents(expression):
        found = _in_terms(equivalent, names)
        if found is not None:
            return normal(found)
    return None


def _in_terms(expression: Expression, names: Mapping[Expression, Expression]) -> Expression | None:
    """As `in_terms`, for ``expression`` as it is written."""
    named = names.get(expression)
    if named is not None:
        return named
    if isinstance(expression, InputRef):
        return None
    parts = [_in_terms(each, names) for each in operands(expression)]
    known = [each for each in parts if each is not None]
    return with_operands(expression, known) if len(known) == len(parts) else None


def _hop(known: Equalities, plan: Hop) -> Equalities:
    """The ``known`` equalities, and those of the start and the end of the windows.

    The start and the end are the size apart, unless the windows are cumulative.  The start of a
    TUMBLE or CUMULATE window equals a FLOOR or STEP.
    """
    width = len(row_type(plan.input))
    start, end = (InputRef(width + i, TIMESTAMP) for i in range(2))
    kind = plan.retain.type.kind
    emit, size = window_sizes(plan)

    def after(moment: Expression, amount: int) -> Expression:
        unit = YEAR_TO_MONTH if kind is Kind.MONTHS else DAY_TO_SECOND
        return Call(Op.DATETIME_PLUS, (moment, Literal(amount, unit)), TIMESTAMP)

    equal: list[Equal] = []
    if not plan.cumulative:
        equal += [(end, after(start, size)), (start, after(end, -size))]
    if emit == size or plan.cumulative:
        equal += [(start, each) for each in _starts(normal(plan.time), size, plan.align, kind)]
    return Equalities((*known.equal, *equal))


#: The months of a year, the longest unit that is considered.  A CENTURY, for example, does not
#: begin at 1970-01, from which windows count.
_YEAR: Final = 12


def _starts(time: Expression, size: int, align: int, kind: Kind) -> Iterator[Expression]:
    """The expressions that equal the start of a tumbling window: FLOOR to a unit, and STEP.

    ``size`` is in the unit of the interval ``kind``.  With an alignment there are no such
    expressions, because FLOOR and STEP count from 1970-01-01.  FLOOR to a week does not equal the
    start, because it is a Monday, and windows of a week count from 1970-01-01, a Thursday.
    """
    if align:
        return
    if kind is Kind.MONTHS:
        units = {months: unit for unit, months in UNIT_MONTHS.items() if months <= _YEAR}
    else:
        units = {millis: unit for unit, millis in UNIT_MILLIS.items() if unit is not TimeUnit.WEEK}
        yield Call(Op.STEP, (time, Literal(size, DAY_TO_SECOND)), TIMESTAMP)
    if size in units:
        yield Round(False, time, units[size], TIMESTAMP)


def _sides(plan: Joining) -> Equalities:
    """The equalities of both sides of a join.

    For a side that may be padded, only those of a column with another column remain.
    """
    width = len(row_type(plan.left))
    left, right = equalities(plan.left), _shifted(equalities(plan.right), width)
    if plan.kind.preserves_right:
        left = _copies(left)
    if plan.kind.preserves_left:
        right = _copies(right)
    return Equalities((*left.equal, *right.equal))


def _shifted(known: Equalities, by: int) -> Equalities:
    """The equalities of a right side whose columns come after ``by`` columns of the left side."""
    return Equalities(tuple((shifted(a, by), shifted(b, by)) for a, b in known.equal))


def _copies(known: Equalities) -> Equalities:
    """The equalities that also hold in a row of NULLs: those of one column with another."""
    return Equalities(
        tuple(pair for pair in known.equal if all(isinstance(e, InputRef) for e in pair))
    )


def _pair_time(plan: WindowJoin) -> Iterator[Equal]:
    """The equalities of the time of a pair with the rowtimes of its rows.

    The time of a pair equals the rowtime of a side that has the window CURRENT ROW and is never
    padded (S-509).
    """
    rowtime = InputRef(len(row_type(plan)) - 1, TIMESTAMP)
    left = InputRef(plan.left_rowtime, TIMESTAMP)
    right = InputRef(len(row_type(plan.left)) + plan.right_rowtime, TIMESTAMP)
    now = TimeWindow(0, 0)
    if plan.left_window == now and not plan.kind.preserves_right:
        yield rowtime, left
    if plan.right_window == now and not plan.kind.preserves_left:
        yield rowtime, right


def _combined(plan: SetOp) -> Equalities:
    """The equalities of a set operation.

    UNION has the equalities that all inputs have, INTERSECT those that any input has, and EXCEPT
    those of its first input.
    """
    known = [equalities(each) for each in plan.inputs]
    match plan.operator:
        case SetOperator.UNION:
            first, *others = known
            return Equalities(
                tuple(p for p in first.equal if all(each.agree(*p) for each in others))
            )
        case SetOperator.INTERSECT:
            return Equalities(tuple(pair for each in known for pair in each.equal))
        case SetOperator.EXCEPT:
            return known[0]
