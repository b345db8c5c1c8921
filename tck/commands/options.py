"""The options that several commands have, and what they select."""

import sys
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from tck.corpus.case import Case
from tck.corpus.document import InvalidFilesError
from tck.corpus.ledger import Entry, kit_ledger, read_ledger
from tck.corpus.load import Corpus, kit_cases, load_corpus
from tck.exit_codes import EXIT_USAGE
from tck.files import write_whole
from tck.report.record import RunRecord, read_record


class ProfileName(StrEnum):
    """The profiles of the language (S-701)."""

    CALCITE = "calcite"
    SQLSTREAM = "sqlstream"


class TierName(StrEnum):
    """The tiers: what a backend promises about when rows are emitted."""

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
LedgerFolder = Annotated[
    Path | None, typer.Option("--ledger", metavar="DIR", help="The ledger; default: the kit's own.")
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


def load(roots: list[Path] | None) -> Corpus:
    """The corpus of these folders, None: of the kit; exit code 2 if it has problems."""
    corpus = load_corpus(roots or [kit_cases()])
    if corpus.problems:
        usage_error("\n".join(map(str, corpus.problems)))
    return corpus


def ledger_entries(folder: Path | None) -> tuple[Entry, ...]:
    """The ledger in this folder, None: that of the kit; exit code 2 if it has problems."""
    try:
        return read_ledger(folder or kit_ledger())
    except InvalidFilesError as error:
        usage_error(str(error))


def chosen_cases(corpus: Corpus, only: list[str] | None, profile: ProfileName | None) -> list[Case]:
    """The cases that these options select; exit code 2 if there is none."""
    chosen = corpus.only(only or []).cases
    if not chosen:
        close = get_close_matches((only or [""])[0], [case.id for case in corpus.cases])
        hint = f"did you mean {' or '.join(close)}?" if close else "see `list`"
        usage_error(f"no case is named {' or '.join(only or [])} ({hint})")
    of_profile = [case for case in chosen if profile is None or case.profile == profile]
    if not of_profile:
        usage_error(f"none of these cases is of the profile {profile}")
    return of_profile


def read_run(path: Path) -> RunRecord:
    """The run of a file of JSON lines; exit code 2 if it is none."""
    try:
        return read_record(path)
    except InvalidFilesError as error:
        usage_error(str(error))


def write_file(path: Path, text: str) -> None:
    """Write a file whole; exit code 2 if it cannot be written."""
    try:
        write_whole(path, text)
    except OSError as error:
        usage_error(f"{path}: cannot be written: {error.strerror or error}")


def kit_version() -> str:
    """The version of the kit; ``unknown`` where it is not installed."""
    # Imported here: it takes as long as a small query, and not every command needs it.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rowtime")
    except PackageNotFoundError:
        return "unknown"


def usage_error(message: str) -> NoReturn:
    """Print a message about wrong usage, and end with exit code 2."""
    print(message, file=sys.stderr)
    raise typer.Exit(EXIT_USAGE)
