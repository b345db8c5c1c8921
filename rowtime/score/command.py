"""`rowtime tck score`: the share of wrong backends that the cases detect (mutation testing).

The wrong backends are the reference with one mistake each: hand-written mistakes, and mutants of a
tool.  With ``--fresh``, they are random mutants of the whole reference.
"""

import resource
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.progress import track

from rowtime.score.baseline import baseline
from rowtime.score.fresh.figures import figures, json_of
from rowtime.score.fresh.figures import lines as fresh_lines
from rowtime.score.fresh.run import draw_mutants, try_mutants, watched_baseline
from rowtime.score.killers import FILE as KILLERS
from rowtime.score.killers import known_killers, updated_text
from rowtime.score.mistake import Mistake, by_hand
from rowtime.score.report import as_json, lines
from rowtime.score.survivors import identity, known_survivors
from rowtime.score.tally import tally
from rowtime.score.trial import Limits
from rowtime.score.trials import Trial, trials
from tck.commands.options import Roots, load, usage_error, write_file
from tck.corpus.selected.core import core_ids, kit_core
from tck.exit_codes import EXIT_FAILURES, EXIT_INTERRUPTED
from tck.terminal.messages import print_message

if TYPE_CHECKING:
    from tck.corpus.case import Case

#: The number of mutants of the tool, by default: with the hand-written mistakes, there are then
#: more than 500 wrong backends.
_MUTANTS: Final = 120

#: The number of fresh mutants that are drawn for each seed.
_FRESH: Final = 500

#: A wrong backend is tried until this many cases kill it: one more than the goal for each mistake.
_KILLS: Final = 3


def score(
    cases: Roots = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", "-k", metavar="WORD", help="Only mistakes with this in their names."
        ),
    ] = None,
    subject: Annotated[
        list[str] | None,
        typer.Option("--subject", metavar="NAME", help="Only this subject's mistakes."),
    ] = None,
    mutants: Annotated[
        int,
        typer.Option("--mutants", metavar="N", min=0, help="Draw N mutants of a tool."),
    ] = _MUTANTS,
    sample: Annotated[
        float,
        typer.Option(
            "--sample",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Draw about this share of them.",
        ),
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", help="The number that chooses the sample.")] = 0,
    processes: Annotated[
        int, typer.Option("--processes", "-j", metavar="N", min=1, help="Run N at a time.")
    ] = 2,
    kills: Annotated[
        int,
        typer.Option(
            "--kills", metavar="N", min=0, help="Try a mistake until N cases find it; 0: all cases."
        ),
    ] = _KILLS,
    core: Annotated[
        bool, typer.Option("--core", help="Only the cases of the core: what do they tell?")
    ] = False,
    again: Annotated[
        bool,
        typer.Option("--again", help="Only the cases that killed each when it was last tried."),
    ] = False,
    write_killers: Annotated[
        bool,
        typer.Option("--write-killers", help="Keep these cases, for later scores."),
    ] = False,
    seconds: Annotated[
        float,
        typer.Option("--timeout", metavar="SECONDS", min=1.0, help="The time for each backend."),
    ] = 60.0,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the results to a file."),
    ] = None,
    fresh: Annotated[
        list[int] | None,
        typer.Option(
            "--fresh",
            metavar="SEED",
            help="Try mutants of the whole reference instead, drawn with a seed; repeatable.",
        ),
    ] = None,
    count: Annotated[
        int,
        typer.Option("--count", metavar="N", min=1, help="With --fresh: draw N for each seed."),
    ] = _FRESH,
) -> None:
    """Try wrong backends, and list the cases that detect them.

    Each wrong backend is the reference with one mistake.

    Exit code: 0 if only what is known to survive has survived; 1 if not; 2 usage; 130 interrupted.
    """
    corpus = load(cases)
    if fresh:
        _try_fresh(corpus.cases, fresh, count, processes, Limits(seconds, kills), json_file)
        return
    available = [*by_hand(), *_mutants(mutants)]
    chosen = _chosen(available, only, subject, sample, seed)
    killers = known_killers()
    run: Sequence[Case] = corpus.cases
    in_core = core_ids(kit_core())
    if core:
        run = [each for each in run if each.id in in_core]
    if again:
        chosen = [each for each in chosen if killers.get(identity(each))]
        killing = {case for each in chosen for case in killers.get(identity(each), ())}
        run = [each for each in run if each.id in killing]
    console = Console(stderr=True)
    with console.status(f"running {len(run):,} cases on the reference"):
        right = baseline(run, in_core)
    # Only a run of all mistakes on all cases shows which cases kill nothing.
    seek_idle = len(chosen) == len(available) and not again and not core
    limits = Limits(seconds, kills)
    trying = trials(chosen, right, processes, limits, killers, seek_idle=seek_idle)
    done = _run_trials(trying, len(chosen), console, "wrong backends")
    places = {each.id: place for place, each in enumerate(chosen)}
    done.sort(key=lambda each: places[each.mistake.id])
    found = tally(
        done,
        known_survivors(),
        [each.id for each in right.cases] if seek_idle else [],
        right.transcripts,
    )
    if json_file:
        write_file(json_file, as_json(found, right.failing))
    if write_killers:
        all_mistakes, all_drawn = map(identity, available), mutants >= _MUTANTS
        text = updated_text(
            killers, done, right.transcripts, all_mistakes, has_all_mutants=all_drawn
        )
        write_file(KILLERS, text)
    for line in lines(found, right.failing, len(run), _seconds_of_work()):
        typer.echo(line)
    if len(done) < len(chosen):
        raise typer.Exit(EXIT_INTERRUPTED)
    if not found.as_known:
        raise typer.Exit(EXIT_FAILURES)


