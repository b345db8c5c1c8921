"""Collect the contents of a case on its page: the expectation, and each engine's answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tck.corpus.ledger import Entry as Statement
from tck.corpus.ledger import entry_of
from tck.drawing.draw import INSET, picture_of
from tck.drawing.picture import Picture
from tck.judging.verdict import Kind, Mark
from tck.pages.age import is_older
from tck.pages.case.answers import (
    Question,
    StepAnswer,
    compared_answer,
    cut_lines,
    expected_answer,
    question_of,
)
from tck.pages.case.timelines import timeline_of
from tck.pages.case.transcripts import transcript_of
from tck.pages.engines import Engine
from tck.pages.items import Item
from tck.protocol import ColumnInfo, Refused
from tck.report.record import Entry
from tck.report.states import State


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The result of an engine on a case, and its answer.

    ``steps`` are empty if the engine did not run the query.  ``drawing`` is None if rows and steps
    are as expected, if only the order of the rows is wrong, which a timeline does not show, or if
    nothing can be drawn.  ``refused`` is the refusal of the query; None: the engine did not refuse
    it.
    """

    engine: Engine
    state: State
    entry: Entry
    steps: tuple[StepAnswer, ...] = ()
    drawing: Picture | None = None
    refused: Refused | None = None


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case on its page.

    ``cites`` has the ids that it cites, each with its statement, or None if the ledger does not
    have it.  ``columns`` are those of the result, empty if they are not known.  ``steps`` are the
    expected steps, and ``drawing`` is a picture of them.  ``outdated`` has the labels of the
    engines that ran the case before it changed.
    """

    item: Item
    cites: tuple[tuple[str, Statement | None], ...]
    columns: tuple[ColumnInfo, ...]
    steps: tuple[StepAnswer, ...]
    drawing: Picture | None
    answers: tuple[EngineAnswer, ...]
    outdated: frozenset[str]


def case_view(
    item: Item,
    engines: Sequence[Engine],
    statements: Mapping[str, Statement],
    digests: Mapping[str, str],
) -> CaseView:
    """The view of a case; ``digests`` has those of the cases of the corpus, by id."""
    found = [(e, entry) for e in engines if (entry := e.entries.get(item.id))]
    question = question_of(item.case) if item.case else None
    steps: tuple[StepAnswer, ...] = ()
    drawing = None
    if question and item.case and item.case.lists_rows and item.case.result is not None:
        steps = expected_answer(question)
        timeline = timeline_of(item.case, f"{item.id}: the expected answer", steps)
        drawing = picture_of(timeline, INSET) if timeline else None
    return CaseView(
        item=item,
        cites=tuple((id, statements.get(entry_of(id))) for id in item.cites),
        columns=(item.case.result if item.case else None) or (),
        steps=cut_lines(steps),
        drawing=drawing,
        answers=tuple(_answer(question, engine, entry) for engine, entry in found),
        outdated=frozenset(each.label for each in engines if is_older(each, item.id, digests)),
    )


def _answer(question: Question | None, engine: Engine, entry: Entry) -> EngineAnswer:
    """The answer of an engine to a case; ``question`` None: the corpus does not have the case."""
    state, transcript = engine.state(entry.case), transcript_of(entry.transcript)
    if transcript is None or question is None:
        return EngineAnswer(engine, state, entry)
    if isinstance(transcript.answer, Refused):
        return EngineAnswer(engine, state, entry, refused=transcript.answer)
    kind = entry.verdict.kind
    steps = compared_answer(question, transcript, kind)
    drawing = None
    differs = any(line.comparison != "same" for step in steps for line in step.lines)
    if differs and kind is not Kind.ORDER:
        timed = entry.marks.time is Mark.FAIL
        title = f"{entry.case}: what {engine.label} answered"
        timeline = timeline_of(question.case, title, steps, timed=timed)
        drawing = picture_of(timeline, INSET) if timeline else None
    return EngineAnswer(engine, state, entry, cut_lines(steps), drawing)
