"""Binding of the frames of OVER, such as ``ROWS 2 PRECEDING`` (S-505).

In the frames of plans all defaults are written out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from algebra.binding.expression.constants import constant
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.scope import Scope
from algebra.catalog import Profile
from algebra.expression import Expression, Literal, SortKey
from algebra.parts.frames import ITSELF, PEERS, WHOLE
from algebra.plan import (
    Exclude,
    Frame,
    FrameBound,
    GroupOffset,
    RangeOffset,
    RowOffset,
    Unbounded,
)
from algebra.types import (
    DATETIME,
    INTEGERS,
    INTERVAL,
    MILLIS_PER_DAY,
    NUMERIC,
    Kind,
    Type,
)
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError
from grammar.suggestion import replacement
from grammar.tree import BoundKind, FrameUnit

#: The kinds of ends of a frame, from the first row of a partition to the last.
_ORDER: Final = tuple(BoundKind)
#: A frame as an example, for hints and suggestions.
_FRAME: Final = "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"
_HINT: Final = f"write it as in {_FRAME}"


@dataclass(frozen=True, slots=True)
class _Offset:
    """A constant offset, and the end of the frame that it belongs to."""

    literal: Literal
    bound: tree.FrameBound


def default_frame(order: Sequence[SortKey], profile: Profile) -> Frame:
    """The frame of a window that has no frame in the text (S-505).

    With an ORDER BY, the frame ends at CURRENT ROW, whose meaning depends on the profile (S-506).
    Without one, it is the whole partition.
    """
    return Frame(Unbounded(), _current_row(profile)) if order else WHOLE


def bind_frame(
    node: tree.Frame, order: Sequence[SortKey], scope: Scope, environment: Environment
) -> Frame:
    """The frame that ``node`` denotes; if it has only one end, the other is CURRENT ROW.

    ``order`` are the sort keys of the window.

    BAD_FRAME if the end is before the start, if an offset is not a non-negative constant of the
    right type, if RANGE with a distance does not have exactly one key, or if GROUPS has no order.

    Defines: S-505.b
    """
    if node.unit is FrameUnit.GROUPS and not order:
        hint = "ORDER BY rowtime GROUPS 1 PRECEDING"
        raise _bad(
            "GROUPS counts groups of peers, and requires an ORDER BY", node, environment, hint
        )
    start, end = _ends(node)
    if _ORDER.index(start.kind) > _ORDER.index(end.kind) or (
        start.kind is BoundKind.UNBOUNDED_FOLLOWING or end.kind is BoundKind.UNBOUNDED_PRECEDING
    ):
        raise _bad("the frame ends before it starts", node, environment)
    first, last = _offset(start, scope, environment), _offset(end, scope, environment)
    if first is not None and last is not None and _cross(first, last):
        raise _bad("the frame ends before it starts", node, environment)
    return Frame(
        _bound(start, first, node.unit, order, environment),
        _bound(end, last, node.unit, order, environment),
        Exclude.NO_OTHERS if node.exclude is None else Exclude(node.exclude),
    )


def _cross(first: _Offset, last: _Offset) -> bool:
    """Whether the frame is empty because its ends, on the same side of the row, are crossed.

    False if that is not certain: a month can be longer or shorter than 30 days.
    """
    a, b = first.literal, last.literal
    comparable = a.type.kind is b.type.kind or {a.type.kind, b.type.kind} <= NUMERIC
    if first.bound.kind is not last.bound.kind or not comparable:
        return False
    # Of two ends before the row, the start is farther from it; after the row, the end is.
    nearer, farther = (b, a) if first.bound.kind is BoundKind.PRECEDING else (a, b)
    return _number(nearer) > _number(farther)


def _number(literal: Literal) -> Decimal | float:
    """The value of an offset, which `_offset` has checked to be a number or an interval."""
    assert isinstance(literal.value, int | float | Decimal), "offsets are checked to be numbers"
    return literal.value


def _ends(node: tree.Frame) -> tuple[tree.FrameBound, tree.FrameBound]:
    """The start and the end of a frame; an end that is not written is CURRENT ROW.

    A single ``FOLLOWING`` is the end of the frame; any other single bound is its start.
    """
    if node.end is not None:
        return node.start, node.end
    current = tree.FrameBound(BoundKind.CURRENT_ROW, None, node.start.span)
    if node.start.kind in (BoundKind.FOLLOWING, BoundKind.UNBOUNDED_FOLLOWING):
        return current, node.start
    return node.start, current


def _offset(bound: tree.FrameBound, scope: Scope, environment: Environment) -> _Offset | None:
    """The offset of ``bound``; None: it has none.

    BAD_FRAME unless the offset is a constant number or interval that is not negative.
    """
    if bound.offset is None:
        return None
    found = constant(bound.offset, scope)
    if found is None or not isinstance(found.value, int | float | Decimal):
        raise _bad("an offset of a frame must be a constant", bound.offset, environment)
    if _number(found) < 0:
        raise _bad("an offset of a frame must not be negative", bound.offset, environment)
    return _Offset(found, bound)


def _bound(
    bound: tree.FrameBound,
    offset: _Offset | None,
    unit: FrameUnit,
    order: Sequence[SortKey],
    environment: Environment,
) -> FrameBound:
    """The end of a plan's frame that ``bound`` denotes; ``offset`` is its offset."""
    preceding = bound.kind is BoundKind.PRECEDING
    match bound.kind:
        case BoundKind.UNBOUNDED_PRECEDING | BoundKind.UNBOUNDED_FOLLOWING:
            return Unbounded()
        case BoundKind.CURRENT_ROW:
            if unit is FrameUnit.GROUPS:
                return GroupOffset(0)
            return ITSELF if unit is FrameUnit.ROWS else _current_row(environment.profile)
        case BoundKind.PRECEDING | BoundKind.FOLLOWING:
            assert offset is not None
            if unit is FrameUnit.RANGE:
                return _range(offset, preceding, order, environment)
            count = _whole(offset, unit, environment)
            count = -count if preceding else count
            return RowOffset(count) if unit is FrameUnit.ROWS else GroupOffset(count)


