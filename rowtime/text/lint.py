"""`rowtime lint`: all refusals of a script, and their corrections."""

from collections.abc import Sequence
from pathlib import Path

import typer

from algebra.catalog import Profile
from algebra.lint import corrected, refusals
from algebra.records.printing import whole_file
from rowtime.script import Script
from tck.exit_codes import EXIT_FAILURES


def lint(
    file: Path, text: str, ddl: Sequence[tuple[str, str]], profile: Profile, *, fix: bool
) -> None:
    """Print the refusals of the script ``text`` of ``file``, which runs behind those of ``ddl``.

    With ``fix`` the file is first written anew with the corrections that they suggest, if there
    are any; the texts of ``ddl`` stay.  Raises `typer.Exit` with 1 if a refusal is left.
    """
    script = Script((*ddl, (str(file), text)))
    if fix:
        start = len(script.text) - len(text)
        new = corrected(script.text, profile, start)[start:]
        if new != text:
            with whole_file(file) as to:
                to.write(new)
            typer.echo(f"{file} corrected", err=True)
            script = Script((*ddl, (str(file), new)))
    found = refusals(script.text, profile)
    for error in found:
        typer.echo(script.error_text(error))
    if found:
        with_edits = sum(bool(error.edits) for error in found)
        hint = f"; --fix corrects {with_edits}" if with_edits and not fix else ""
        typer.echo(f"{len(found)} refused{hint}", err=True)
        raise typer.Exit(EXIT_FAILURES)
