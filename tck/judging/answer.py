"""A backend's answer to a legal query: its rows next to those of the case, all read once."""

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
    ``columns`` are those of the result.  ``classes`` numbers the rows, equal rows alike, and
    ``matching`` pairs emitted rows with expected ones.
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
    """The answer to a case; the types of the case's result must be known."""
    assert case.result is not None, "the runner judges no case without them"
    expected = read_rows(case.all_rows, case.result, case.date)
    actual = read_rows(transcript.rows, case.result, None, accepted.columns)
    steps = tuple(
        step for step, output in enumerate(transcript.outputs) for _ in range(len(output.rows))
    )
    equal = classes(expected, actual)
    return Answer(
        case=case,
        columns=case.result,
        accepted=accepted,
        transcript=transcript,
        expected=expected,
        actual=actual,
        steps=steps,
        classes=equal,
        matching=match_rows(equal),
    )
