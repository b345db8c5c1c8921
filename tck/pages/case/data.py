"""Write the cases of a subject as data, from which the script of their page draws them."""

from collections.abc import Iterator, Mapping, Sequence

from tck.corpus.case import Case
from tck.drawing.picture import Picture
from tck.judging.verdict import VERDICTS
from tck.pages.case.answers import Line, StepAnswer
from tck.pages.case.sql import keywords
from tck.pages.case.view import CaseView, EngineAnswer
from tck.pages.engines import Engine
from tck.pages.packed import Data


def case_page_data(views: Sequence[CaseView], engines: Sequence[Engine]) -> Data:
    """The data of the page of a subject: an object with the keys below.

    ``chapter``, ``subject``: the names of the subject and of its chapter.  ``engines``: a pair
    (label, file name of its page) for each engine of the parameter ``engines``.  ``keywords``: the
    keywords in the SQL of the cases.  ``verdicts``: `VERDICTS`.  ``statements``: by id, the text of
    the source and the correct text that an erratum gives, or "".  ``cases``: the cases in the order
    of the page; an empty member of a case is left out.  ``unknown``: the ids of the cases that the
    corpus does not have.
    """
    first = views[0].item
    cases = [view.item.case for view in views if view.item.case]
    texts = [text for case in cases for text in (case.sql, case.ddl, case.equal_to) if text]
    return {
        "chapter": first.chapter,
        "subject": first.subject,
        "unknown": [view.item.id for view in views if view.item.case is None],
        "engines": [(engine.label, engine.page) for engine in engines],
        "keywords": keywords(texts),
        "verdicts": VERDICTS,
        "statements": {
            id: (statement.says, statement.right or "")
            for view in views
            for id, statement in view.cites
            if statement is not None
        },
        "cases": [_case(view, engines) for view in views],
    }


def _case(view: CaseView, engines: Sequence[Engine]) -> Data:
    """The data of a case; the engines are given by their places in ``engines``."""
    item, case = view.item, view.item.case
    file = "/".join(item.place.file.split("/")[-3:])  # the last two folders and the name
    return _filled(
        id=item.id,
        why=case.why if case else "",
        cites=[id for id, _ in view.cites],
        needs=item.needs,
        place=f"{file}:{item.place.line}",
        columns=[column.name for column in view.columns],
        steps=[_step(step) for step in view.steps],
        drawing=picture_data(view.drawing),
        answers=[_answer(answer, engines) for answer in view.answers],
        outdated=[place for place, engine in enumerate(engines) if engine.label in view.outdated],
        **(_corpus_data(case) if case else {}),
    )


def _corpus_data(case: Case) -> dict[str, Data]:
    """The data of a case that the corpus has."""
    report = case.report
    return {
        "report": (report.link, f"{report.engine}, {report.version}", report.symptom)
        if report
        else None,
        "sql": _lines(case.sql),
        "ddl": _lines(case.ddl),
        "facts": list(_facts(case)),
        "equal_to": _lines(case.equal_to),
        "plan": _lines(case.plan),
    }


def _facts(case: Case) -> Iterator[Data]:
    """Sentences about the expectations besides rows.

    Each is a list of alternating pieces: a text, then code, then a text, and so on.
    """
    if case.error:
        at = (" at ", case.error.text) if case.error.text else ()
        yield ("The query must be refused: ", case.error.code, *at, ".")
    if case.accepted:
        yield ("It must be accepted.",)
    if case.schema is not None:
        columns = [
            f"{each.name} {each.type}{'' if each.nullable else ' NOT NULL'}" for each in case.schema
        ]
        pieces = [piece for column in columns for piece in (", ", column)]
        yield ("Its columns: ", *pieces[1:], ".")  # no comma before the first
    for name, value in case.monotonicity.items():
        yield ("", name, f" is {value}.")
    for name, value in case.metadata.items():
        yield (f"{name}: ", str(value))


def _answer(answer: EngineAnswer, engines: Sequence[Engine]) -> Data:
    """The data of the answer of an engine, which is given by its place in ``engines``.

    The detail of the verdict is left out if the steps are shown.
    """
    entry, known, refused = answer.entry, answer.entry.known, answer.refused
    return _filled(
        engine=engines.index(answer.engine),
        state=answer.state,
        kind=str(entry.verdict.kind or ""),
        marks=(entry.marks.rows, entry.marks.order, entry.marks.time),
        tier=entry.tier,
        reason=entry.verdict.reason,
        known=(known.verdict or "", known.reason) if known else None,
        refused=(refused.code, refused.message, _lines(refused.rendered)) if refused else None,
        steps=[_step(step) for step in answer.steps],
        drawing=picture_data(answer.drawing),
        detail=() if answer.steps else entry.verdict.detail,
        why=entry.why,
    )


def _step(step: StepAnswer) -> Data:
    """A step as an array: its events, its lines of rows, and the facts about it."""
    return (step.events, [_line(line) for line in step.lines], step.facts)


def _line(line: Line) -> Data:
    """A line of a step as an array.

    If both rows are the same, or if the line only shows an expectation, the array has the values of
    the row.  If not, it has the comparison, the expected values, the emitted values, the places of
    the differing columns, and a note.
    """
    if line.comparison == "same" and line.actual in (None, line.expected) and not line.note:
        return line.expected
    differing = sorted(line.differing)
    return (line.comparison, line.expected, line.actual, differing, line.note)


def picture_data(picture: Picture | None) -> Data:
    """A picture without tooltips and ties, as lists; None if there is no picture.

    ``paths`` are (classes, path), ``texts`` are (classes, x, y, text, anchor), and ``marks`` are
    (classes, path, x, y).  A later member of a list is drawn above an earlier one.
    """
    if picture is None:
        return None
    curves = [*picture.rules, *picture.bounds, *(e for row in picture.rows for e in row.curves)]
    labels = [*(each for row in picture.rows for each in row.labels), *picture.labels]
    marks = [*(each for row in picture.rows for each in row.marks), *picture.marks]
    return {
        "title": picture.title,
        "size": (picture.width, round(picture.height, 1)),
        "plot": [round(each, 1) for each in picture.plot],
        "paths": [
            *([("done", picture.done)] if picture.done else []),
            *((each.look, each.path) for each in curves),
        ],
        "texts": [
            (each.look, round(each.x, 1), round(each.y, 1), each.text, each.anchor)
            for each in labels
        ],
        "marks": [(each.look, each.path, round(each.x, 1), round(each.y, 1)) for each in marks],
    }


def _lines(text: str | None) -> list[str]:
    """The lines of a text, without blank lines at its start and end; none if there is no text."""
    return text.strip().splitlines() if text else []


def _filled(**members: Data) -> Mapping[str, Data]:
    """The members that have a value: no empty text, no empty list, and not None."""
    return {name: value for name, value in members.items() if value not in ("", None, [], ())}
