"""`rowtime lint`: all refusals of a script, and their corrections."""

from collections.abc import Sequence
from pathlib import Path

import typer

from algebra.catalog import Profile
from algebra.lint import corrections, refusals
from algebra.records.printing import whole_file
from grammar.source import edited
from rowtime.script import Script
from tck.exit_codes import EXIT_FAILURES
from tck.terminal.messages import print_message, print_text


def lint(
    file: Path, text: str, ddl: Sequence[tuple[str, str]], profile: Profile, *, fix: bool
) -> None:
    """Print all refusals of a script: the files ``ddl``, and after them ``text``, that of ``file``.

    With ``fix`` each statement of ``file`` that can be corrected is first replaced by its
    correction, and the file is written; the files of ``ddl`` do not change.  Raises `typer.Exit`
    with 1 if a refusal is left.
    """
    script = Script((*ddl, (str(file), text)))
    start = len(script.text) - len(text)
    edits = corrections(script.text, profile, start)
    if fix and edits:
        new = edited(script.text, edits)[start:]
        with whole_file(file) as to:
            to.write(new)
        print_message(f"{file} corrected")
        script = Script((*ddl, (str(file), new)))
    found = refusals(script.text, profile)
    for error in found:
        print_text(script.error_text(error))
    if found:
        hint = f"; --fix corrects {len(edits)}" if edits and not fix else ""
        print_message(f"{len(found)} refused{hint}")
        raise typer.Exit(EXIT_FAILURES)
