"""`rowtime tck core`: the core of the corpus, chosen anew, beside the list that there is."""

from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Annotated, Final

import typer
import yaml

from rowtime.score.core.cover import cover
from rowtime.score.core.goals import goals
from rowtime.score.killers import known_killers
from rowtime.score.mistake import Mistake, by_hand
from rowtime.score.plans import remember_parsing
from rowtime.score.survivors import identity, known_survivors
from tck.commands.options import load, write_file
from tck.corpus.case import Case
from tck.corpus.selected.core import kit_core
from tck.exit_codes import EXIT_FAILURES
from tck.files import shown_path

_OPENING: Final = """\
# The core: a small part of the cases, which tells nearly all wrong backends (docs/score.md).
# `rowtime tck core --write` chooses it; what a case is in it for stands under its id.
"""


def core(
    write: Annotated[bool, typer.Option("--write", help="Write the list, if it differs.")] = False,
) -> None:
    """Choose the core of the cases, and say how the list that there is differs from it.

    Nothing is run: mistakes count with the cases that are known to kill them.

    Exit code: 0 if the list is the one chosen, or was written; 1 if it differs, or if nothing is
    known to kill a mistake that is not known to survive.
    """
    cases, file = load(None).cases, kit_core()
    chosen = core_text(chosen_core(cases))
    there = file.read_text("utf-8") if file.exists() else ""
    for line in unified_diff(
        there.splitlines(), chosen.splitlines(), "as listed", "as chosen", lineterm="", n=0
    ):
        typer.echo(line)
    unknown = without_killers(by_hand())
    for each in unknown:
        typer.echo(
            f"no case is known to kill {each}: rowtime tck score --only {each} --write-killers"
        )
    if write:
        write_file(file, chosen)
    elif there != chosen:
        typer.echo(f"{shown_path(file)} is not the core: rowtime tck core --write")
    if unknown or (there != chosen and not write):
        raise typer.Exit(EXIT_FAILURES)


def chosen_core(cases: Sequence[Case]) -> Mapping[str, Sequence[str]]:
    """The core of the cases by what is known of them: ids in order, each with its reasons."""
    remember_parsing()
    return cover(goals(cases, known_killers(), by_hand()))


def core_text(reasons: Mapping[str, Sequence[str]]) -> str:
    """The text of the file that lists a core."""
    listed = {id: list(dict.fromkeys(each)) for id, each in reasons.items()}
    text = yaml.safe_dump({"core": listed}, allow_unicode=True, sort_keys=False, width=120)
    return f"{_OPENING}{text}"


def without_killers(mistakes: Sequence[Mistake]) -> list[str]:
    """The names of the mistakes that no case is known to kill, and that are not known to survive.

    Of mistakes written by hand; mutants are those that a score has tried.
    """
    known = {**known_killers(), **known_survivors()}
    return [each.id for each in mistakes if identity(each) not in known]
