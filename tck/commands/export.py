"""The command `tck export`: write whole cases for other runners, as JSON or as sqllogictest."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tck import kit_version
from tck.commands.options import (
    Core,
    Exclude,
    Kinds,
    MarkedRequirements,
    Needs,
    Only,
    Profile,
    Roots,
    Without,
    chosen_cases,
    load,
    selection,
    usage_error,
    with_requirements,
    write_file,
)
from tck.corpus.case import Case
from tck.corpus.selected.export import export_schema, exported
from tck.corpus.selected.sqllogictest import sqllogictest_files
from tck.result_types import typed
from tck.terminal.messages import print_message


class Format(StrEnum):
    """The formats of an export."""

    JSON = "json"
    SQLLOGICTEST = "sqllogictest"


def export_cases(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR",
            help="Where to write: one file, or a folder with a file for each chapter; "
            "default: standard output.",
        ),
    ] = None,
    format: Annotated[
        Format,
        typer.Option(
            "--format",
            help="JSON, or files of sqllogictest, a folder with a file for each case: see "
            "docs/sqllogictest.md.",
        ),
    ] = Format.JSON,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of the format.")
    ] = False,
    cases: Roots = None,
    only: Only = None,
    exclude: Exclude = None,
    needs: Needs = None,
    without: Without = None,
    kind: Kinds = None,
    profile: Profile = None,
    core: Core = False,
    requirements: MarkedRequirements = None,
) -> None:
    """Write the cases as plain JSON, or as files of sqllogictest.

    Each case has its query, input and expectation in full, so that nothing must be looked up.
    """
    if schema:
        print(export_schema())
        return
    selected = selection(only, exclude, needs, without, kind, profile, core)
    chosen = chosen_cases(load(cases, selected), selected)
    chosen = [typed(case) for case in with_requirements(chosen, requirements)]
    if format is Format.SQLLOGICTEST:
        if output is None:
            usage_error("--format sqllogictest writes a file for each case: give a folder with -o")
        _write_sqllogictest(output, chosen)
    elif output is None:
        print(_text(chosen), end="")
    elif output.suffix == ".json":
        write_file(output, _text(chosen))
    else:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            usage_error(f"{output}: cannot be written: {error.strerror or error}")
        for chapter in dict.fromkeys(case.chapter for case in chosen):
            of_chapter = [case for case in chosen if case.chapter == chapter]
            write_file(output / f"{chapter}.json", _text(of_chapter))


def _write_sqllogictest(folder: Path, cases: list[Case]) -> None:
    """Write the files of the cases; print their number, and the reasons why cases have no file."""
    texts, reasons = sqllogictest_files(cases)
    for name, text in texts.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            usage_error(f"{path.parent}: cannot be written: {error.strerror or error}")
        write_file(path, text)
    print_message(f"{folder}: {len(texts):,} files")
    for reason, count in sorted(reasons.items(), key=lambda each: -each[1]):
        has = "case has" if count == 1 else "cases have"
        print_message(f"{count:,} {has} no file: {reason}")


def _text(cases: list[Case]) -> str:
    """The cases as JSON."""
    return json.dumps(exported(cases, kit_version()), ensure_ascii=False, indent=1) + "\n"
