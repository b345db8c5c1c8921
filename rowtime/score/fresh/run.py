"""A run of fresh mutants: a seeded sample of all, each tried by the cases that reach it."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from rowtime.score.baseline import Baseline, baseline
from rowtime.score.fresh.mutants import sample, spots
from rowtime.score.fresh.reached import watched
from rowtime.score.fresh.subjects import modules
from rowtime.score.mistake import Mistake
from rowtime.score.trial import Limits
from rowtime.score.trials import Trial, trials
from tck.corpus.case import Case


@dataclass(frozen=True, slots=True)
class Drawn:
    """The mutants that a seed has drawn, and the number of those from which it has drawn."""

    mutants: Sequence[Mistake]
    all: int


def drawn(seed: int, count: int, of: Sequence[ModuleType] | None = None) -> Drawn:
    """So many mutants of some modules, by default of all that have a subject."""
    there = list(spots(modules() if of is None else of))
    return Drawn(sample(there, count, seed), len(there))


def right(cases: Sequence[Case], mutants: Sequence[Mistake], first: Container[str]) -> Baseline:
    """The cases run on the right reference, and which of the changed statements each reaches."""
    with watched([each.change for each in mutants]) as tracing:
        return baseline(cases, first, tracing)


def tried(
    mutants: Sequence[Mistake], right: Baseline, processes: int, limits: Limits
) -> Iterator[Trial]:
    """The trials of the mutants, as they end."""
    return trials(mutants, right, processes, limits, {}, seek_idle=False)
