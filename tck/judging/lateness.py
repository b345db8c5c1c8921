"""Rows dropped at entry against those that must be dropped (S-601)."""

from collections.abc import Iterator, Sequence

from tck.corpus.case import Case, ExpectedLate
from tck.judging.matching import read_row, same_row
from tck.judging.row_faults import count
from tck.judging.timing import step_name
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import LateRow, Tier
from tck.transcript import Transcript


def wrong_late(case: Case, transcript: Transcript, tier: Tier) -> Iterator[Verdict]:
    """What is wrong with the rows that were dropped.

    At ``final`` of all steps together; above it step by step, since no row waits at the entry.
    """
    if tier == "final":
        every = [late for step in case.steps for late in step.late]
        yield from _wrong(case, every, transcript.late, "")
        return
    for i, output in enumerate(transcript.outputs):
        due = case.steps[i].late if i < len(case.steps) else ()
        where = f"{step_name(case, i)}: " if case.steps else ""
        yield from _wrong(case, due, output.late, where)


def _wrong(
    case: Case, expected: Sequence[ExpectedLate], actual: Sequence[LateRow], where: str
) -> Iterator[Verdict]:
    free = list(actual)
    missing: list[ExpectedLate] = []
    for late in expected:
        alike = [row for row in free if _same(case, late, row)]
        partner = next((row for row in alike if row.code == late.code), next(iter(alike), None))
        if partner is None:
            missing.append(late)
            continue
        free.remove(partner)
        if partner.code != late.code:
            reason = f"{where}{_text(late)} was dropped as {partner.code}, not as {late.code}"
            yield failed(Kind.WRONG_CODE, reason)
    if missing:
        detail = tuple(f"- {_text(late)}" for late in missing)
        yield failed(Kind.NOT_LATE, f"{where}{count(len(missing), 'row')} must be dropped", detail)
    if free:
        detail = tuple(f"+ {_text(row)}: {row.code}: {row.reason}" for row in free)
        reason = f"{where}{count(len(free), 'row')} must not be dropped"
        yield failed(Kind.WRONGLY_LATE, reason, detail)


def _same(case: Case, expected: ExpectedLate, actual: LateRow) -> bool:
    if expected.input != actual.input:
        return False
    columns = case.columns.get(expected.input, ())
    return expected.row == tuple(actual.row) or same_row(
        read_row(expected.row, columns, None), read_row(actual.row, columns, None)
    )


def _text(late: ExpectedLate | LateRow) -> str:
    return f"{late.input}: {list(late.row)}"
