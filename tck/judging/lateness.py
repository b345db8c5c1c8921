"""Compare the rows that a backend dropped at ingress with those that it must drop (S-601)."""

from collections.abc import Iterator, Sequence

from tck.corpus.case import Case, ExpectedLate
from tck.corpus.steps.literals import row_literal
from tck.corpus.steps.texts import step_name
from tck.judging.row_faults import count_text
from tck.judging.rows.reading import read_rows, same_row
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import LateRow, Tier
from tck.transcript import Transcript


def dropped_row_faults(case: Case, transcript: Transcript, tier: Tier) -> Iterator[Verdict]:
    """Verdicts on wrong codes and places, rows not dropped, and rows wrongly dropped.

    At ``final`` the dropped rows of all steps are compared together.  At the tiers above they are
    compared step by step, because an engine knows whether a row is late when the row arrives.
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
    """The verdicts on the rows that were dropped (``actual``), compared with those ``expected``.

    ``where`` begins the reasons: it names the step, or is empty.
    """
    unmatched = list(actual)
    missing: list[ExpectedLate] = []
    for late in expected:
        same = [row for row in unmatched if _is_expected_row(case, late, row)]
        if not same:
            missing.append(late)
            continue
        # Of equal rows: preferably one with the right place, and then with the right code.
        partner = min(same, key=lambda row: (not _has_place(late, row), row.code != late.code))
        unmatched.remove(partner)
        if partner.code != late.code:
            reason = f"{where}{_text(late)} was dropped as {partner.code}, not as {late.code}"
            yield failed(Kind.WRONG_CODE, reason)
        if not _has_place(late, partner):
            counted = f"row {partner.place} of {late.input}, not row {late.place}, from 0"
            reason = f"{where}{_text(late)} was dropped as {counted}"
            yield failed(Kind.WRONGLY_LATE, reason)
    if missing:
        detail = tuple(f"- {_text(late)}" for late in missing)
        reason = f"{where}{count_text(len(missing), 'row')} must be dropped"
        yield failed(Kind.NOT_LATE, reason, detail)
    if unmatched:
        detail = tuple(f"+ {_text(row)}: {row.code}: {row.reason}" for row in unmatched)
        reason = f"{where}{count_text(len(unmatched), 'row')} must not be dropped"
        yield failed(Kind.WRONGLY_LATE, reason, detail)


def _has_place(expected: ExpectedLate, actual: LateRow) -> bool:
    """Whether a dropped row has the expected place, or one of the two places is not known."""
    return None in (expected.place, actual.place) or expected.place == actual.place


def _is_expected_row(case: Case, expected: ExpectedLate, actual: LateRow) -> bool:
    """Whether a dropped row is the expected row of the same input.

    The rows are equal as they are written, which is possible also for a bad row, or equal if they
    are read by the types of their columns.
    """
    if expected.input != actual.input:
        return False
    columns = case.columns.get(expected.input, ())
    if expected.row == tuple(actual.row):
        return True
    return same_row(*read_rows((expected.row, actual.row), columns))


def _text(late: ExpectedLate | LateRow) -> str:
    """A dropped row with its input, for messages."""
    return f"{late.input}: {row_literal(late.row)}"
