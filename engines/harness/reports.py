"""The last reports of each engine, as committed, with its known failures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import engines
from tck.judging.known_failures import Known, read_known
from tck.judging.verdict import KnownFailure, Outcome
from tck.protocol import Hello
from tck.report.record import Entry, RunRecord, read_record

#: The folder with a folder for each engine.
ROOT: Final = Path(engines.__path__[0])
#: An engine's known failures, next to its reports.
KNOWN: Final = "known.yaml"


@dataclass(frozen=True, slots=True)
class EngineReport:
    """The run of one backend of an engine: ``known`` are its known failures by case.

    ``folder`` is the engine's: several backends of one engine share it, and the engine's page.
    """

    folder: str
    record: RunRecord
    known: Mapping[str, KnownFailure]

    @property
    def name(self) -> str:
        """The name that the backend gives itself: ``flink``, or ``flink-stream``."""
        return self.hello.name

    @property
    def hello(self) -> Hello:
        """How the engine described itself."""
        (hello,) = self.record.hellos.values()
        return hello

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The results, in the order of the run."""
        return self.record.entries


def read_report(path: Path) -> EngineReport:
    """The report in a file of an engine's folder.

    Raises `InvalidFilesError` for files that cannot be read, and ``ValueError`` if the run is not
    of one backend.
    """
    record = read_record(path)
    if len(record.hellos) != 1:
        raise ValueError(f"{path}: the run of one backend is due")
    (backend,) = record.hellos
    known: Known = read_known(path.with_name(KNOWN)) if path.with_name(KNOWN).exists() else {}
    return EngineReport(path.parent.name, record, known.get(backend, {}))


def report_files(root: Path = ROOT) -> list[Path]:
    """The reports of all engines, by folder; that of a second backend after that of the first."""
    return sorted(root.glob("*/report*.jsonl"), key=lambda path: (path.parent.name, path.stem))


def unexplained(report: EngineReport) -> Iterator[str]:
    """The faults of an engine's known failures, a line each; nothing if all is explained.

    Each case that failed has an entry with a verdict.  An entry whose case passed is stale, unless
    it fails only sometimes; so is one whose case was not run.
    """
    failed = {
        each.case: each.verdict
        for each in report.entries
        if each.verdict.outcome in (Outcome.FAIL, Outcome.ERROR)
    }
    for case, verdict in failed.items():
        entry = report.known.get(case)
        if entry is None:
            yield f"{report.name}: {case} fails, and no entry says why: {verdict.reason}"
        elif entry.verdict is None:
            yield f"{report.name}: {case} fails, and its entry has no verdict"
    outcomes = {each.case: each.verdict.outcome for each in report.entries}
    for case, entry in report.known.items():
        outcome = outcomes.get(case)
        if outcome is None:
            yield f"{report.name}: {case} is known to fail, and was not run"
        elif outcome is Outcome.SKIP or (outcome is Outcome.PASS and not entry.sometimes):
            yield f"{report.name}: {case} is known to fail, and did not ({outcome})"
