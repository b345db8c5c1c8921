"""The definition of SESSION: each row with the start and the end of its session (S-902)."""

from typing import TypeAlias

from algebra.expression import Value
from algebra.plan import Session, gap_of
from algebra.types import Kind
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.relation import Relation, Row, identity_of
from reference.scalar.datetimes import of_instant
from reference.scalar.expression import meaning_of, row_of
from reference.values import integer

#: The identity of a row's keys, which is equal for rows with equal keys.
Key: TypeAlias = tuple[object, ...]


def in_sessions(plan: Session, rows: Relation, env: Environment) -> Relation:
    """The rows in their order, each with WINDOW_START and WINDOW_END of its session.

    Each row at time t has the half-open interval ``[t, t + gap)``.  A session is the union of
    overlapping intervals of rows with equal keys.  A row whose time is NULL is left out.  Raises
    OVERFLOW if a session ends after the year 9999.

    Defines: S-902.g, S-902.h
    """
    key_of, time_of, gap = row_of(plan.keys, env), meaning_of(plan.time, env), gap_of(plan)
    times: dict[Key, list[int]] = {}
    keyed: list[tuple[Row, Key, int]] = []
    for row in rows:
        if (time := time_of(row)) is not None:
            key = identity_of(key_of(row))
            times.setdefault(key, []).append(integer(time))
            keyed.append((row, key, integer(time)))
    edges = {key: _edges(sorted(own), gap, plan) for key, own in times.items()}
    return [(*row, *edges[key][time]) for row, key, time in keyed]


def _edges(times: list[int], gap: int, plan: Session) -> dict[int, tuple[Value, Value]]:
    """The start and end of the session of each time; ``times`` are the sorted times of one key."""
    found: dict[int, tuple[Value, Value]] = {}
    chain: list[int] = []
    for time, following in zip(times, [*times[1:], None], strict=True):
        chain.append(time)
        if following is None or following - time >= gap:
            end = _end(time + gap, plan)
            found.update((each, (chain[0], end)) for each in chain)
            chain = []
    return found


def _end(end: int, plan: Session) -> Value:
    """The end of a session as a TIMESTAMP; raises OVERFLOW, located at SESSION."""
    try:
        return of_instant(Kind.TIMESTAMP, end)
    except SqlError as error:
        raise located(error, plan.location) from None
