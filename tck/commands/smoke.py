"""`tck smoke`: whether a backend is wired to the kit."""

import sys
from contextlib import closing
from typing import Annotated

import typer

from tck.backends import SECONDS, Wiring
from tck.commands.options import InProcess, Timeout, usage_error
from tck.exit_codes import EXIT_ENGINE, EXIT_HARNESS, EXIT_NO_BACKEND
from tck.printable import printable
from tck.smoke import Fault, Finding, smoke
from tck.wire.faults import BackendStartError, UnknownBackendError


def smoke_test(
    backend: Annotated[
        str,
        typer.Option(
            "--backend",
            "-b",
            metavar="NAME|module:Class|cmd:…",
            help="The backend: its name, a class, or a command.",
        ),
    ],
    seconds: Timeout = SECONDS,
    in_process: InProcess = False,
) -> None:
    """Check in seconds that a backend is wired to the kit, and say whose fault it is if not.

    Exit code: 0; 2 usage; 3 if the backend could not be started; 7 if its harness is wrong, which
    gave no answer or one that the protocol does not allow; 8 if only the engine is.
    """
    found = set[Fault]()
    try:
        with closing(smoke(backend, Wiring(in_process, seconds))) as findings:
            for each in findings:
                found.add(each.fault)
                _print(each)
    except UnknownBackendError as error:
        usage_error(str(error))
    except BackendStartError as error:
        print("\n".join(map(printable, (str(error), *error.detail))), file=sys.stderr)
        raise typer.Exit(EXIT_NO_BACKEND) from None
    if Fault.HARNESS in found:
        print(f"{backend}: its harness is wrong, nothing can be said of the engine")
        raise typer.Exit(EXIT_HARNESS)
    if Fault.ENGINE in found:
        print(f"{backend}: the harness is right, the engine is wrong")
        raise typer.Exit(EXIT_ENGINE)
    print(f"{backend}: ready for `rowtime tck run`")


def _print(finding: Finding) -> None:
    print(f"{finding.fault:8}{finding.name}")
    for line in (finding.reason, *finding.detail):
        if line:
            print(f"          {printable(line)}")
