"""Binding of ASOF JOIN: its keys and its MATCH_CONDITION (S-904)."""

from collections.abc import Sequence
from typing import Final

from algebra.binding.expression.bind_expression import bind_condition
from algebra.binding.expression.scopes import RowScope
from algebra.binding.query.bind_from import Item
from algebra.binding.query.where_in_joins import conjunction
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.names import FromRow
from algebra.build import compared, equal
from algebra.expression import Call, Expression, Op
from algebra.parts.asof import SWAPPED
from algebra.plan import AsofJoin, Plan, row_type
from algebra.refusal.validate_asof import check_asof
from algebra.rewrite import columns_of, conjuncts, has_subquery
from algebra.types import DATETIME, EXACT
from grammar import tree
from grammar.codes import Code

_KEYS_ADVICE: Final = (
    "equate a column of each side: ON l.k = r.k; or leave ON out; filter a side in a sub-query"
)
_MATCH_ADVICE: Final = "compare a time of each side: MATCH_CONDITION (l.t >= r.t)"


def bind_asof(
    node: tree.Join,
    sides: tuple[Plan, Plan],
    both: FromRow,
    conditions: Sequence[Expression],
    items: tuple[Item | None, Item | None],
    environment: Environment,
) -> AsofJoin:
    """The ASOF join of two bound ``sides``; ``both`` has the columns of both sides.

    ``conditions`` are those of ON and USING.  ``items`` has each side as a FROM item, None if the
    side is a join.  NOT_SUPPORTED for a condition that does not equate an
    expression of each side, for a MATCH_CONDITION that is not one comparison of the two sides, and
    for OVER on a side or FOR SYSTEM_TIME on the right one; TYPE_MISMATCH for times that are texts,
    DOUBLEs or the like.

    Defines: S-904.b, S-904.c, S-904.d, S-904.q
    """
    assert node.match is not None, "an ASOF JOIN has a MATCH_CONDITION"
    _check_items(node, items, environment)
    width = len(row_type(sides[0]))
    keys = [
        _equated(each, width, node, environment)
        for condition in conditions
        for each in conjuncts(condition)
    ]
    scope = RowScope(environment, both, "MATCH_CONDITION")
    match = _match(bind_condition(node.match, scope), node.match, width, environment)
    plan = AsofJoin(*sides, node.kind, conjunction(*keys), match)
    check_asof(plan, node, environment)
    return plan


def _check_items(
    node: tree.Join, items: tuple[Item | None, Item | None], environment: Environment
) -> None:
    """Refuse OVER on a side, and FOR SYSTEM_TIME on the right side."""
    left, right = items
    for each in (left, right):
        if each is not None and each.over is not None:
            raise environment.error(
                Code.NOT_SUPPORTED,
                "OVER is not allowed in an ASOF JOIN",
                each.over.span,
                "leave OVER out: MATCH_CONDITION says which rows are joined",
            )
    if right is not None and right.system_time is not None:
        raise environment.error(
            Code.NOT_SUPPORTED,
            "FOR SYSTEM_TIME is not allowed on the right side of an ASOF JOIN",
            node.right.span,
            "leave it out, or join the version with JOIN t FOR SYSTEM_TIME AS OF o.rowtime",
        )


def _is_left_first(call: Expression, width: int) -> bool | None:
    """Whether the first operand of a call reads the left row, and the second the right row.

    ``width`` is the number of columns of the left row.  False: the operands are in the other order.
    None: the call does not have exactly one operand of each side.
    """
    if not isinstance(call, Call) or len(call.operands) != 2 or has_subquery(call):
        return None
    used = [columns_of(each) for each in call.operands]
    left = [bool(each) and all(place < width for place in each) for each in used]
    right = [bool(each) and all(place >= width for place in each) for each in used]
    if (left[0] and right[1]) or (right[0] and left[1]):
        return left[0]
    return None


def _equated(
    condition: Expression, width: int, node: tree.Join, environment: Environment
) -> Expression:
    """The equality ``condition`` with the expression of the left row first; else NOT_SUPPORTED."""
    left_first = _is_left_first(condition, width)
    if not isinstance(condition, Call) or condition.op is not Op.EQUAL or left_first is None:
        raise environment.error(
            Code.NOT_SUPPORTED,
            "ON of an ASOF JOIN only equates expressions of the two sides",
            node.span if node.on is None else node.on.span,
            _KEYS_ADVICE,
        )
    a, b = condition.operands
    return condition if left_first else equal(b, a)


def _match(
    condition: Expression, node: tree.Expression, width: int, environment: Environment
) -> Call:
    """The comparison ``condition`` with the time of the left row first; ``node`` is its syntax."""
    left_first = _is_left_first(condition, width)
    if not isinstance(condition, Call) or condition.op not in SWAPPED or left_first is None:
        raise environment.error(
            Code.NOT_SUPPORTED,
            "MATCH_CONDITION is one comparison (>=, >, <=, <) of the two sides",
            node.span,
            _MATCH_ADVICE,
        )
    a, b = condition.operands
    if a.type.kind not in DATETIME | EXACT:
        raise environment.error(
            Code.TYPE_MISMATCH,
            f"MATCH_CONDITION compares times or exact numbers, not {a.type}",
            node.span,
            _MATCH_ADVICE,
        )
    return condition if left_first else compared(SWAPPED[condition.op], b, a)
