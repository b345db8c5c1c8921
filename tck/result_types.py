"""Ask the reference for the types of a case's result, if the case does not declare them.

The kit needs these types to read and compare the rows of the case.
"""

from dataclasses import replace
from functools import lru_cache

from tck.backends import start_backend
from tck.corpus.case import Case
from tck.protocol import Accepted, ColumnInfo, Open
from tck.reasons import REFERENCE
from tck.wire.factory import installed
from tck.wire.faults import BackendFault, BackendStartError, UnknownBackendError


def typed(case: Case) -> Case:
    """The case with the types of its result, as the reference deduces them.

    The case is unchanged if it has the types already or does not run a query; also if the reference
    is not installed, rejects the query or fails.
    """
    if case.result is not None or not case.runs:
        return case
    try:
        return replace(case, result=deduced_types(case))
    except BackendFault:  # a fault of the reference must not end the run of another backend
        return case


def deduced_types(case: Case) -> tuple[ColumnInfo, ...] | None:
    """The columns of a case's query, as the reference deduces them.

    None if the reference is not installed or rejects the query. Raises `BackendFault` if it neither
    accepts nor rejects the query.
    """
    return _columns(Open(case.ddl, case.sql, case.profile))


@lru_cache(maxsize=1)  # the lines of a series share their query
def _columns(request: Open) -> tuple[ColumnInfo, ...] | None:
    """The columns with which a new process of the reference accepts a query, as `deduced_types`."""
    try:
        running = start_backend(REFERENCE) if REFERENCE in installed() else None
    except (BackendStartError, UnknownBackendError):
        running = None
    if running is None:
        return None
    try:
        answer = running.backend.open(request)
    finally:
        running.stop()
    return answer.columns if isinstance(answer, Accepted) else None
