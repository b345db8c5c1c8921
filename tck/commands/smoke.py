"""The command `tck smoke`: check that a backend is wired to the kit, or that the kit is sound.

A backend consists of the *harness*, which speaks the protocol of the kit, and the *engine*.
"""

from contextlib import closing
from typing import Annotated

import typer

from tck.backends import SECONDS, Wiring
from tck.commands.options import InProcess, Timeout, usage_error
from tck.exit_codes import EXIT_ENGINE, EXIT_HARNESS, EXIT_NO_BACKEND
from tck.smoke.conversations import OPENS, Fault, Finding, smoke
from tck.smoke.installation import installation
from tck.terminal.messages import print_message, print_text
from tck.terminal.printable import printable
from tck.wire.faults import BackendStartError, UnknownBackendError


def smoke_test(
    backend: Annotated[
        str | None,
        typer.Option(
            "--backend",
            "-b",
            metavar="NAME|module:Class|cmd:…",
            help="The backend: its name, a class, or a command; default: the kit is checked.",
        ),
    ] = None,
    seconds: Timeout = SECONDS,
    in_process: InProcess = False,
) -> None:
    """Check in seconds that a backend is wired to the kit.

    If it is not, the output names the part at fault: the harness, or the engine.

    Without --backend, check in a minute that this installation of the kit is sound: its files, its
    reference, and processes of its own.

    Exit code: 0; 2 usage; 3 if the backend could not be started; 7 if its harness is wrong, which
    gave no answer or one that the protocol does not allow; 8 if only the engine is.
    """
    found = set[Fault]()
    opens = Fault.NONE  # the fault of the check that opens the simplest queries
    checks = smoke(backend, Wiring(in_process, seconds)) if backend else installation(seconds)
    try:
        with closing(checks) as findings:
            for each in findings:
                found.add(each.fault)
                opens = each.fault if each.name == OPENS else opens
                _print(each)
    except UnknownBackendError as error:
        usage_error(str(error))
    except BackendStartError as error:
        print_message(error.explained)
        raise typer.Exit(EXIT_NO_BACKEND) from None
    if backend is None:
        if found != {Fault.NONE}:
            print_text("this installation of rowtime is broken: install it again")
            raise typer.Exit(EXIT_ENGINE if found == {Fault.NONE, Fault.ENGINE} else EXIT_HARNESS)
        print_text("this installation of rowtime is sound")
        return
    if Fault.HARNESS in found:
        print_text(f"{backend}: its harness is wrong, so that the engine cannot be judged")
        raise typer.Exit(EXIT_HARNESS)
    if opens is Fault.MISSING:
        print_text(f"{backend}: the harness is right, but the engine lacks the simplest queries")
        raise typer.Exit(EXIT_ENGINE)
    if Fault.ENGINE in found:
        print_text(f"{backend}: the harness is right, the engine is wrong")
        raise typer.Exit(EXIT_ENGINE)
    lacks = ", but for the missing queries" if Fault.MISSING in found else ""
    print_text(f"{backend}: ready for `rowtime tck run`{lacks}")


def _print(finding: Finding) -> None:
    """Print the result of one check, and its details on indented lines."""
    print_text(f"{finding.fault:8}{finding.name}")
    for line in (finding.reason, *finding.detail):
        if line:
            print_text(f"          {printable(line)}")
