"""`rowtime tck core`: chooses the core of the corpus, and compares it with the list in the file.

The core is a small part of the cases that detects most wrong backends.
"""

from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Annotated, Final

import typer
import yaml

from rowtime.score.core.costs import costs
from rowtime.score.core.cover import cover
from rowtime.score.core.goals import goals
from rowtime.score.killers import known_killers
from rowtime.score.mistake import Mistake, by_hand
from rowtime.score.plans import Plans, remember_parsing
from rowtime.score.survivors import identity, known_survivors
from tck.commands.options import load, write_file
from tck.corpus.case import Case
from tck.corpus.selected.core import kit_core
from tck.exit_codes import EXIT_FAILURES
from tck.files import shown_path

_OPENING: Final = """\
# The core: a small part of the cases, which kills nearly all mistakes (docs/score.md).
# `rowtime tck core --write` writes it: under each id, the goals that the case was chosen for.
"""


def core(
    write: Annotated[bool, typer.Option("--write", help="Write the list, if it differs.")] = False,
) -> None:
    """Choose the core: few cases that detect most wrong backends.

    The output is the difference between the list of the core and the cases that are chosen.

    No case is run: the choice reads the known killers of each mistake.

    Exit code: 0 if the list is the one chosen, or was written; 1 if it differs, or if a mistake
    has no known killer and is not known to survive.
    """
    cases, file = load(None).cases, kit_core()
    chosen = core_text(chosen_core(cases))
    listed = file.read_text("utf-8") if file.exists() else ""
    for line in unified_diff(
        listed.splitlines(), chosen.splitlines(), "as listed", "as chosen", lineterm="", n=0
    ):
        typer.echo(line)
    unknown = without_killers(by_hand())
    for each in unknown:
        typer.echo(
            f"no case is known to kill {each}: rowtime tck score --only {each} --write-killers"
        )
    if write:
        write_file(file, chosen)
    elif listed != chosen:
        typer.echo(f"{shown_path(file)} is not the core: rowtime tck core --write")
    if unknown or (listed != chosen and not write):
        raise typer.Exit(EXIT_FAILURES)


def chosen_core(cases: Sequence[Case]) -> Mapping[str, Sequence[str]]:
    """The ids of the cases in the core, in their order, each with the names of its goals."""
    remember_parsing()
    plans = Plans()
    required = goals(cases, known_killers(), by_hand(), plans)
    return cover(required, costs(cases, plans))


def core_text(reasons: Mapping[str, Sequence[str]]) -> str:
    """The text of the file that lists a core; ``reasons`` is as in `chosen_core`."""
    listed = {id: list(dict.fromkeys(each)) for id, each in reasons.items()}
    text = yaml.safe_dump({"core": listed}, allow_unicode=True, sort_keys=False, width=120)
    return f"{_OPENING}{text}"


def without_killers(mistakes: Sequence[Mistake]) -> list[str]:
    """The names of the mistakes that neither `killers.json` nor `survivors.yaml` lists."""
    known = {**known_killers(), **known_survivors()}
    return [each.id for each in mistakes if identity(each) not in known]
