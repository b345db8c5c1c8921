"""A run of fresh mutants: seeded samples of all, each mutant tried by the cases that reach it."""

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
    """The mutants that each seed has drawn, and the number of those from which it has drawn."""

    by_seed: Mapping[int, Sequence[Mistake]]
    all: int

    @property
    def mutants(self) -> Sequence[Mistake]:
        """The mutants of all seeds, each once: the first of each seed, then the second of each.

        So an interrupted run has tried about as many of each seed.
        """
        turns = chain.from_iterable(zip_longest(*self.by_seed.values()))
        return list({each.id: each for each in turns if each is not None}.values())


def drawn(seeds: Sequence[int], count: int, of: Sequence[ModuleType] | None = None) -> Drawn:
    """``count`` mutants for each seed, of some modules, by default of all that have a subject."""
    there = list(spots(modules() if of is None else of))
    return Drawn({seed: sample(there, count, seed) for seed in seeds}, len(there))


def right(cases: Sequence[Case], mutants: Sequence[Mistake], first: Container[str]) -> Baseline:
    """The cases run on the right reference, and the changed statements that each reaches."""
    with watch([each.change for each in mutants]) as tracing:
        return baseline(cases, first, tracing)


def tried(
    mutants: Sequence[Mistake], right: Baseline, processes: int, limits: Limits
) -> Iterator[Trial]:
    """The trials of the mutants, as they end."""
    return trials(mutants, right, processes, limits, {}, seek_idle=False)
