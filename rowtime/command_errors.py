"""What a user is told of a command that fails: the error, what is left, and the exit status."""

import contextlib
import os
import sys
from collections.abc import Callable, Generator

import typer

from grammar.source import SqlError
from rowtime.script import Script
from tck.exit_codes import EXIT_NO_BACKEND, EXIT_USAGE


@contextlib.contextmanager
def errors_to_the_user(
    script: Script, written: Callable[[], str] = lambda: "nothing was written"
) -> Generator[None]:
    """What a user can mend is said on standard error, and the exit status is not 0.

    ``written`` says what stays of a run that was broken off.
    """
    from algebra.records.csv_files import FileError
    from algebra.records.pipeline import EngineStartError, RunError
    from tck.backends import BackendStartError, UnknownBackendError

    try:
        yield
    except BrokenPipeError:
        # The reader has gone, as `head` does; what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except SqlError as error:
        typer.echo(script.told(error), err=True)
        raise typer.Exit(1) from None
    except (RunError, FileError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    except UnknownBackendError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(EXIT_USAGE) from None
    except (BackendStartError, EngineStartError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(EXIT_NO_BACKEND) from None
    except OSError as error:
        typer.echo(f"{error.filename or 'output'}: {error.strerror or error}", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo(f"interrupted; {written()}", err=True)
        raise typer.Exit(130) from None
