"""Estimates the cost of each case: the number of queries that the Spark backends evaluate for it.

The costs are not measured, so they are the same on every machine.  Measurements have shown that the
time of a case depends mostly on its queries: each step of a streaming query took about as long as
a query over tables, and the number of rows had little influence.
"""

from collections.abc import Mapping, Sequence

from algebra.catalog import Profile
from algebra.plan import Changes, Delta
from algebra.prepare import Prepared
from grammar.source import SqlError
from rowtime.score.plans import Plans
from tck.corpus.case import Case


def costs(cases: Sequence[Case], plans: Plans) -> Mapping[str, int]:
    """The cost of each case, by its id: the number of queries evaluated for the case, plus 1."""
    return {case.id: 1 + _evaluations(case, plans) for case in cases}


def _evaluations(case: Case, plans: Plans) -> int:
    """The number of queries that the two Spark backends evaluate for a case.

    One backend evaluates a streaming query once as a whole, and the other once at each step.  They
    share the answer of a query over tables.  A query that is refused, or of which only the metadata
    is judged, is not evaluated.
    """
    if not case.runs:
        return 0
    try:
        prepared = plans.prepare(case.ddl, case.sql, Profile(case.profile))
    except SqlError:
        return 0
    return 1 + max(1, len(case.steps)) if _is_streaming(prepared) else 1


def _is_streaming(prepared: Prepared) -> bool:
    """Whether a case has a streaming query, or standing statements."""
    return isinstance(prepared.query, Delta | Changes) or bool(prepared.standing)
