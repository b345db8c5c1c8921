"""The costs of the cases: how many queries the Spark backends evaluate for each.

Nothing is measured, so the costs are the same on every machine.  When they were measured, the
steps of streaming queries explained most of the time of a case: each step took about as long as a
whole query over tables.  The number of rows had little influence.
"""

from collections.abc import Mapping, Sequence

from algebra.catalog import Profile
from algebra.plan import Changes, Delta
from algebra.prepare import Prepared
from grammar.source import SqlError
from rowtime.score.plans import Plans
from tck.corpus.case import Case


def costs(cases: Sequence[Case], plans: Plans) -> Mapping[str, int]:
    """The cost of each case by its id: 1 and the queries that are evaluated for the case."""
    return {case.id: 1 + _evaluations(case, plans) for case in cases}


def _evaluations(case: Case, plans: Plans) -> int:
    """How many queries the Spark backends evaluate for a case.

    A streaming query is evaluated once as a whole, and once at each step.  Both backends share the
    answer of a query over tables.  A query that is refused, or only judged, is not evaluated.
    """
    if not case.runs:
        return 0
    try:
        prepared = plans.prepare(case.ddl, case.sql, Profile(case.profile))
    except SqlError:
        return 0
    return 1 + max(1, len(case.steps)) if _is_streaming(prepared) else 1


def _is_streaming(prepared: Prepared) -> bool:
    """Whether a query is evaluated step by step, or standing statements are."""
    return isinstance(prepared.query, Delta | Changes) or bool(prepared.standing)
