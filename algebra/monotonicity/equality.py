"""Expressions that are equal in every row of a plan: a sort by one sorts by both (S-408)."""

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

#: Two expressions over a plan's columns that are equal in each row, or both NULL.
Equal: TypeAlias = tuple[Expression, Expression]

#: The most equivalent expressions that are considered; to miss one is never wrong.
MAX_EQUIVALENTS: Final = 24
#: By how many nodes an equivalent expression may be larger.
MAX_GROWTH: Final = 6
#: The months of the longest unit of months whose boundaries are its multiples since 1970-01.
_YEAR: Final = 12


@dataclass(frozen=True, slots=True)
class Equalities:
    """Pairs of equal expressions over a plan's columns.

    All types are made nullable, so that expressions differ only if their values may.
    """

    equal: tuple[Equal, ...] = ()

    def equivalents(self, expression: Expression) -> tuple[Expression, ...]:
        """The expressions known to equal ``expression``, up to `MAX_EQUIVALENTS`, itself first."""
        found = dict.fromkeys((normal(expression),))
        self._add(normal(expression), found)
        return tuple(found)

    def _add(self, start: Expression, found: dict[Expression, None]) -> None:
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
    """The monotonicity of each column, where it is implied by equality with another expression.

    ``constants``: the places of the columns that may be CONSTANT by equality with a constant; None:
    all.
    """
    equal, ranges = equalities(plan), column_ranges(plan)

    def best(place: int, column: Expression, known: Monotonicity) -> Monotonicity:
        if known is not Monotonicity.NOT_MONOTONIC:
            return known
        found = [monotonicity(each, columns, ranges) for each in equal.equivalents(column)[1:]]
        if Monotonicity.CONSTANT in found and (constants is None or place in constants):
            return Monotonicity.CONSTANT
        moving = [each for each in found if each.progresses]
        return next((e for e in moving if e.strict), next(iter(moving), known))

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
    return tuple(InputRef(i, each.type.as_nullable()) for i, each in enumerate(row_type(plan)))


def _size(expression: Expression) -> int:
    return sum(1 for _ in subexpressions(expression))


def _replaced(expression: Expression, one: Expression, other: Expression) -> Expression:
    """``expression`` with ``other`` in place of ``one``."""
    if isinstance(one, Literal):
        return expression  # other occurrences of a constant are coincidences
    return rewritten(expression, lambda leaf: other if leaf == one else leaf, (one,))


def is_deterministic(expression: Expression) -> bool:
    """Whether the columns determine the value; not with MONOTONIC, which also drops rows."""
    parts = list(subexpressions(expression))
    outside = (External, OuterRef, Grouping, GroupId, ScalarQuery, Exists, InQuery, Quantified)
    varying = (Op.CURRENT_TIMESTAMP, Op.RAND, Op.MONOTONIC)
    return not any(
        isinstance(each, outside) or (isinstance(each, Call) and each.op in varying)
        for each in parts
    )


# --- node by node -------------------------------------------------------------------------------


def _with(known: Equalities, conditions: Iterable[Expression]) -> Equalities:
    """The equalities known where ``conditions`` are also true."""
    lasting = (normal(each) for each in conditions if is_deterministic(each))
    return Equalities((*known.equal, *(pair for each in lasting for pair in _equality(each))))


def _equality(condition: Expression) -> Iterator[Equal]:
    """The operands of ``a = b`` if ``=`` holds only for identical values.

    It also holds for CHARs that differ in trailing blanks, and for the two zeros of floats.
    """
    match condition:
        case Call(Op.EQUAL, (a, b)) if a.type.kind not in APPROXIMATE | {Kind.CHAR}:
            yield a, b
        case _:
            pass


def _projected(
    known: Equalities, expressions: Sequence[Expression], places: Sequence[int] = ()
) -> Equalities:
    """The equalities of rows of ``expressions``, at ``places`` or, if empty, at 0, 1, …."""
    at = places or range(len(expressions))
    written = [normal(each) for each in expressions]
    columns = [InputRef(i, e.type) for i, e in zip(at, written, strict=True)]
    fixed = [pair for pair in zip(columns, written, strict=True) if is_deterministic(pair[1])]
    # The new column for each expression over the old columns that equals it.
    names: dict[Expression, Expression] = {}
    for column, each in fixed:
        if not isinstance(each, Literal):
            for equivalent in known.equivalents(each):
                names.setdefault(equivalent, column)
    equal: list[Equal] = []
    # Each column equals its expression, written over the other new columns.
    for column, each in fixed:
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
    """``expression`` over the columns that ``names`` has for some expressions; None: impossible.

    The largest expressions are replaced first.
    """
    for equivalent in known.equivalents(expression):
        found = _in_terms(equivalent, names)
        if found is not None:
            return normal(found)
    return None


def _in_terms(expression: Expression, names: Mapping[Expression, Expression]) -> Expression | None:
    named = names.get(expression)
    if named is not None:
        return named
    if isinstance(expression, InputRef):
        return None
    parts = [_in_terms(each, names) for each in operands(expression)]
    known = [each for each in parts if each is not None]
    return with_operands(expression, known) if len(known) == len(parts) else None


def _hop(known: Equalities, plan: Hop) -> Equalities:
    """The start and the end of a window are its size apart, unless it is cumulative.

    The start of a TUMBLE or CUMULATE window is a FLOOR or STEP.
    """
    width = len(row_type(plan.input))
    start, end = (InputRef(width + i, TIMESTAMP) for i in range(2))
    time, (emit, size), align = normal(plan.time), window_sizes(plan), plan.align

    def after(a: Expression, amount: int, type_: Kind) -> Expression:
        unit = YEAR_TO_MONTH if type_ is Kind.MONTHS else DAY_TO_SECOND
        return Call(Op.DATETIME_PLUS, (a, Literal(amount, unit)), TIMESTAMP)

    kind = plan.retain.type.kind
    equal: list[Equal] = []
    if not plan.cumulative:
        equal += [(end, after(start, size, kind)), (start, after(end, -size, kind))]
    if emit == size or plan.cumulative:
        equal += [(start, each) for each in _buckets(time, size, align, kind)]
    return Equalities((*known.equal, *equal))


def _buckets(time: Expression, size: int, align: int, kind: Kind) -> Iterator[Expression]:
    """Expressions that equal the start of a tumbling window: FLOOR to a unit, STEP.

    None with an alignment, because FLOOR and STEP count from 1970-01-01.  A week of FLOOR begins on
    a Monday, which 1970-01-01 is not.
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
    """The equalities of both sides; for a side that may be padded, only those between columns."""
    width = len(row_type(plan.left))
    left, right = equalities(plan.left), _shifted(equalities(plan.right), width)
    if plan.kind.preserves_right:
        left = _copies(left)
    if plan.kind.preserves_left:
        right = _copies(right)
    return Equalities((*left.equal, *right.equal))


def _shifted(known: Equalities, by: int) -> Equalities:
    return Equalities(tuple((shifted(a, by), shifted(b, by)) for a, b in known.equal))


def _copies(known: Equalities) -> Equalities:
    """The equalities that also hold of a row of NULLs."""
    return Equalities(
        tuple(pair for pair in known.equal if all(isinstance(e, InputRef) for e in pair))
    )


def _pair_time(plan: WindowJoin) -> Iterator[Equal]:
    """The time of a pair is the rowtime of a side that joins at CURRENT ROW (S-509)."""
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
