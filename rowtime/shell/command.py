"""`rowtime sql`: runs a shell on a terminal, or else the statements of standard input."""

import sys
from collections.abc import Sequence
from pathlib import Path

from algebra.catalog import Profile
from algebra.records.printing import Format
from rowtime.driver.connection import connect
from rowtime.limits.resource_limits import UNLIMITED, ResourceLimits
from rowtime.shell.session import ShellSession


def run_shell(
    file: Path | None,
    format: Format | None,
    profile: Profile,
    history: Path | None,
    root: Path | None = None,
    commands: Sequence[str] = (),
    limits: ResourceLimits = UNLIMITED,
) -> int:
    """Run the shell on the database in ``file`` (None: in memory); return its exit status.

    ``format`` is the format of results.  None: results are tables, and the table of a changelog is
    redrawn in place on a terminal.  ``history`` is the file in which typed lines are stored.
    ``root`` is the folder to which `.read` and `.import` are confined.  ``commands`` are executed
    in place of standard input.  ``limits`` hold for each query.

    The status is 1 if one of ``commands``, or a statement of standard input, has failed; those
    after it are not executed.
    """
    with connect(file, profile=profile) as connection:
        redraws = format is None and sys.stdout.isatty()
        shown = format or Format.TABLE
        session = ShellSession(
            connection, sys.stdout, sys.stderr, shown, root, redraws=redraws, limits=limits
        )
        try:
            if commands:
                for each in commands:
                    if not session.run(each) or session.failed:
                        break
                return int(session.failed)
            if not sys.stdin.isatty():
                return _run_script(session)
            from rowtime.shell.interactive import interact

            print("rowtime: statements end with a semicolon; \\? lists the commands, \\q ends")
            interact(session, history)
            return 0
        finally:
            session.close()


def _run_script(session: ShellSession) -> int:
    """Execute standard input, statement by statement, until one fails; return the exit status."""
    pending = ""
    for line in sys.stdin:
        pending += line
        if session.is_complete(pending):
            text, pending = pending, ""
            if not session.run(text) or session.failed:
                break
    if pending.strip() and not session.failed:
        session.run(pending)
    return int(session.failed)
