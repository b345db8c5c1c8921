"""Turns exceptions of a command into messages on standard error and exit statuses."""

import contextlib
from collections.abc import Callable, Generator

import typer

from grammar.source import SqlError
from rowtime.script import Script
from rowtime.standard_streams import drop_output
from tck.exit_codes import EXIT_FAILURES, EXIT_NO_BACKEND, EXIT_USAGE
from tck.terminal.messages import print_message


@contextlib.contextmanager
def errors_to_the_user(
    script: Script,
    written: Callable[[], str] = lambda: "nothing was written",
    wrong: int = EXIT_FAILURES,
) -> Generator[None]:
    """A context in which errors that a user can correct become messages and exit statuses.

    It prints the message, and raises `typer.Exit` in place of the exception.  Other exceptions
    pass.  ``script`` has the files in whose lines an `SqlError` is shown.  ``written`` returns a
    message about the output that an interrupted run has left.  ``wrong`` is the exit status if a
    query or a file is wrong, and if memory does not suffice.
    """
    from algebra.records.opening import FileError
    from algebra.records.pipeline import EngineStartError, RunError
    from tck.wire.faults import BackendStartError, UnknownBackendError

    try:
        yield
    except BrokenPipeError:
        # The reader of standard output, for example `head`, has closed its end.
        drop_output()
        raise typer.Exit(1) from None
    except SqlError as error:
        print_message(script.error_text(error))
        raise typer.Exit(wrong) from None
    except (RunError, FileError) as error:
        print_message(str(error))
        raise typer.Exit(wrong) from None
    except UnknownBackendError as error:
        print_message(str(error))
        raise typer.Exit(EXIT_USAGE) from None
    except EngineStartError as error:
        print_message(str(error))
        raise typer.Exit(EXIT_NO_BACKEND) from None
    except BackendStartError as error:
        print_message(error.explained)
        raise typer.Exit(EXIT_NO_BACKEND) from None
    except OSError as error:
        print_message(f"{error.filename or 'output'}: {error.strerror or error}")
        raise typer.Exit(wrong) from None
    except MemoryError:
        print_message("the command needs more memory than its process can get")
        raise typer.Exit(wrong) from None
    except KeyboardInterrupt:
        print_message(f"interrupted; {written()}")
        raise typer.Exit(130) from None
