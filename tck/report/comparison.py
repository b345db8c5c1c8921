"""Compare two runs: find the results that became worse or better from the older to the newer."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tck.judging.verdict import Outcome
from tck.report.record import Entry, RunRecord

#: A backend and the id of a case.
Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """The results of one case in the older and in the newer run; None: the run does not have it."""

    old: Entry | None
    new: Entry | None

    @property
    def entry(self) -> Entry:
        """The newer result, or the older if the newer run does not have the case."""
        entry = self.new or self.old
        assert entry is not None, "at least one run has the case"
        return entry


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes from one run to another, by sort.

    ``failures``: the cases that fail the newer run, and did not fail the older or were not in it.
    ``vanished``: the cases of the older run that the newer does not have, in the older's order.
    ``unjudged``: the cases that were judged in the older run, and are skipped in the newer.
    ``mended``: the cases that failed the older run, and pass in the newer.
    ``changed``: the cases that fail both runs, but with another outcome or kind of fault.
    """

    failures: tuple[Change, ...]
    vanished: tuple[Change, ...]
    unjudged: tuple[Change, ...]
    mended: tuple[Change, ...]
    changed: tuple[Change, ...]

    @property
    def worse(self) -> bool:
        """Whether a required case is worse: it newly fails, or it is no longer judged."""
        changes = (*self.failures, *self.vanished, *self.unjudged)
        return any(change.entry.required for change in changes)


def compare(old: RunRecord, new: RunRecord) -> Comparison:
    """The changes from ``old`` to ``new``; a backend and a case id identify a result."""
    before, after = _by_key(old), _by_key(new)
    changes = [Change(before.get(key), entry) for key, entry in after.items()]
    vanished = tuple(Change(entry, None) for key, entry in before.items() if key not in after)
    return Comparison(
        failures=tuple(_where(changes, lambda old, new: new.bad and not (old and old.bad))),
        vanished=vanished,
        unjudged=tuple(_where(changes, lambda old, new: _is_judged(old) and _is_skipped(new))),
        mended=tuple(_where(changes, _is_mended)),
        changed=tuple(_where(changes, _is_changed)),
    )


def _by_key(record: RunRecord) -> Mapping[Key, Entry]:
    """The results of a run by backend and case."""
    return {(entry.backend, entry.case): entry for entry in record.entries}


def _where(changes: list[Change], test: Callable[[Entry | None, Entry], bool]) -> Iterator[Change]:
    """The changes whose older and newer results fulfil ``test``; without cases that vanished."""
    return (each for each in changes if each.new is not None and test(each.old, each.new))


def _is_skipped(entry: Entry) -> bool:
    return entry.verdict.outcome is Outcome.SKIP


def _is_judged(entry: Entry | None) -> bool:
    """Whether a run has a result for a case, and the case was not skipped."""
    return entry is not None and not _is_skipped(entry)


def _is_mended(old: Entry | None, new: Entry) -> bool:
    """Whether a case failed the older run, and passes in the newer."""
    passes = new.verdict.outcome is Outcome.PASS and not new.bad
    return old is not None and old.bad and passes


def _is_changed(old: Entry | None, new: Entry) -> bool:
    """Whether a case fails both runs, with different outcomes or kinds of fault."""
    if old is None or not (old.bad and new.bad):
        return False
    return old.verdict.label != new.verdict.label
