"""Draws fresh mutants (random small changes of the whole reference), and tries them on the cases.

A mutant is tried only on the cases that reach the statement that it changes.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from types import ModuleType

from rowtime.score.baseline import Baseline, baseline
from rowtime.score.fresh.mutants import sample, spots
from rowtime.score.fresh.reached import watch
from rowtime.score.fresh.subjects import modules
from rowtime.score.mistake import Mistake
from rowtime.score.trial import Limits
from rowtime.score.trials import Trial, trials
from tck.corpus.case import Case


@dataclass(frozen=True, slots=True)
class Drawn:
    """The mutants that each seed has drawn; ``all`` is the number of spots to draw from."""

    by_seed: Mapping[int, Sequence[Mistake]]
    all: int

    @property
    def mutants(self) -> Sequence[Mistake]:
        """The mutants of all seeds, each once: the first of each seed, then the second of each.

        In this order, an interrupted run has tried about the same number of mutants of each seed.
        """
        turns = chain.from_iterable(zip_longest(*self.by_seed.values()))
        return list({each.id: each for each in turns if each is not None}.values())


def draw_mutants(seeds: Sequence[int], count: int, of: Sequence[ModuleType] | None = None) -> Drawn:
    """Draw ``count`` mutants for each seed, from the modules ``of``.

    By default, these are all modules that have a subject.
    """
    found = list(spots(modules() if of is None else of))
    return Drawn({seed: sample(found, count, seed) for seed in seeds}, len(found))


def watched_baseline(
    cases: Sequence[Case], mutants: Sequence[Mistake], first: Container[str]
) -> Baseline:
    """Run the cases on the right reference, and record the changed statements that each reaches.

    ``first`` has the ids of the cases that must be tried first.
    """
    with watch([each.change for each in mutants]) as tracing:
        return baseline(cases, first, tracing)


def try_mutants(
    mutants: Sequence[Mistake], right: Baseline, processes: int, limits: Limits
) -> Iterator[Trial]:
    """Try the mutants, ``processes`` at a time; yield each trial when it ends."""
    return trials(mutants, right, processes, limits, {}, seek_idle=False)
