"""The check that rejects ASOF joins that cannot be streamed (S-904)."""

from algebra.binding.scope.environment import Environment, Modality
from algebra.binding.scope.streaming import is_descending, source_name, sources
from algebra.expression import Op
from algebra.parts.asof import asof_of
from algebra.plan import AsofJoin, is_streaming
from grammar import tree
from grammar.codes import Code


def check_asof(plan: AsofJoin, node: tree.Join, environment: Environment) -> None:
    """Note a fault of an ASOF join whose right side is a stream, if the join cannot be streamed.

    The left side must be a stream, too.  The partner of a left row must be the last right row at
    or before it, not the first one after it.  The times of both sides must ascend (S-904).

    Defines: S-904.j, S-904.k, S-904.l
    """
    if environment.modality is not Modality.STREAM or not is_streaming(plan.right):
        return
    assert node.match is not None, "an ASOF JOIN has a MATCH_CONDITION"
    if not is_streaming(plan.left):
        names = ", ".join(source_name(each) for each in sources(node.left))
        environment.fault(
            Code.TABLE_PRESERVED,
            f"Cannot join each row of table '{names}' with the nearest row of a stream",
            node.left.span,
            "swap the sides: stream ASOF JOIN table",
        )
        return
    asof = asof_of(plan)
    if not asof.backward:
        op = Op.GREATER if asof.strict else Op.GREATER_OR_EQUAL
        environment.fault(
            Code.NO_LOCK_STEP,
            "Cannot wait for the next row of a key in a stream: it may never arrive",
            node.match.span,
            f"match the row before: l.t {op} r.t",
        )
        return
    times = ((plan.left, asof.left_time, "left"), (plan.right, asof.right_time, "right"))
    for side, time, name in times:
        # True: the time descends; None: it neither ascends nor descends.
        if is_descending(side, time, environment.profile) is not False:
            environment.fault(
                Code.NO_LOCK_STEP,
                f"Cannot match two streams by a time that does not ascend: that of the {name} side",
                node.match.span,
                "compare ascending columns: MATCH_CONDITION (l.rowtime >= r.rowtime)",
            )
            return
