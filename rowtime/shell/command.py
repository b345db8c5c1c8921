"""`rowtime sql`: on a terminal a shell, else the statements of standard input."""

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
    """Run the shell on the database in ``file``, None: in memory; its exit status.

    ``format`` is that of results; None: tables, which on a terminal are redrawn in place if the
    result is a changelog.  ``commands`` are executed in place of standard input.
    ``root`` is the folder to which `.read` is confined; ``limits`` hold for each query.  The status
    is 1 if a statement of a script failed; the statements after it were not carried out.
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
    """Carry out standard input, statement by statement, until one fails."""
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