def _current_row(profile: Profile) -> FrameBound:
    """CURRENT ROW as an end of RANGE: the row and its peers; in profile sqlstream only the row.

    Defines: S-506.a, S-506.b
    """
    return PEERS if profile is Profile.CALCITE else ITSELF


def _whole(offset: _Offset, unit: FrameUnit, environment: Environment) -> int:
    """The offset of ROWS or GROUPS; BAD_FRAME unless it is an integer."""
    value = offset.literal.value
    if offset.literal.type.kind not in INTEGERS or not isinstance(value, int):
        assert offset.bound.offset is not None
        counted = "rows" if unit is FrameUnit.ROWS else "groups of peers"
        hint = (
            _HINT
            if unit is FrameUnit.ROWS
            else "write it as in GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW"
        )
        raise _bad(f"{unit} counts whole {counted}", offset.bound.offset, environment, hint)
    return value


def _range(
    offset: _Offset, preceding: bool, order: Sequence[SortKey], environment: Environment
) -> FrameBound:
    """The end of a RANGE at a distance from the sort key; at distance 0, the peers of the row.

    BAD_FRAME unless the window has one sort key to which the distance can be added (S-506).

    Defines: S-506.c
    """
    node = offset.bound.offset
    assert node is not None
    if order and _number(offset.literal) == 0:
        return PEERS
    if len(order) != 1:
        raise _bad(
            "RANGE with a distance requires exactly one ORDER BY expression",
            node,
            environment,
            "ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING",
        )
    key: Expression = order[0].expression
    if not _measures(offset.literal, key.type):
        fit = "INTERVAL '1' HOUR" if key.type.kind in DATETIME else "a number"
        raise _bad(
            f"{offset.literal.type} is not a distance on the sort key, {key.type}",
            node,
            environment,
            f"write RANGE {fit} PRECEDING" if key.type.kind in DATETIME | NUMERIC else _HINT,
        )
    return RangeOffset(offset.literal, preceding)


def _measures(distance: Literal, key: Type) -> bool:
    """Whether ``distance`` can be added to a sort key of the type ``key``.

    Defines: S-506.g
    """
    kind = distance.type.kind
    match key.kind:
        case Kind.TIMESTAMP:
            return kind in INTERVAL
        case Kind.TIME:
            return kind is Kind.MILLIS
        case Kind.DATE:
            days = isinstance(distance.value, int) and distance.value % MILLIS_PER_DAY == 0
            return kind is Kind.MONTHS or (kind is Kind.MILLIS and days)
        case Kind.MONTHS | Kind.MILLIS:
            return kind is key.kind
        case _:
            return key.kind in NUMERIC and kind in NUMERIC


def _bad(
    message: str,
    node: tree.Frame | tree.FrameBound | tree.Expression,
    environment: Environment,
    hint: str = _HINT,
) -> SqlError:
    """The error BAD_FRAME at ``node``; in place of a whole frame, `_FRAME` is suggested."""
    other = (replacement(_FRAME, node.span, _FRAME),) if isinstance(node, tree.Frame) else ()
    return environment.refusal(Code.BAD_FRAME, message, node.span, hint, lambda: other)
