"""Windows that name another window: they get its clauses, and can add their own (E-22)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from algebra.binding.scope.environment import Environment
from algebra.binding.scope.meant import names_meant
from grammar import tree
from grammar.codes import Code
from grammar.source import Span, SqlError


def named_windows(
    clause: Sequence[tree.NamedWindow], environment: Environment
) -> dict[str, tree.WindowSpec]:
    """The windows of a WINDOW clause by name; each may refine those before it."""
    found: dict[str, tree.WindowSpec] = {}
    for each in clause:
        if each.name.name in found:
            raise environment.error(
                Code.DUPLICATE_NAME,
                f"Duplicate window name '{each.name.name}'",
                each.name.span,
                f"{each.name.name}2 AS (…)",
            )
        found[each.name.name] = resolved(each.spec, found, environment)
    return found


def resolved(
    spec: tree.WindowSpec, windows: Mapping[str, tree.WindowSpec], environment: Environment
) -> tree.WindowSpec:
    """``spec`` with the clauses of the window that it names; ``spec`` itself if it names none.

    ``windows`` are the named windows of the SELECT.  UNKNOWN_WINDOW if none of them has the name.
    BAD_WINDOW if both windows have PARTITION BY or both ORDER BY, or if the named window has a
    frame and ``spec`` adds anything.

    Defines: S-505.u
    """
    if spec.base is None:
        return spec
    base = windows.get(spec.base.name)
    if base is None:
        known = ", ".join(windows) or "none"
        raise environment.refusal(
            Code.UNKNOWN_WINDOW,
            f"Window '{spec.base.name}' not found",
            spec.base.span,
            f"define it: WINDOW {spec.base.name} AS (…); the windows of this SELECT: {known}",
            partial(names_meant, spec.base, list(windows)),
        )
    if spec.partition and base.partition:
        raise _repeated("PARTITION BY", _span(spec.partition), spec.base.name, environment)
    if spec.order and base.order:
        raise _repeated("ORDER BY", _span(spec.order), spec.base.name, environment)
    if base.frame is not None and (spec.frame or spec.order or spec.partition):
        added = spec.frame.span if spec.frame else _span(spec.order or spec.partition)
        raise environment.error(
            Code.BAD_WINDOW,
            f"Window '{spec.base.name}' has a frame and cannot be refined",
            added,
            f"OVER {spec.base.name}, or leave the frame out of it",
        )
    return replace(
        spec,
        base=None,
        partition=spec.partition or base.partition,
        order=spec.order or base.order,
        frame=spec.frame or base.frame,
    )


def _span(nodes: Sequence[tree.Expression] | Sequence[tree.SortItem]) -> Span:
    return nodes[0].span.to(nodes[-1].span)


def _repeated(clause: str, at: Span, window: str, environment: Environment) -> SqlError:
    return environment.error(
        Code.BAD_WINDOW,
        f"{clause} is already defined by window '{window}'",
        at,
        f"leave {clause} out here",
    )
