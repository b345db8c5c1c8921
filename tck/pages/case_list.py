"""Write the list of all cases as data, from which the script of its page draws the rows."""

from collections.abc import Iterable, Sequence
from typing import Final

from tck.pages.engines import Engine
from tck.pages.items import Item
from tck.pages.packed import Data, Places

#: The number of characters of a query that the list shows.
_SHOWN: Final = 200


def case_list(items: Iterable[Item], engines: Sequence[Engine]) -> Data:
    """The data of the page that lists the cases.

    ``cases`` has an array for each case: its id, the start of its query, its chapter, its series,
    the capabilities that it needs, the statements that it cites, and its result on each engine.
    All but the first two are numbers: places in the lists of values that are the other members.  A
    result is the state, the kind of the failure, and the verdict of a known failure.
    """
    chapters, series, needs, cites, results = (Places() for _ in range(5))
    cases: list[Data] = [
        [
            item.id,
            _start_of_query(item),
            chapters.of(item.chapter),
            series.of((item.case and item.case.series) or ""),
            [needs.of(each) for each in item.needs],
            [cites.of(each) for each in item.cites],
            [results.of(_result(engine, item)) for engine in engines],
        ]
        for item in items
    ]
    return {
        "engines": [engine.label for engine in engines],
        "chapters": chapters.values,
        "series": series.values,
        "needs": needs.values,
        "cites": cites.values,
        "results": results.values,
        "cases": cases,
    }


def _start_of_query(item: Item) -> str:
    """The start of the query, or of the script, on one line; empty if the case is not known."""
    if item.case is None:
        return ""
    return " ".join((item.case.sql or item.case.ddl).split())[:_SHOWN]


def _result(engine: Engine, item: Item) -> tuple[str, str, str]:
    """The result of a case on an engine: its state, the kind of failure, and a verdict.

    The verdict is that of the known failure (`KnownFailure.verdict`).  A text is empty if the case
    does not have it, and the state is ``none`` if the engine has no result.
    """
    entry = engine.entries.get(item.id)
    if entry is None:
        return "none", "", ""
    known_verdict = (entry.known.verdict or "") if entry.known else ""
    return engine.state(item.id), str(entry.verdict.kind or ""), known_verdict
