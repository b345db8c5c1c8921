"""The rows that a backend dropped at ingress, against those that it must drop (S-601)."""

from collections.abc import Iterator, Sequence

from tck.corpus.case import Case, ExpectedLate
from tck.corpus.steps.literals import row_literal
from tck.corpus.steps.texts import step_name
from tck.judging.row_faults import count
from tck.judging.rows.reading import read_rows, same_row
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import LateRow, Tier
from tck.transcript import Transcript


def dropped_row_faults(case: Case, transcript: Transcript, tier: Tier) -> Iterator[Verdict]:
    """The wrong codes and places, the rows not dropped, and the rows wrongly dropped.

    At ``final`` the dropped rows of all steps are compared together.  Above it they are compared
    step by step, because whether a row is late is known when it arrives.
    """
    if tier == "final":
        every = [late for step in case.steps for late in step.late]
        yield from _faults(case, every, transcript.late, "")
        return
    for i, output in enumerate(transcript.outputs):
        expected = case.steps[i].late if i < len(case.steps) else ()
        where = f"{step_name(case, i)}: " if case.steps else ""
        yield from _faults(case, expected, output.late, where)


def _faults(
    case: Case, expected: Sequence[ExpectedLate], actual: Sequence[LateRow], where: str
) -> Iterator[Verdict]:
    unmatched = list(actual)
    missing: list[ExpectedLate] = []
    for late in expected:
        same = [row for row in unmatched if _same(case, late, row)]
        if not same:
            missing.append(late)
            continue
        partner = min(same, key=lambda row: (not _there(late, row), row.code != late.code))
        unmatched.remove(partner)
        if partner.code != late.code:
            reason = f"{where}{_text(late)} was dropped as {partner.code}, not as {late.code}"
            yield failed(Kind.WRONG_CODE, reason)
        if not _there(late, partner):
            counted = f"row {partner.place} of {late.input}, not row {late.place}, from 0"
            reason = f"{where}{_text(late)} was dropped as {counted}"
            yield failed(Kind.WRONGLY_LATE, reason)
    if missing:
        detail = tuple(f"- {_text(late)}" for late in missing)
        yield failed(Kind.NOT_LATE, f"{where}{count(len(missing), 'row')} must be dropped", detail)
    if unmatched:
        detail = tuple(f"+ {_text(row)}: {row.code}: {row.reason}" for row in unmatched)
        reason = f"{where}{count(len(unmatched), 'row')} must not be dropped"
        yield failed(Kind.WRONGLY_LATE, reason, detail)


def _there(expected: ExpectedLate, actual: LateRow) -> bool:
    """Whether a dropped row has the expected place, as far as both are known."""
    return None in (expected.place, actual.place) or expected.place == actual.place


def _same(case: Case, expected: ExpectedLate, actual: LateRow) -> bool:
    """Whether a dropped row is the expected one: as written, or by the types of its columns."""
    if expected.input != actual.input:
        return False
    columns = case.columns.get(expected.input, ())
    if expected.row == tuple(actual.row):
        return True
    return same_row(*read_rows((expected.row, actual.row), columns))


def _text(late: ExpectedLate | LateRow) -> str:
    return f"{late.input}: {row_literal(late.row)}"
