"""`tck list`: the cases."""

import json

from tck.commands.options import AsJson, Only, Roots, chosen_cases, load
from tck.corpus.case import Case
from tck.corpus.needs import needs_of


def list_cases(cases: Roots = None, only: Only = None, as_json: AsJson = False) -> None:
    """List the cases."""
    chosen = chosen_cases(load(cases), only, None)
    if as_json:
        print(json.dumps([_summary(case) for case in chosen], ensure_ascii=False, indent=2))
        return
    for case in chosen:
        print(f"{case.chapter}/{case.id}  {', '.join(case.cites)}  {case.place}")


def _summary(case: Case) -> dict[str, object]:
    return {
        "id": case.id,
        "chapter": case.chapter,
        "subject": case.subject,
        "cites": list(case.cites),
        "needs": list(needs_of(case)),
        "profile": case.profile,
        "file": case.place.file,
        "line": case.place.line,
    }
