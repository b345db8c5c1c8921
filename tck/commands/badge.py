"""The command `tck badge`: draw an SVG image with the result of a backend in a run."""

from pathlib import Path
from typing import Annotated

import typer

from tck.commands.earlier_runs.files import read_run
from tck.commands.options import usage_error, write_file
from tck.files import shown_path
from tck.report.badge import badge, badge_svg


def make_badge(
    run: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines of the run.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="SVG", help="The image.")],
    backend: Annotated[
        str | None,
        typer.Option(
            "--backend", "-b", metavar="NAME", help="The backend, if the run has several."
        ),
    ] = None,
) -> None:
    """Draw a badge: how many of the judged cases a backend passes.

    The badge also names the tier: when the backend promises to emit rows.
    """
    record = read_run(run)
    names = list(record.tiers)
    if not names:
        usage_error(f"{shown_path(run)}: no backend was started")
    if backend is None and len(names) > 1:
        usage_error(f"{shown_path(run)}: give --backend, which is one of {', '.join(names)}")
    if backend is not None and backend not in names:
        usage_error(f"{shown_path(run)}: no backend is {backend} (there are {', '.join(names)})")
    write_file(output, badge_svg(badge(record, backend or names[0])))
