"""One query on which engines disagree: their answers side by side, step by step, in Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engines.harness.reports import EngineReport
from tck.corpus.case import Case, CellRow
from tck.corpus.load import kit_corpus
from tck.corpus.permitted import permitted_rows
from tck.drawing.event_words import event_words
from tck.judging.rows.literals import cell_literal
from tck.protocol import Event, Rows, WireRow

#: A left join of two streams: at which event does an order without a shipment come?
CASE: Final = "order-without-shipment-is-forgotten-when-it-has-come-out-alone"
#: The other engines, with the names that their users know.
ENGINES: Final = {"flink-stream": "Flink", "sparknative": "Spark"}


def disagreement(reports: Sequence[EngineReport]) -> str:
    """The query of `CASE`, then a table with a line for each step and a column for each engine.

    A cell has the rows that the engine emits at that step; the column of the reference has what
    the case expects.  Raises ``StopIteration`` if an engine has no report, or no transcript of the
    case.
    """
    (case,) = kit_corpus().only([CASE]).cases
    found = [next(each for each in reports if each.name == name) for name in ENGINES]
    columns = [
        ["event", *(_event(case, step.events) for step in case.steps)],
        ["reference", *_expected(case)],
        *([f"{ENGINES[each.name]} {each.hello.version}", *_emitted(each, case)] for each in found),
    ]
    head, *body = (f"| {' | '.join(cells)} |" for cells in zip(*columns, strict=True))
    rule = f"|{'---|' * len(columns)}"
    return "\n".join([f"```sql\n{(case.sql or '').strip()}\n```\n", head, rule, *body])


def _event(case: Case, events: Iterable[Event]) -> str:
    """The events of a step in words."""
    texts: list[str] = []
    for event in events:
        rows = event.rows if isinstance(event, Rows) else ()
        words = event_words(event, lambda time: _short(case, time), *(_row(case, r) for r in rows))
        texts.append(": ".join(words))
    return "; ".join(texts)


def _expected(case: Case) -> Iterator[str]:
    """The rows that the case expects at each step."""
    permitted = permitted_rows(case)
    for place in range(len(case.steps)):
        yield "; ".join(_row(case, each.cells) for each in permitted if each.first == place)


def _emitted(report: EngineReport, case: Case) -> Iterator[str]:
    """The rows that an engine has emitted at each step."""
    entry = next(each for each in report.entries if each.case == case.id and each.transcript)
    outputs = entry.transcript["outputs"] if entry.transcript else []
    for output in outputs:
        yield "; ".join(_row(case, tuple(row)) for row in output["rows"])


def _row(case: Case, row: CellRow | WireRow) -> str:
    cells = (each if isinstance(each, str) else cell_literal(each) for each in row)
    return f"({', '.join(_short(case, each) for each in cells)})"


def _short(case: Case, text: str) -> str:
    """A time without the date that all times of the case have."""
    return text.removeprefix(f"{case.date} ")
