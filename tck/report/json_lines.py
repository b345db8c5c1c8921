"""The report as JSON lines: an object for each backend and case."""

import json

from tck.judging.verdict import Result, Verdict
from tck.report.tally import Report


def jsonl(report: Report) -> str:
    """The lines, in the order in which the cases were run."""
    return "".join(f"{json.dumps(_line(r), ensure_ascii=False)}\n" for r in report.results)


def _line(result: Result) -> dict[str, object]:
    case, verdict = result.case, result.verdict
    return {
        "backend": result.backend,
        "chapter": case.chapter,
        "case": case.id,
        "cites": list(case.cites),
        "outcome": str(verdict.outcome),
        "kind": str(verdict.kind) if verdict.kind else None,
        "reason": verdict.reason,
        "detail": list(verdict.detail),
        "why": list(result.why),
        "tier": result.tier,
        "at": {tier: _at(each) for tier, each in result.at.items()},
        "known": result.known,
        "seconds": round(result.seconds, 6),
        "file": case.place.file,
        "line": case.place.line,
    }


def _at(verdict: Verdict) -> dict[str, object]:
    """A verdict as the value of one tier."""
    kind = str(verdict.kind) if verdict.kind else None
    return {"outcome": str(verdict.outcome), "kind": kind, "reason": verdict.reason}
