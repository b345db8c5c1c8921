"""`rowtime fmt` and `rowtime lint`: the texts of scripts."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from algebra.catalog import Profile
from rowtime.command_errors import errors_to_the_user
from rowtime.commands.options import Ddl, ProfileName, text_of
from rowtime.script import Script


def fmt(
    files: Annotated[list[str], typer.Argument(help="Scripts; - for standard input and output.")],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; name the files that would change.")
    ] = False,
) -> None:
    """Lay scripts out: lines, indents, keywords in upper case.

    Comments and names stay as they are.

    Exit code: 0; 1 if a file does not parse or, with --check, would change; 2 usage.
    """
    from rowtime.text.fmt import STANDARD
    from rowtime.text.fmt import fmt as lay_out

    texts = [(e, sys.stdin.read() if e == STANDARD else text_of(Path(e))) for e in files]
    with errors_to_the_user(Script(())):
        lay_out(texts, check=check)


def lint(
    file: Annotated[Path, typer.Argument(help="A script.")],
    ddl: Ddl = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Correct the file as the refusals suggest.")
    ] = False,
    profile: ProfileName = Profile.CALCITE,
) -> None:
    """Print all faults of a script, and correct them.

    Each statement that is refused is printed with its fault and a hint; --fix applies the hints.

    Exit code: 0; 1 if a statement is refused; 2 usage.
    """
    from rowtime.text.lint import lint as check

    texts = [(str(each), text_of(each)) for each in ddl or []]
    with errors_to_the_user(Script(())):
        check(file, text_of(file), texts, profile, fix=fix)
