"""Checks that reject joins that cannot be streamed (S-508, S-509, S-510).

They find outer joins that preserve a table, infinite windows, and joins that are not in lock step.
"""

from functools import partial

from algebra.binding.scope.environment import Environment, Modality
from algebra.binding.scope.streaming import source_name, sources
from algebra.monotonicity.lockstep import MissingInequality, Naming, lockstep
from algebra.plan import Join, is_streaming
from algebra.refusal import suggest_join
from algebra.refusal.suggest_lockstep import suggest_inequalities
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError


def check_preserved(plan: Join, node: tree.Join, environment: Environment) -> None:
    """S-508: an outer join with a stream does not preserve a table.

    To preserve a side is to emit its unmatched rows.  Each row of a table may still match a later
    row of the stream, so it is never known to be unmatched.

    Defines: S-508.e
    """
    if environment.modality is not Modality.STREAM:
        return
    sides = ((plan.left, plan.right, node.left), (plan.right, plan.left, node.right))
    preserved = (plan.kind.preserves_left, plan.kind.preserves_right)
    for (side, other, item), keeps in zip(sides, preserved, strict=True):
        if keeps and not is_streaming(side) and is_streaming(other):
            names = ", ".join(source_name(each) for each in sources(item))
            environment.fault(
                Code.TABLE_PRESERVED,
                f"Cannot preserve table '{names}' in an outer join with a stream",
                item.span,
                "preserve the stream: stream LEFT JOIN table",
                partial(
                    suggest_join.suggest_without_unmatched, node, item is node.left, environment.sql
                ),
            )


def infinite_window(
    spec: tree.WindowSpec, frame: tree.Frame | None, environment: Environment
) -> SqlError | None:
    """S-509: a window on a side of a join is finite.  Returns the refusal; None if it is finite.

    ``spec`` is the window.  ``frame`` is its frame, or that of the named window that it refines;
    None if neither has a frame.

    Defines: S-509.i
    """
    message, hint = (
        "the window of a join must be finite",
        "OVER (RANGE INTERVAL '10' MINUTE PRECEDING)",
    )
    if frame is None:
        suggestions = partial(suggest_join.suggest_frame, spec, environment.sql)
        return environment.refusal(Code.INFINITE_WINDOW, message, spec.span, hint, suggestions)
    for bound in (frame.start, frame.end):
        if bound is not None and bound.kind.value.startswith("UNBOUNDED"):
            finite = partial(suggest_join.suggest_finite_end, bound, frame.unit)
            return environment.refusal(Code.INFINITE_WINDOW, message, bound.span, hint, finite)
    return None


def check_lock_step(
    join: Join,
    node: tree.Join,
    naming: Naming,
    select: tree.Select,
    environment: Environment,
) -> bool:
    """S-510: the conditions of a join of two streams bound the distance between the two rows.

    Returns True if they do, or if the query is not streaming.  ``node`` is the syntax of ``join``,
    and ``select`` the SELECT around it.  ``naming`` gives the names of the join's columns in the
    query.

    Defines: S-510.o, S-802.f
    """
    if environment.modality is not Modality.STREAM:
        return True
    found = lockstep(join, naming=naming)
    if not isinstance(found, MissingInequality):
        return True
    environment.fault(
        Code.NO_LOCK_STEP,
        f"Cannot join two streams that are not in lock step: {found.reason}",
        node.span if node.on is None else node.on.span,
        found.hint,
        partial(suggest_inequalities, join, node, naming, select, environment.sql),
    )
    return False
