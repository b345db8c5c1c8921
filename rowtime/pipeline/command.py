"""`rowtime run FILE.sql`: runs a pipeline until its input ends or it is interrupted."""

import re
from collections.abc import Sequence
from pathlib import Path

import typer

from algebra.catalog import Profile
from algebra.records.pipeline import Settings
from rowtime.command_errors import errors_to_the_user
from rowtime.inputs import DataFile
from rowtime.limits.drop_limit import DEFAULT_LIMIT, DropLimit
from rowtime.pipeline.engines import engine_of, pipeline
from rowtime.pipeline.watch import Watch, interruptible
from rowtime.script import Script
from tck.terminal.messages import print_message


def seconds(text: str) -> float:
    """The seconds of ``500ms``, ``2s``, ``2 seconds`` or ``1min``; a usage error for 0."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *(ms|s|seconds?|min|minutes?)", text.strip())
    if found is None or float(found[1]) == 0:
        raise typer.BadParameter(f"--trigger {text}: write it as 500ms, 2s or 1min")
    number, unit = float(found[1]), found[2]
    if unit == "ms":
        return number * 0.001
    return number * 60 if unit.startswith("min") else number


def spark_settings(arguments: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """``spark.executor.memory=4g`` as key and value; a usage error without ``spark.`` or ``=``."""
    settings: list[tuple[str, str]] = []
    for each in arguments:
        key, equals, value = each.partition("=")
        if not (equals and key.strip().startswith("spark.")):
            raise typer.BadParameter(
                f"--conf {each}: write it as spark.KEY=VALUE, for example spark.executor.memory=4g"
            )
        settings.append((key.strip(), value))
    return tuple(settings)


def run_pipeline(
    script: Script,
    profile: Profile,
    data: tuple[DataFile, ...],
    backend: str,
    settings: Settings,
    root: Path | None = None,
    limit: DropLimit = DEFAULT_LIMIT,
) -> None:
    """Run a pipeline, and print on standard error how many rows it has read, dropped and written.

    ``root``: the folder to which the script's foreign streams are confined.

    Raises `typer.Exit` with status 130 if it was interrupted, with 1 if more rows were dropped than
    ``limit`` allows, and as `errors_to_the_user` does.
    """
    watch = Watch()
    try:
        with errors_to_the_user(script, watch.written_text):
            engine = engine_of(backend)
            made = pipeline(script.text, profile, data, root)
            with interruptible() as stopping, watch.receiver() as report:
                progress = engine.run(made, settings, report, stopping)
    except typer.Exit as ended:
        if ended.exit_code == 1:
            print_message(watch.written_text())
        raise
    for line in watch.summary(progress, stopping()):
        print_message(line)
    faults = [] if stopping() else list(watch.faults(progress, limit))
    for line in faults:
        print_message(line)
    if stopping() or faults:
        raise typer.Exit(130 if stopping() else 1)
