"""The answer of an engine to a case, from its report, as the cells of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from docs.docket.gaps import skip_reason
from engines.harness.reports import EngineReport
from engines.harness.steps import rows_text
from tck.corpus.case import Case
from tck.judging.verdict import Outcome
from tck.report.record import Entry
from tck.report.transcript_fields import OutputFields, TranscriptFields

#: The text of a cell if no row is emitted.
NO_ROWS: Final = "none"
#: Longer messages of engines are cut.
_LONGEST: Final = 160


@dataclass(frozen=True, slots=True)
class Answer:
    """An engine's answer: its ``cells``, one for each step that is shown, and the ``verdict``.

    A refusal has one cell, which stands for all steps.  ``differs``: the engine gives another
    answer; it is false if the engine's documentation says that a feature is missing.
    """

    engine: str
    tier: str
    cells: tuple[str, ...]
    verdict: str
    agrees: bool
    differs: bool


@dataclass(frozen=True, slots=True)
class NotAsked:
    """An engine that gave no answer to the case, and the ``reason``."""

    engine: str
    reason: str


def answers(case: Case, reports: Sequence[EngineReport]) -> list[Answer | NotAsked]:
    """The answer of each engine to ``case``, in the order of the reports."""
    found: list[Answer | NotAsked] = []
    for report in reports:
        name = f"{report.name} {report.hello.version}"
        entry = next((each for each in report.entries if each.case == case.id), None)
        if entry is None:
            found.append(NotAsked(name, "its last run did not include the case"))
        elif entry.verdict.outcome is Outcome.SKIP:
            found.append(NotAsked(name, skip_reason(report.folder, entry.verdict.reason)))
        else:
            found.append(_answer(case, name, report, entry))
    return found


def _answer(case: Case, name: str, report: EngineReport, entry: Entry) -> Answer:
    agrees = entry.verdict.outcome is Outcome.PASS
    known = report.known.get(case.id)
    page = f"../engines/{report.folder}.md"
    if agrees:
        verdict = "as ruled"
    elif known is None:
        verdict = f"[{entry.verdict.kind or 'ERROR'}]({page})"
    else:
        verdict = f"[{known.verdict}]({page}): {known.reason}"
    differs = not agrees and (known is None or known.verdict != "missing")
    return Answer(name, entry.tier, _cells(case, entry.transcript), verdict, agrees, differs)


def _cells(case: Case, transcript: TranscriptFields | None) -> tuple[str, ...]:
    """The rows of each step, or of all steps in one cell if the case lists them as one result."""
    if transcript is None:
        return ("no answer",)
    refused = transcript.get("refused")
    if refused is not None:
        return (f"rejects the query: {message_text(refused['message'])}",)
    outputs = transcript["outputs"]
    if not outputs:
        return ("accepts the query",)
    if lists_steps(case):
        return tuple(_cell(case, [output]) for output in outputs)
    return (_cell(case, outputs),)


def lists_steps(case: Case) -> bool:
    """Whether the case lists its rows by the steps at which they are emitted."""
    return case.rows is None and bool(case.steps)


def _cell(case: Case, outputs: Sequence[OutputFields]) -> str:
    texts = [rows_text(case, output["rows"]) for output in outputs if output["rows"]]
    texts += [
        f"fails: {message_text(each['error']['message'])}" for each in outputs if each["error"]
    ]
    return ", ".join(texts) or NO_ROWS


def message_text(text: str) -> str:
    """The first line of a message of an engine, in the form in which a table can have it."""
    first = text.split("\\n")[0].strip()
    cut = first if len(first) <= _LONGEST else f"{first[:_LONGEST]}…"
    return cut.replace("|", r"\|").replace("<", r"\<")
