"""`rowtime prepare-spark`: prepares an environment so that Spark starts sooner."""

import sys

import typer

from tck.terminal.messages import print_message, print_text


def prepare_spark() -> None:
    """Let Spark start sooner in this environment.

    This takes half a minute and 200 MB of disk, once.

    Java writes the classes of Spark that it has loaded to a file in the environment, and starts
    from that.  With another Java or another version of Spark, run this again.

    Exit code: 0; 1 if there is no Java, or it writes no such file.
    """
    # Imported here: no other command waits for it.
    from rowtime.commands import spark_exercise
    from spark_backend.runtime.class_archive import NoArchiveError, write_class_archive
    from spark_backend.runtime.java import NoJavaError

    try:
        archive = write_class_archive([sys.executable, "-m", spark_exercise.__name__])
    except (NoArchiveError, NoJavaError) as error:
        print_message(f"Spark starts as before: {error}")
        raise typer.Exit(1) from None
    print_text(f"Spark starts from {archive}")
