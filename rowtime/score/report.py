"""Writes the figures of a score (`rowtime.score.tally`) as text, and as JSON."""

import json
from collections.abc import Iterable, Iterator, Sequence

from rowtime.score.survivors import identity
from rowtime.score.tally import GOAL, GOAL_OF_TIMING, Count, Tally, killed_at
from rowtime.score.trials import Trial


def lines(found: Tally, failing: Sequence[str], cases: int, seconds: float) -> Iterator[str]:
    """The report, line by line: a table by subject, then the mistakes to look at, by name.

    ``failing`` has the ids of the cases that the right reference fails.  ``cases`` is the number of
    cases that were run, and ``seconds`` is the CPU time.
    """
    whole, subjects = found.whole, found.by_subject
    width = max(map(len, ["subject", *subjects]))
    yield f"{'subject':{width}}  mistakes  final  bounded  exact    exact  by one case only"
    for subject, count in subjects.items():
        yield _row(f"{subject:{width}}", count)
    yield _row(f"{'all':{width}}", whole)
    yield ""
    yield f"{whole.percent('exact'):.1f} % are killed at exact (goal: {GOAL:g} %)"
    yield (
        f"{len(found.timing)} mistakes of timing, {found.by_transcripts:.1f} % of them killed by "
        f"transcripts alone (goal: {GOAL_OF_TIMING:g} %)"
    )
    yield f"{len(found.equivalents)} mutants are equivalent, and not counted"
    if found.idle:
        yield f"{len(found.idle)} cases kill nothing"
    yield f"{cases:,} cases, {seconds:.0f} s of CPU time"
    yield from _listed("the reference itself fails", failing)
    yield from _listed("could not be tried", [f"{e.mistake.id}: {e.fault}" for e in found.faults])
    yield from _listed("survived, and not known to", map(_described, found.new))
    yield from _listed(
        "killed, though called equivalent",
        [f"{identity(e.mistake)}: by {killed_at(e, 'exact')[0]}" for e in found.stale],
    )
    yield from _listed(
        "killed by now: to be taken out of survivors.yaml",
        [identity(each.mistake) for each in found.now_killed],
    )
    yield from _listed("survived", map(_described, found.survivors))
    yield from _listed(
        "mistakes of timing that no transcript shows", map(_described, found.unshown)
    )
    yield from _listed(
        "killed by one case only",
        [f"{_described(each)}: by {killed_at(each, 'exact')[0]}" for each in found.once],
    )


def as_json(found: Tally, failing: Sequence[str]) -> str:
    """All that was found, as JSON: each mistake with the cases that kill it at each tier."""
    document = {
        "failing": list(failing),
        "idle": list(found.idle),
        "mistakes": [record(each, "counted") for each in found.counted]
        + [record(each, "equivalent") for each in found.equivalents]
        + [record(each, "fault") for each in found.faults],
    }
    return json.dumps(document, indent=1) + "\n"


def record(trial: Trial, status: str) -> dict[str, object]:
    """A trial as JSON: the mistake, and the cases that kill it with their tiers."""
    mistake = trial.mistake
    return {
        "id": mistake.id,
        "identity": identity(mistake),
        "subject": mistake.subject,
        "origin": mistake.origin,
        "timing": mistake.timing,
        "says": mistake.says,
        "status": status,
        "seconds": round(trial.seconds, 2),
        "kills": {each.case: list(each.tiers) for each in trial.kills},
    }


def _row(subject: str, count: Count) -> str:
    """The line of the table for a subject."""
    killed = count.killed
    return (
        f"{subject}  {count.all:8}  {killed['final']:5}  {killed['bounded']:7}  "
        f"{killed['exact']:5}  {count.percent('exact'):5.1f} %  {count.once:16}"
    )


def _described(trial: Trial) -> str:
    """The name and the description of a mistake."""
    return f"{trial.mistake.id}: {trial.mistake.says}"


def _listed(title: str, entries: Iterable[str]) -> Iterator[str]:
    """A blank line, the title with the number of entries, and the entries; nothing without any."""
    listed = list(entries)
    if listed:
        yield ""
        yield f"{title}: {len(listed)}"
        yield from (f"  {each}" for each in listed)
