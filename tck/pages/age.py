"""Compare the run of an engine with the corpus: count the cases that have changed since the run."""

from collections.abc import Mapping
from dataclasses import dataclass

from tck.pages.engines import Engine


@dataclass(frozen=True, slots=True)
class Age:
    """Numbers of cases: changed since the run, no longer in the corpus, and not in the run."""

    changed: int
    removed: int
    lacking: int

    @property
    def lines(self) -> tuple[str, ...]:
        """The numbers in words; empty if the corpus has not changed since the run."""
        sentences = (
            (self.changed, "of these cases, or what the kit notes of them, changed since the run"),
            (self.removed, "of these cases are no longer in the corpus"),
            (self.lacking, "cases of the corpus are not in the run"),
        )
        return tuple(f"{count} {what}" for count, what in sentences if count)


def age_of(engine: Engine, digests: Mapping[str, str]) -> Age:
    """The age of an engine's run.

    ``digests`` has a digest of the contents of each case of the corpus, by id; the run has the
    digests of its cases, too.
    """
    entries = engine.entries
    return Age(
        sum(is_older(engine, case, digests) for case in entries),
        sum(case not in digests for case in entries),
        sum(case not in entries for case in digests),
    )


def is_older(engine: Engine, case: str, digests: Mapping[str, str]) -> bool:
    """Whether a case has changed since an engine ran it.

    False if the run has no digest of the case, or if the corpus does not have the case.
    """
    entry, digest = engine.entries.get(case), digests.get(case)
    return bool(entry and entry.digest and digest and entry.digest != digest)
