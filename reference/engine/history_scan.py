"""Scans of a stream's history: the rows that a query can read, and whether they suffice."""

from collections.abc import Mapping
from typing import TypeAlias

from algebra.catalog import History, QualifiedName, Stream
from algebra.expression import Value
from algebra.metadata.history import NeededHistory, needed_history
from algebra.parts.mentions import scans
from algebra.plan import Plan, Reads
from algebra.prepare import Prepared
from grammar.codes import Code
from reference.environment import Environment
from reference.evaluate import Contents, World
from reference.ingress import Ingress, Ingresses
from reference.relation import Relation
from reference.scalar.expression import value_of
from reference.values import failure, integer

#: The greatest rowtime, in milliseconds, of the rows that a stream has evicted; by its name.
Expired: TypeAlias = Mapping[QualifiedName, int]


def history_streams(prepared: Prepared) -> set[QualifiedName]:
    """The streams whose history the query or a standing statement reads."""
    found = [] if prepared.query is None else list(scans(prepared.query))
    found += [scan for each in prepared.standing for scan in scans(each.input)]
    return {each.source.name for each in found if each.reads is Reads.HISTORY}


def remembered(world: World, ingresses: Ingresses) -> World:
    """``world``, where the history of each stream starts at the `horizon` of the stream."""
    retained = {
        name: _rows_in_history(rows, ingresses[name]) for name, rows in world.histories.items()
    }
    return world._replace(histories=retained)


def _rows_in_history(rows: Relation, ingress: Ingress) -> Relation:
    """The ``rows`` of a stream that are not below its `horizon`."""
    retained = (row for row in rows if is_retained(integer(row[ingress.rowtime]), ingress))
    return rows if horizon(ingress) is None else list(retained)


def horizon(ingress: Ingress) -> int | None:
    """The least rowtime of a stream's history, in milliseconds; None: all rows are in the history.

    It is None for a table, for an unlimited history, and for a stream without a rowtime column or
    without a bound yet.
    """
    match ingress.source:
        case Stream(history=History(int(millis))) if ingress.rowtime >= 0:
            return None if ingress.bound is None else ingress.bound - millis
        case _:
            return None


def is_retained(rowtime: int, ingress: Ingress) -> bool:
    """Whether a row of that rowtime, in milliseconds, is in the stream's history.

    Defines: S-308.j
    """
    oldest = horizon(ingress)
    return oldest is None or rowtime >= oldest


def check_history(
    plan: Plan, histories: Contents, expired: Expired, ingresses: Ingresses, env: Environment
) -> None:
    """Raise INSUFFICIENT_HISTORY if ``plan`` needs rows that a stream had and no longer retains.

    ``histories`` may hold rows below the horizon; ``expired`` has the greatest rowtime of the rows
    that each stream has dropped.

    Defines: S-308.b
    """
    for need in needed_history(plan):
        name = need.scan.source.name
        ingress = ingresses[name]
        if horizon(ingress) is None:
            continue
        rowtimes = [integer(row[ingress.rowtime]) for row in histories.get(name, ())]
        rowtimes += [expired[name]] if name in expired else []
        # ``need.since`` is evaluated only if there is a rowtime to compare it with.
        since = None if need.since is None or not rowtimes else value_of(need.since, (), env)
        if any(
            is_needed(each, need, since) and not is_retained(each, ingress) for each in rowtimes
        ):
            raise failure(
                Code.INSUFFICIENT_HISTORY,
                f"the history of {'.'.join(need.scan.source.name)} does not reach back far enough",
                "ask for later rowtimes, or declare a longer history",
                need.scan.location,
            )


def is_needed(rowtime: int, need: NeededHistory, since: Value) -> bool:
    """Whether a query needs a row of that rowtime.

    ``since`` is the value of the expression ``need.since``, the least needed rowtime.  The query
    needs all rows if ``need`` has no such expression, and no row if ``since`` is NULL.

    Defines: S-308.g
    """
    if need.since is None:
        return True
    return since is not None and rowtime >= integer(since)
