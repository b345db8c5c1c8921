"""The options that several commands of the kit have, and functions that load and select cases.

Each option is a type, by which typer reads it: a command has a parameter of this type.
"""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from tck.corpus.case import Case
from tck.corpus.document import InvalidFilesError
from tck.corpus.ledger import Entry, kit_ledger, read_ledger
from tck.corpus.load import Corpus, kit_corpus, load_corpus
from tck.corpus.needs import known_words
from tck.corpus.selected.core import core_ids, kit_core
from tck.corpus.selected.requirements import ALL, kit_requirements, releases, required_ids
from tck.corpus.selected.selection import KINDS, Selection
from tck.exit_codes import EXIT_USAGE
from tck.files import write_whole
from tck.terminal.messages import print_message
from tck.terminal.progress import progress
from tck.wire.faults import nearest


class ProfileName(StrEnum):
    """The profiles of the language (S-701)."""

    CALCITE = "calcite"
    SQLSTREAM = "sqlstream"


class TierName(StrEnum):
    """The tiers: promises of a backend about when rows are emitted."""

    FINAL = "final"
    BOUNDED = "bounded"
    EXACT = "exact"


Backends = Annotated[
    list[str] | None,
    typer.Option(
        "--backend",
        "-b",
        metavar="NAME|module:Class|cmd:…",
        help="The backend to test: its name, a class, or a command; default: all.",
    ),
]
Roots = Annotated[
    list[Path] | None,
    typer.Option("--cases", "-c", metavar="DIR", help="Cases; default: the kit's own."),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", "-k", metavar="GLOB", help="Only these cases: id, or chapter/id."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="GLOB", help="Not these cases: id, or chapter/id."),
]
Needs = Annotated[
    list[str] | None,
    typer.Option("--needs", metavar="CAPABILITY", help="Only cases that need one of these."),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="CAPABILITY", help="Not the cases that need this."),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", help=f"Only cases that expect: {', '.join(KINDS)}."),
]
Profile = Annotated[ProfileName | None, typer.Option(help="Only cases in this dialect.")]
Core = Annotated[
    bool, typer.Option("--core", help="Only the core: a few of the cases, for a first verdict.")
]
Requirements = Annotated[
    str | None,
    typer.Option(
        "--requirements",
        metavar="RELEASE|all",
        help="Only the cases that this release requires fail the run; default: all cases do.",
    ),
]
MarkedRequirements = Annotated[
    str | None,
    typer.Option(
        "--requirements",
        metavar="RELEASE|all",
        help="In the JSON, mark the cases that this release requires; default: all cases.",
    ),
]
CountedBackends = Annotated[
    list[str] | None,
    typer.Option(
        "--backend",
        "-b",
        metavar="NAME|module:Class|cmd:…",
        help="Do not count the cases that this backend skips; default: those that all skip.",
    ),
]
LedgerFolder = Annotated[
    Path | None,
    typer.Option("--ledger", metavar="DIR", help="The sources' statements; default: the kit's."),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout", metavar="SECONDS", min=0.001, help="The time for each answer of a backend."
    ),
]
MostRows = Annotated[
    int, typer.Option("--max-rows", metavar="N", min=1, help="Rows that a poll may answer.")
]
InProcess = Annotated[
    bool,
    typer.Option(
        "--in-process",
        help="Call backends written in Python in this process, for a debugger: one that hangs "
        "or dies takes the run with it.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]


def load(
    roots: list[Path] | None, chosen: Selection | None = None, gaps: Sequence[str] = ()
) -> Corpus:
    """The corpus in some folders (None: the kit's); ends with exit code 2 if it has problems.

    Of the kit's corpus, files without a case whose name is ``chosen`` are not read.  But all files
    are read if ``chosen`` or ``gaps`` name capabilities, because these are looked up in the needs
    of all cases.  A terminal shows that cases are read: this takes seconds after a file has
    changed.
    """
    with progress("reading the cases"):
        corpus = _read(roots, chosen, gaps)
    if corpus.problems:
        usage_error("\n".join(map(str, corpus.problems)))
    return corpus


def _read(roots: list[Path] | None, chosen: Selection | None, gaps: Sequence[str]) -> Corpus:
    """The corpus that `load` returns, with its problems."""
    if roots:
        return load_corpus(roots)
    only = chosen.only if chosen and not (chosen.needs or chosen.without or gaps) else ()
    corpus = kit_corpus(tuple(only))
    # If a pattern matches no case, all cases are needed for the hint in the message.
    has_all = all(corpus.only([glob]).cases for glob in only)
    return corpus if has_all else kit_corpus()


def ledger_entries(folder: Path | None) -> tuple[Entry, ...]:
    """The ledger in a folder (None: the kit's); ends with exit code 2 if it has problems."""
    try:
        return read_ledger(folder or kit_ledger())
    except InvalidFilesError as error:
        usage_error(str(error))


def selection(
    only: list[str] | None,
    exclude: list[str] | None,
    needs: list[str] | None,
    without: list[str] | None,
    kinds: list[str] | None,
    profile: ProfileName | None,
    core: bool = False,
) -> Selection:
    """The conditions of the options; ends with exit code 2 if one of ``kinds`` does not exist."""
    for kind in kinds or ():
        if kind not in KINDS:
            usage_error(f"there is no kind {kind}{nearest(kind, KINDS)} ({', '.join(KINDS)})")
    return Selection(
        only=only or (),
        exclude=exclude or (),
        needs=needs or (),
        without=without or (),
        kinds=kinds or (),
        profile=profile.value if profile else None,
        core=core_ids(kit_core()) if core else None,
    )


def require_words(corpus: Corpus, words: list[str] | None) -> None:
    """End with exit code 2 if one of the words does not name a capability."""
    known = known_words(corpus.cases)
    for word in words or ():
        if word not in known:
            usage_error(
                f"there is no capability {word}{nearest(word, known)}; see `tck list --json`"
            )


def chosen_cases(corpus: Corpus, chosen: Selection) -> list[Case]:
    """The selected cases; ends with exit code 2 if there are none, or for an unknown capability."""
    require_words(corpus, [*chosen.needs, *chosen.without])
    if chosen.only and not corpus.only(chosen.only).cases:
        close = get_close_matches(chosen.only[0], [case.id for case in corpus.cases])
        hint = f"did you mean {' or '.join(close)}?" if close else "see `list`"
        usage_error(f"no case is named {' or '.join(chosen.only)} ({hint})")
    cases = [case for case in corpus.cases if chosen.selects(case)]
    if chosen.core is not None and not any(case.id in chosen.core for case in corpus.cases):
        usage_error("none of these cases is in the core, which has cases of the kit alone")
    if not cases and chosen == Selection(only=chosen.only, profile=chosen.profile):
        usage_error(f"none of these cases has the profile {chosen.profile}")
    if not cases:
        usage_error("no case is selected: leave out one of the conditions")
    return cases


def with_requirements(cases: list[Case], release: str | None) -> list[Case]:
    """The cases, with ``required`` set by the requirements of a release.

    All cases are required if ``release`` is None or ``all``.  Ends with exit code 2 if there is no
    such release.
    """
    if release is None or release == ALL:
        return cases
    known = releases(kit_requirements())
    if release not in known:
        usage_error(f"there is no release {release} ({', '.join((*known, ALL))})")
    required = required_ids(kit_requirements(), release)
    return [replace(case, required=case.id in required) for case in cases]


def write_file(path: Path, text: str) -> None:
    """Write a file whole; ends with exit code 2 if it cannot be written."""
    try:
        write_whole(path, text)
    except OSError as error:
        usage_error(f"{path}: cannot be written: {error.strerror or error}")


def usage_error(message: str) -> NoReturn:
    """Print a message about wrong usage, and end with exit code 2."""
    print_message(message)
    raise typer.Exit(EXIT_USAGE)
