"""Counts the wrong backends that the cases kill: the figures of a score.

A score is mutation testing of the corpus of cases.

A *wrong backend* is the reference with one change, the *mistake*.  A case kills a wrong backend if
the backend fails the case.  A wrong backend *survives* if no case kills it.  A *subject* is a group
of mistakes, such as those of ASOF joins.  A *mistake of timing* changes when something happens, for
example when a row is emitted.  A *transcript* is a case whose steps list when rows are emitted.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rowtime.score.survivors import Survivor, identity
from rowtime.score.trials import Trial
from tck.protocol import TIERS, Tier

#: The goal of the corpus: the percentage of all wrong backends that cases kill.
GOAL: Final = 98.0
#: The goal of the transcripts: the percentage of the mistakes of timing that transcripts kill.
GOAL_OF_TIMING: Final = 90.0


@dataclass(frozen=True, slots=True)
class Count:
    """The number of wrong backends of a subject, and how many of them are killed at each tier.

    ``once``: how many are killed by exactly one case, at ``exact``.
    """

    all: int
    killed: Mapping[Tier, int]
    once: int

    def percent(self, tier: Tier) -> float:
        """The percentage that is killed at a tier; 100 if there are no wrong backends."""
        return 100.0 * self.killed[tier] / self.all if self.all else 100.0


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome of trials; there is one trial for each wrong backend.

    - ``counted``: the trials from which the percentages are computed.  They are all trials except
      ``equivalents`` and ``faults``.
    - ``equivalents``: wrong backends that no case can kill, as `survivors.yaml` declares.
    - ``faults``: wrong backends that could not be tried.
    - ``survivors``: counted wrong backends that no case kills.
    - ``once``: wrong backends that exactly one case kills.
    - ``timing``: mistakes of timing.
    - ``unshown``: mistakes of timing that no transcript kills.
    - ``new``: survivors that `survivors.yaml` does not list.
    - ``stale``: killed, although `survivors.yaml` lists them as equivalent.
    - ``now_killed``: killed, although `survivors.yaml` lists them as missed by the corpus.
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
        """The percentage of the mistakes of timing that transcripts kill; 100 if there are none."""
        shown = len(self.timing) - len(self.unshown)
        return 100.0 * shown / len(self.timing) if self.timing else 100.0

    @property
    def as_known(self) -> bool:
        """Whether the result is as expected.

        That is so if `survivors.yaml` lists all survivors, if no mistake that it lists as
        equivalent was killed, and if all mistakes could be tried.
        """
        return not (self.new or self.stale or self.faults)


def tally(
    trials: Sequence[Trial],
    known: Mapping[str, Survivor],
    cases: Iterable[str],
    transcripts: frozenset[str],
) -> Tally:
    """The figures of trials.

    ``known`` has the survivors of `survivors.yaml`, by the identities of their mistakes.  ``cases``
    has the ids of the cases that were run on every wrong backend whose changed code they execute.
    ``transcripts`` has the ids of the transcripts.
    """
    faults = [each for each in trials if each.fault]
    tried = [each for each in trials if not each.fault]
    survived = [each for each in tried if not killed_at(each, "exact")]
    equivalents = [each for each in survived if _is_equivalent(known.get(identity(each.mistake)))]
    left_out = {each.mistake.id for each in equivalents}
    counted = [each for each in tried if each.mistake.id not in left_out]
    timing = [each for each in counted if each.mistake.timing]
    listed_but_killed = [
        each for each in tried if killed_at(each, "exact") and identity(each.mistake) in known
    ]
    killers = {kill.case for each in trials for kill in each.kills}
    return Tally(
        counted=counted,
        equivalents=equivalents,
        faults=faults,
        survivors=[each for each in survived if each.mistake.id not in left_out],
        once=[each for each in counted if len(killed_at(each, "exact")) == 1],
        timing=timing,
        unshown=[each for each in timing if transcripts.isdisjoint(killed_at(each, "exact"))],
        new=[each for each in survived if identity(each.mistake) not in known],
        stale=[each for each in listed_but_killed if known[identity(each.mistake)].equivalent],
        now_killed=[
            each for each in listed_but_killed if not known[identity(each.mistake)].equivalent
        ],
        idle=[case for case in cases if case not in killers],
    )


def killed_at(trial: Trial, tier: Tier) -> list[str]:
    """The ids of the cases that kill a wrong backend at a tier."""
    return [each.case for each in trial.kills if tier in each.tiers]


def _is_equivalent(survivor: Survivor | None) -> bool:
    """Whether a mistake is a known survivor that is equivalent; None: it is not known."""
    return survivor is not None and survivor.equivalent


def _count(trials: Sequence[Trial]) -> Count:
    """The count of some trials."""
    killed = Counter(tier for each in trials for tier in TIERS if killed_at(each, tier))
    return Count(
        len(trials),
        {tier: killed[tier] for tier in TIERS},
        sum(len(killed_at(each, "exact")) == 1 for each in trials),
    )