def _try_fresh(
    cases: Sequence["Case"],
    seeds: Sequence[int],
    count: int,
    processes: int,
    limits: Limits,
    json_file: Path | None,
) -> None:
    """Try fresh mutants; exit code 1 if one survives that is not known to be equivalent."""
    console = Console(stderr=True)
    with console.status("drawing mutants"):
        samples = draw_mutants(seeds, count)
        mutants = samples.mutants
    with console.status(f"running {len(cases):,} cases on the reference"):
        right = watched_baseline(cases, mutants, core_ids(kit_core()))
    trying = try_mutants(mutants, right, processes, limits)
    done = _run_trials(trying, len(mutants), console, "fresh mutants")
    done.sort(key=lambda each: each.mistake.id)
    known = known_survivors()
    found = figures(done, known)
    by_seed = {
        seed: figures([each for each in done if each.mistake in sample], known)
        for seed, sample in samples.by_seed.items()
    }
    if json_file:
        write_file(json_file, json_of(found, samples.by_seed))
    for line in fresh_lines(found, by_seed, samples.all, len(cases), _seconds_of_work()):
        typer.echo(line)
    if len(done) < len(mutants):
        raise typer.Exit(EXIT_INTERRUPTED)
    if found.survivors:
        raise typer.Exit(EXIT_FAILURES)


def _run_trials(trying: Iterable[Trial], count: int, console: Console, what: str) -> list[Trial]:
    """Run the trials of ``trying``, and return them; after Ctrl-C, those that have ended before.

    ``count`` is their number, and ``what`` names them in the display of the progress.
    """
    done: list[Trial] = []
    try:
        # `extend` adds each trial as it ends, so that an interrupt loses only the running ones.
        done.extend(track(trying, what, count, console=console, disable=not console.is_terminal))
    except KeyboardInterrupt:  # the results so far are reported all the same
        print_message(f"interrupted: {len(done)} of {count} have been tried")
    return done


def _chosen(
    available: Sequence[Mistake],
    only: list[str] | None,
    subject: list[str] | None,
    sample: float,
    seed: int,
) -> Sequence[Mistake]:
    """The mistakes that the options choose of ``available``; exit code 2 if there are none."""
    chosen = [
        each
        for each in available
        if (not only or any(word in each.id for word in only))
        and (not subject or each.subject in subject)
    ]
    if sample < 1:
        chosen = [each for each in chosen if _random_number(each, seed) < sample]
    if not chosen:
        usage_error(
            f"no mistake is chosen; subjects: {', '.join(sorted({e.subject for e in available}))}"
        )
    return chosen


def _random_number(mistake: Mistake, seed: int) -> float:
    """A pseudo-random number from 0 to 1, which depends only on the seed and the mistake's name."""
    return int.from_bytes(sha256(f"{seed} {mistake.id}".encode()).digest()[:8]) / 2**64


def _seconds_of_work() -> float:
    """The seconds of CPU time that this process and those that it has started have taken."""
    own, forks = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + forks.ru_utime + forks.ru_stime


def _mutants(count: int) -> Sequence[Mistake]:
    """Mutants of the tool; exit code 2 if it is not installed."""
    if not count:
        return ()
    try:
        from rowtime.score.mutants import mutants
    except ModuleNotFoundError as error:
        usage_error(f"{error.name} is missing: pip install {error.name}, or give --mutants 0")
    return list(mutants(count))
