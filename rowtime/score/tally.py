"""The figures of a score: the killed mistakes, by which cases, and the survivors."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rowtime.score.survivors import Survivor, identity
from rowtime.score.trials import Trial
from tck.protocol import TIERS, Tier

#: The goals of the corpus, in percent: of all wrong backends, and of the mistakes of timing by
#: transcripts alone.
GOAL: Final = 98.0
GOAL_OF_TIMING: Final = 90.0


@dataclass(frozen=True, slots=True)
class Count:
    """The wrong backends of a subject: their number, and how many are killed at each tier.

    ``once``: killed by one case only, at ``exact``.
    """

    all: int
    killed: Mapping[Tier, int]
    once: int

    def percent(self, tier: Tier) -> float:
        """The share that is killed at a tier; 100 where there are none."""
        return 100.0 * self.killed[tier] / self.all if self.all else 100.0


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome of trials.

    - ``counted``: the trials of wrong backends, without ``equivalents`` and ``faults``.
    - ``equivalents``: wrong backends that no case can kill.
    - ``faults``: wrong backends that could not be tried.
    - ``survivors``: no case kills them.  ``new``: survivors that `survivors.yaml` does not list.
    - ``once``: exactly one case kills them.
    - ``timing``: mistakes of timing.  ``unshown``: those that no transcript kills.
    - ``stale``: killed, although `survivors.yaml` lists them as equivalent.
    - ``now_killed``: killed, although `survivors.yaml` lists them as missed.
    - ``idle``: the ids of the cases that kill nothing, if all cases were run.
    """

    counted: Sequence[Trial]
    equivalents: Sequence[Trial]
    faults: Sequence[Trial]
    survivors: Sequence[Trial]
    once: Sequence[Trial]
    timing: Sequence[Trial]
    unshown: Sequence[Trial]
    new: Sequence[Trial]
    stale: Sequence[Trial]
    now_killed: Sequence[Trial]
    idle: Sequence[str]

    @property
    def whole(self) -> Count:
        """The count of all subjects together."""
        return _count(self.counted)

    @property
    def by_subject(self) -> dict[str, Count]:
        """The count of each subject, by name."""
        subjects = sorted({each.mistake.subject for each in self.counted})
        return {
            subject: _count([each for each in self.counted if each.mistake.subject == subject])
            for subject in subjects
        }

    @property
    def by_transcripts(self) -> float:
        """The share of the mistakes of timing that transcripts kill, in percent."""
        left = len(self.timing) - len(self.unshown)
        return 100.0 * left / len(self.timing) if self.timing else 100.0

    @property
    def as_known(self) -> bool:
        """Whether only known survivors survive, and all mistakes could be tried."""
        return not (self.new or self.stale or self.faults)


def tally(
    trials: Sequence[Trial],
    known: Mapping[str, Survivor],
    cases: Iterable[str],
    transcripts: frozenset[str],
) -> Tally:
    """The figures of trials.

    ``cases`` has the ids of the cases that were run on each wrong backend that they reach,
    ``transcripts`` of those whose steps list when rows are emitted.
    """
    faults = [each for each in trials if each.fault]
    tried = [each for each in trials if not each.fault]
    survived = [each for each in tried if not killed_at(each, "exact")]
    equivalents = [each for each in survived if _equivalent(known.get(identity(each.mistake)))]
    left_out = {each.mistake.id for each in equivalents}
    counted = [each for each in tried if each.mistake.id not in left_out]
    timing = [each for each in counted if each.mistake.timing]
    killed = [
        each for each in tried if killed_at(each, "exact") and identity(each.mistake) in known
    ]
    killers = {kill.case for each in trials for kill in each.kills}
    return Tally(
        counted,
        equivalents,
        faults,
        [each for each in survived if each.mistake.id not in left_out],
        [each for each in counted if len(killed_at(each, "exact")) == 1],
        timing,
        [each for each in timing if transcripts.isdisjoint(killed_at(each, "exact"))],
        [each for each in survived if identity(each.mistake) not in known],
        [each for each in killed if known[identity(each.mistake)].equivalent],
        [each for each in killed if not known[identity(each.mistake)].equivalent],
        [case for case in cases if case not in killers],
    )


def killed_at(trial: Trial, tier: Tier) -> list[str]:
    """The ids of the cases that kill a wrong backend at a tier."""
    return [each.case for each in trial.kills if tier in each.tiers]


def _equivalent(survivor: Survivor | None) -> bool:
    return survivor is not None and survivor.equivalent


def _count(trials: Sequence[Trial]) -> Count:
    killed = Counter(tier for each in trials for tier in TIERS if killed_at(each, tier))
    return Count(
        len(trials),
        {tier: killed[tier] for tier in TIERS},
        sum(len(killed_at(each, "exact")) == 1 for each in trials),
    )
