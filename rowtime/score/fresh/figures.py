"""The figures of fresh mutants: the share of them that the cases kill, as text and as JSON.

A mutant is *live* unless it is known to be equivalent to the reference.  The mutants are a sample,
so the share has an interval of confidence.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rowtime.score.mistake import Mistake
from rowtime.score.report import record
from rowtime.score.survivors import Survivor, identity
from rowtime.score.tally import killed_at
from rowtime.score.trials import Trial

#: The number of standard deviations to each side of the mean in which 95 % of a normal
#: distribution are.
_Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Share:
    """The number of live mutants, and how many of them the cases kill.

    ``twice``: how many are killed by at least two cases.
    """

    live: int
    killed: int
    twice: int

    @property
    def percent(self) -> float:
        """The percentage of the live mutants that is killed; 100 if there are no live mutants."""
        return 100.0 * self.killed / self.live if self.live else 100.0

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of confidence of `percent`, at 95 % (`wilson`)."""
        return wilson(self.killed, self.live)


@dataclass(frozen=True, slots=True)
class Figures:
    """The outcome of the trials of fresh mutants.

    ``equivalents`` are mutants that behave like the reference, and ``faults`` those that could not
    be tried.  ``live`` are all others, and ``survivors`` the live ones that no case kills.
    """

    live: Sequence[Trial]
    equivalents: Sequence[Trial]
    faults: Sequence[Trial]
    survivors: Sequence[Trial]

    @property
    def whole(self) -> Share:
        """The share of all subjects together."""
        return _share(self.live)

    @property
    def by_subject(self) -> dict[str, Share]:
        """The share of each subject, by name."""
        subjects = sorted({each.mistake.subject for each in self.live})
        return {
            subject: _share([each for each in self.live if each.mistake.subject == subject])
            for subject in subjects
        }


def figures(trials: Sequence[Trial], known: Mapping[str, Survivor]) -> Figures:
    """The figures of some trials; ``known`` has the known survivors by identity (`identity`)."""
    tried = [each for each in trials if not each.fault]
    survived = [each for each in tried if not killed_at(each, "exact")]
    equivalents = [each for each in survived if is_equivalent(each, known)]
    left_out = {each.mistake.id for each in equivalents}
    return Figures(
        [each for each in tried if each.mistake.id not in left_out],
        equivalents,
        [each for each in trials if each.fault],
        [each for each in survived if each.mistake.id not in left_out],
    )


def is_equivalent(trial: Trial, known: Mapping[str, Survivor]) -> bool:
    """Whether ``known`` lists a mutant as equivalent to the reference."""
    found = known.get(identity(trial.mistake))
    return found is not None and found.equivalent


def wilson(killed: int, of: int) -> tuple[float, float]:
    """The interval of confidence of the share ``killed / of``, in percent, at 95 %.

    It is the score interval of Wilson: ``middle`` plus or minus ``spread``, times ``scale``.  It is
    0 to 100 if ``of`` is 0.

    >>> [round(each, 1) for each in wilson(90, 100)]
    [82.6, 94.5]
    """
    if not of:
        return 0.0, 100.0
    share = killed / of
    middle = share + _Z * _Z / (2 * of)
    spread = _Z * math.sqrt(share * (1 - share) / of + _Z * _Z / (4 * of * of))
    scale = 100.0 / (1 + _Z * _Z / of)
    return max(0.0, (middle - spread) * scale), min(100.0, (middle + spread) * scale)


def lines(
    found: Figures, by_seed: Mapping[int, Figures], all: int, cases: int, seconds: float
) -> Iterator[str]:
    """The report, line by line: a table by subject and by seed, then the survivors by name.

    ``found`` has the mutants of all seeds, each once.  ``all`` is the number of mutants from which
    the seeds draw.  ``cases`` is the number of cases, and ``seconds`` the CPU time.
    """
    rows = {**found.by_subject, "all": found.whole}
    rows |= {f"seed {seed}": each.whole for seed, each in by_seed.items()}
    width = max(map(len, ["subject", *rows]))
    yield f"{'subject':{width}}  live  killed  by two or more  share of the live ones, at 95 %"
    yield from (_row(f"{name:{width}}", share) for name, share in rows.items())
    yield ""
    tried = len(found.live) + len(found.equivalents)
    yield f"{tried} of {all:,} mutants, {len(found.equivalents)} of them equivalent"
    yield f"{cases:,} cases, {seconds:.0f} s of CPU time"
    for title, trials in (
        ("survived", found.survivors),
        ("equivalent", found.equivalents),
        ("could not be tried", found.faults),
    ):
        if trials:
            yield ""
            yield f"{title}: {len(trials)}"
            yield from (f"  {_described(each)}" for each in trials)


def json_of(found: Figures, seeds: Mapping[int, Sequence[Mistake]]) -> str:
    """All trials as JSON, each with the cases that kill it; and the mutants' names by seed."""
    document = {
        "seeds": {str(seed): [each.id for each in drawn] for seed, drawn in seeds.items()},
        "mutants": [
            {**record(each, status), "reached": bool(each.kills or each.passed)}
            for status, trials in (
                ("live", found.live),
                ("equivalent", found.equivalents),
                ("fault", found.faults),
            )
            for each in trials
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _row(subject: str, share: Share) -> str:
    """The line of the table for a subject or a seed."""
    low, high = share.interval
    return (
        f"{subject}  {share.live:4}  {share.killed:6}  {share.twice:14}  "
        f"{share.percent:5.1f} % ({low:.1f} to {high:.1f} %)"
    )


def _described(trial: Trial) -> str:
    """A mutant's identity, its line, and how many cases have passed, or why it was not tried."""
    line = trial.mistake.change.statement
    notes = [f"line {line[0]}"] if line else []
    if trial.fault:
        notes.append(trial.fault)
    elif trial.passed:
        notes.append(f"{len(trial.passed):,} cases in {trial.seconds:.1f} s")
    else:
        notes.append("no case reaches it")
    return f"{identity(trial.mistake)} ({', '.join(notes)})"


def _share(trials: Sequence[Trial]) -> Share:
    """The share of some trials of live mutants."""
    kills = [len(killed_at(each, "exact")) for each in trials]
    return Share(len(kills), sum(each > 0 for each in kills), sum(each > 1 for each in kills))
