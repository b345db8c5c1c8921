"""The input of the judgement on rows: a backend's rows and those of the case, read and compared."""

from dataclasses import dataclass

from tck.corpus.case import Case
from tck.judging.rows.equality import Classes, classes
from tck.judging.rows.matching import Matching, match_rows
from tck.judging.rows.reading import ReadRow, read_rows
from tck.protocol import Accepted, ColumnInfo
from tck.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a transcript and of its case, read by the types of the case's result.

    ``expected`` has the rows of the case, in the order of the file; ``actual`` has the emitted
    rows, in the order of emission; ``steps`` has the step, from 0, of each emitted row.
    ``columns`` are those of the result.  ``accepted`` is the backend's answer to the query.
    ``classes`` has a number for each row, the same for equal rows.  ``matching`` pairs emitted rows
    with equal expected rows.
    """

    case: Case
    columns: tuple[ColumnInfo, ...]
    accepted: Accepted
    transcript: Transcript
    expected: tuple[ReadRow, ...]
    actual: tuple[ReadRow, ...]
    steps: tuple[int, ...]
    classes: Classes
    matching: Matching


def read_answer(case: Case, accepted: Accepted, transcript: Transcript) -> Answer:
    """Read the rows of a transcript and of its case; the case must have the types of its result."""
    assert case.result is not None, "the runner judges no case without them"
    expected = read_rows(case.all_rows, case.result, case.date)
    actual = read_rows(transcript.rows, case.result, None, accepted.columns)
    steps = tuple(
        step for step, output in enumerate(transcript.outputs) for _ in range(len(output.rows))
    )
    row_classes = classes(expected, actual)
    return Answer(
        case=case,
        columns=case.result,
        accepted=accepted,
        transcript=transcript,
        expected=expected,
        actual=actual,
        steps=steps,
        classes=row_classes,
        matching=match_rows(row_classes),
    )
