"""UNION, INTERSECT and EXCEPT of multisets (ALL), and of sets; NULL is equal to NULL."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from grammar.tree import SetOperator
from reference.relation import Relation, Row, distinct, identity_of


def set_operation(inputs: Sequence[Relation], operator: SetOperator, all: bool) -> Relation:
    """Combine the inputs from left to right by ``operator``, UNION, INTERSECT or EXCEPT.

    If m and n rows on the two sides are equal, ALL keeps m + n, min(m, n) or max(m - n, 0) of them.
    If not ``all``, the result has one of them; but EXCEPT has none if n is not 0.  The rows keep
    their order, those of the left input first; of equal rows, the first ones are kept.
    """
    result, *others = inputs
    for other in others:
        result = _combined(result, other, operator, all)
    return result


def _combined(left: Relation, right: Relation, operator: SetOperator, all: bool) -> Relation:
    """The set operation on two inputs."""
    match operator:
        case SetOperator.UNION:
            both = list(chain(left, right))
            return both if all else distinct(both)
        case SetOperator.INTERSECT:
            return _partners(left if all else distinct(left), right, found=True)
        case SetOperator.EXCEPT if all:
            return _partners(left, right, found=False)
        case SetOperator.EXCEPT:
            excluded = set(map(identity_of, right))
            return [row for row in distinct(left) if identity_of(row) not in excluded]


def _partners(left: Relation, right: Relation, found: bool) -> Relation:
    """Pair each left row with an equal right row that is not paired yet.

    Returns the left rows that are paired (``found``), or those that are not, in their order.
    """
    free = Counter(map(identity_of, right))  # the numbers of right rows that are not paired
    matched: list[Row] = []
    for row in left:
        key = identity_of(row)
        takes = free[key] > 0
        free[key] -= takes
        if takes is found:
            matched.append(row)
    return matched
