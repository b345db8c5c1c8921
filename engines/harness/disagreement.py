"""One query on which engines disagree: their answers side by side, step by step, in Markdown."""

from collections.abc import Iterator, Sequence
from typing import Final

from engines.harness.reports import EngineReport
from engines.harness.steps import events_text, expected_texts, rows_text
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus

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
        ["event", *(events_text(case, step.events) for step in case.steps)],
        ["reference", *expected_texts(case)],
        *([f"{ENGINES[each.name]} {each.hello.version}", *_emitted(each, case)] for each in found),
    ]
    head, *body = (f"| {' | '.join(cells)} |" for cells in zip(*columns, strict=True))
    rule = f"|{'---|' * len(columns)}"
    return "\n".join([f"```sql\n{(case.sql or '').strip()}\n```\n", head, rule, *body])


def _emitted(report: EngineReport, case: Case) -> Iterator[str]:
    """The rows that an engine has emitted at each step."""
    entry = next(each for each in report.entries if each.case == case.id and each.transcript)
    outputs = entry.transcript["outputs"] if entry.transcript else []
    for output in outputs:
        yield rows_text(case, output["rows"])
