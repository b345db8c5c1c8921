"""The differences of the engines, from their known failures, in Markdown."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from engines.harness.reports import EngineReport
from tck.judging.verdict import VERDICTS, KnownFailure, Outcome
from tck.report.states import counted_entries

#: How many cases of a difference are named.
NAMED: Final = 3
#: The endings of scripts that show a defect.
SCRIPTS: Final = frozenset({".py", ".sql", ".java"})


def summary(reports: Iterable[EngineReport]) -> str:
    """A table of the engines: the cases that were judged, that passed, and that failed, by verdict.

    As in a report, the chapter `BEYOND` is not counted.  ``streaming`` counts the streaming queries
    among the cases that were judged.
    """
    heads = [
        *["engine", "version", "run on", "tier", "cases", "skipped", "judged", "streaming"],
        *["passed", *VERDICTS],
    ]
    rows = [heads, ["---"] * len(heads)]
    for report in reports:
        entries = counted_entries(report.entries)
        outcomes = [each.verdict.outcome for each in entries]
        judged = [each for each in entries if each.verdict.outcome is not Outcome.SKIP]
        failed = [
            report.known[each.case].verdict
            for each in entries
            if each.verdict.outcome in (Outcome.FAIL, Outcome.ERROR) and each.case in report.known
        ]
        (tier,) = report.record.tiers.values()
        rows.append([
            f"[{report.name}]({report.folder}.md)",
            report.hello.version,
            report.record.date,
            f"`{tier}`",
            str(len(outcomes)),
            str(outcomes.count(Outcome.SKIP)),
            str(len(judged)),
            str(sum("streaming" in each.needs for each in judged)),
            str(outcomes.count(Outcome.PASS)),
            *(str(failed.count(verdict)) for verdict in VERDICTS),
        ])  # fmt: skip
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def scripts(docs: Path) -> str:
    """How many scripts that show a defect the folder of each engine has, in a sentence."""
    found: dict[str, int] = {}
    for path in sorted(docs.glob("*/*")):
        if path.suffix in SCRIPTS:
            found[path.parent.name] = found.get(path.parent.name, 0) + 1
    each = ", ".join(f"{number} of [{name}]({name}.md)" for name, number in found.items())
    return f"{sum(found.values())} defects have a script that needs only the engine: {each}."


def differences(reports: Iterable[EngineReport]) -> str:
    """A section for each engine with a table of its differences, its defects first."""
    return "\n\n".join("\n".join(_section(report)) for report in reports)


def _section(report: EngineReport) -> Iterator[str]:
    """One engine."""
    kinds = {each.case: each.verdict.kind or "ERROR" for each in report.entries}
    grouped: dict[KnownFailure, list[str]] = defaultdict(list)
    for case, known in report.known.items():
        grouped[known].append(case)
    order = list(VERDICTS)
    ranked = sorted(grouped, key=lambda each: order.index(each.verdict or order[-1]))
    page = f"engines/{report.folder}.md"
    yield f"### {report.name} {report.hello.version}, {report.record.date}"
    yield ""
    yield f"The page about this engine is [{page}]({page})."
    yield ""
    yield "| Verdict | Difference | Shows as | Cases |"
    yield "|---|---|---|---|"
    for known in ranked:
        cases = grouped[known]
        shown = sorted({kinds.get(each, "not run") for each in cases})
        yield f"| {known.verdict} | {known.reason} | {', '.join(shown)} | {_named(cases)} |"


def _named(cases: Sequence[str]) -> str:
    """The first few cases, and how many more there are."""
    named = ", ".join(f"`{each}`" for each in cases[:NAMED])
    more = len(cases) - NAMED
    return f"{named} and {more} more" if more > 0 else named
