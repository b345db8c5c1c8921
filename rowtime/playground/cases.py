"""Converts the cases of the kit to questions of the playground, in a file that the page loads."""

import json
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from rowtime.playground.script_text import script_text
from rowtime.timeline.case_events import played_steps
from tck.corpus.case import Case


@dataclass(frozen=True, slots=True)
class CaseTexts:
    """A case as a question, and the descriptions in the case.

    ``query`` is empty for a case that judges its schema alone.  ``expected`` is the code of the
    refusal that the case expects, empty if it expects none.
    """

    chapter: str
    id: str
    cites: tuple[str, ...]
    why: str
    profile: str
    schema: str
    query: str
    script: str
    expected: str


def texts_of(case: Case) -> CaseTexts:
    """A case as the texts of a question with the same events."""
    script = script_text(case.tables, played_steps(case), case.columns, case.date, case.ddl)
    error = case.error or case.failure
    return CaseTexts(
        chapter=case.chapter,
        id=case.id,
        cites=case.cites,
        why=case.why,
        profile=case.profile,
        schema=_trimmed(case.ddl),
        query=_trimmed(case.sql or ""),
        script=script,
        expected=error.code if error else "",
    )


def _trimmed(text: str) -> str:
    """The text without blank lines at its end, which would fill an editor."""
    return f"{text.rstrip()}\n" if text.strip() else ""


def packed(cases: Iterable[Case]) -> bytes:
    """The texts of cases as a JSON array of objects, compressed by zlib."""
    listed = [asdict(texts_of(case)) for case in cases]
    return zlib.compress(json.dumps(listed, ensure_ascii=False).encode(), 9)
