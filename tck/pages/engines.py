"""Collect the engines of a report from runs: one for each backend, with the history of its runs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tck.pages.names import distinct_slugs
from tck.protocol import Hello, Tier
from tck.report.record import Entry, RunRecord
from tck.report.states import STATES, State, state
from tck.variants.variants import is_variant


@dataclass(frozen=True, slots=True)
class Engine:
    """A backend with its newest run: a column of the report's tables.

    ``label`` is a unique name in the report, and ``page`` is the file name of the engine's page.
    ``file`` is the name of the run's file, ``version`` is that of the kit that wrote it, and
    ``date`` is the day of the run, or empty.  ``hello`` and ``tier`` are None if the backend was
    not started.  ``expected`` is the number of cases of the run; ``entries`` has the results, and
    ``states`` has the states, by case id.  ``ended``: the run has reached its end.  ``unjudged``
    has lines about expectations that the run has not judged.  ``runs`` are all runs of the backend,
    oldest first, without the results of other backends; the last one is shown.
    """

    label: str
    page: str
    file: str
    version: str
    date: str
    hello: Hello | None
    tier: Tier | None
    expected: int
    entries: Mapping[str, Entry]
    states: Mapping[str, State]
    ended: bool
    unjudged: Sequence[str] = ()
    runs: tuple[RunRecord, ...] = ()

    @property
    def run(self) -> str:
        """The run in words: ``report.jsonl of 2026-11-24, written by rowtime 1.0``."""
        of_day = f" of {self.date}" if self.date else ""
        return f"{self.file}{of_day}, written by rowtime {self.version}"

    @property
    def complete(self) -> bool:
        """Whether the run has reached its end, with a result for every case."""
        return self.ended and len(self.entries) == self.expected

    @property
    def variants(self) -> int:
        """The number of variants of cases that have a result."""
        return sum(map(is_variant, self.entries))

    def state(self, case: str) -> State:
        """The state of a case; ``none`` if the run has no result of it."""
        return self.states.get(case, "none")


class SameBackendError(Exception):
    """Two runs of a backend would have the same label, because their files have the same name."""


def engines_of(records: Sequence[RunRecord]) -> tuple[Engine, ...]:
    """The engines of some runs, in the order of the runs and of their backends.

    Several runs of one backend are its history; the newest of them is shown.  They are ordered by
    their dates, or, if a run has no date, in the order of ``records``.  The label of an engine is
    its name; if several backends have the name, the file's name is added.  Raises
    `SameBackendError`.
    """
    # By the name of a backend in the run, and the name that it gives itself: its runs.
    listed: dict[tuple[str, str], list[RunRecord]] = {}
    for record in records:
        for backend in record.backends:
            key = (backend, _name(record, backend))
            listed.setdefault(key, []).append(_with_only(record, backend))
    histories = {key: _oldest_first(runs) for key, runs in listed.items()}
    counts = Counter(name for _, name in histories)
    labels = [
        name if counts[name] == 1 else f"{name} ({runs[-1].path.stem})"
        for (_, name), runs in histories.items()
    ]
    for label, count in Counter(labels).items():
        if count > 1:
            raise SameBackendError(
                f"{count} runs of {label} have one file name, or one file; rename one of them"
            )
    return tuple(
        _engine(runs, backend, label, f"engine-{name}.html")
        for ((backend, _), runs), label, name in zip(
            histories.items(), labels, distinct_slugs(labels), strict=True
        )
    )


def _with_only(record: RunRecord, backend: str) -> RunRecord:
    """The run without its other backends."""
    hellos = {name: hello for name, hello in record.hellos.items() if name == backend}
    entries = tuple(entry for entry in record.entries if entry.backend == backend)
    return replace(record, backends=(backend,), hellos=hellos, entries=entries)


def _oldest_first(runs: Sequence[RunRecord]) -> tuple[RunRecord, ...]:
    """The runs in the order of their dates; if a run has no date, in their present order."""
    return tuple(sorted(runs, key=lambda run: run.date) if all(run.date for run in runs) else runs)


def _name(record: RunRecord, backend: str) -> str:
    """The name that a backend gives itself; if it was not started, its name in the run."""
    hello = record.hellos.get(backend)
    return hello.name if hello else backend


def _engine(runs: tuple[RunRecord, ...], backend: str, label: str, page: str) -> Engine:
    """The engine with the contents of the last of its runs."""
    record = runs[-1]
    entries = {entry.case: entry for entry in record.entries}
    return Engine(
        label=label,
        page=page,
        file=record.path.name,
        version=record.version,
        date=record.date,
        hello=record.hellos.get(backend),
        tier=record.tiers.get(backend),
        expected=record.cases_on(backend),
        entries=entries,
        states={case: state(entry) for case, entry in entries.items()},
        ended=record.exit is not None,
        unjudged=record.unjudged.get(backend, ()),
        runs=runs,
    )


def count_verdicts(engine: Engine, cases: Iterable[str]) -> Mapping[str, int]:
    """By verdict: the number of the ``cases`` that are known to fail; "" stands for no verdict.

    The verdicts are those of `tck.judging.verdict.VERDICTS`.
    """
    entries = (engine.entries[case] for case in cases if engine.state(case) == "known")
    return Counter(each.known.verdict or "" for each in entries if each.known is not None)


def count_states(engine: Engine, cases: Iterable[str]) -> Mapping[State, int]:
    """By state: the number of the ``cases`` in the state on an engine, which can be 0."""
    counts = Counter(engine.state(case) for case in cases)
    return {each: counts[each] for each in (*STATES, "none")}
