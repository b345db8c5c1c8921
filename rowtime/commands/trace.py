"""`rowtime trace`: the timeline of a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algebra.catalog import Profile
from rowtime.command_errors import errors_to_the_user
from rowtime.commands.options import Ddl, Query, QueryFile, query_text, script_of
from tck.terminal.messages import print_message

if TYPE_CHECKING:
    from tck.drawing.changelog import ChangelogRun
    from tck.drawing.timeline import Timeline


def trace(
    query: Query = None,
    file: QueryFile = None,
    events_file: Annotated[
        Path | None,
        typer.Option("--script", metavar="FILE", help="The events, as YAML: see docs/traces.md."),
    ] = None,
    case: Annotated[
        str | None, typer.Option("--case", metavar="ID", help="Play a case of the kit instead.")
    ] = None,
    cases: Annotated[
        list[Path] | None,
        typer.Option("--cases", metavar="DIR", help="Cases in place of the kit's own."),
    ] = None,
    ddl: Ddl = None,
    profile: Annotated[
        Profile | None,
        typer.Option("--profile", help="The dialect of the SQL; by default the script's."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw it as an SVG image.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Draw it as a page.")
    ] = None,
) -> None:
    """Show the rows and bounds of a run, and the rows emitted.

    The timeline also shows the reason why a row is emitted at its moment.

    Exit code: 0; 1 if the query is refused or fails, or the script is wrong; 2 usage; 130
    interrupted.
    """
    from algebra.records.printing import whole_file
    from rowtime.timeline.case_events import play_of_case
    from rowtime.timeline.events import play_of_file
    from rowtime.timeline.timeline import timeline
    from tck.corpus.document import InvalidFilesError

    if (events_file is None) == (case is None):
        raise typer.BadParameter("say what happens with --script FILE or --case ID: one of them")
    if case is not None and (query or file or ddl or profile):
        raise typer.BadParameter("a case has its own query, DDL and profile: give --case alone")
    sql = None if query is None and file is None else query_text(query, file)
    ddl_script = script_of(ddl)  # the files of --ddl, or else the example schema
    with errors_to_the_user(ddl_script):
        try:
            if events_file is None:
                play = play_of_case(case or "", cases or [])
            else:
                play = play_of_file(
                    events_file,
                    sql,
                    profile,
                    before=ddl_script if ddl else None,
                    example=ddl_script,
                )
        except InvalidFilesError as error:
            print_message(str(error))
            raise typer.Exit(1) from None
    with errors_to_the_user(play.script):
        run = timeline(play)
        for path, form in ((svg, "svg"), (html, "html")):
            if path is not None:
                from rowtime.timeline.draw import html as drawn_page
                from tck.drawing.draw import svg as drawn_image

                drawn = drawn_image(run) if form == "svg" else drawn_page(run)
                with whole_file(path) as to:
                    to.write(drawn)
        if svg is None and html is None:
            _print_timeline(run)
    if run.failure:
        print_message(run.failure)
        raise typer.Exit(1)


def _print_timeline(run: "Timeline | ChangelogRun") -> None:
    """Print the run as text.

    Its lines fit the terminal, or the environment variable COLUMNS.  Without both, they have their
    full length.
    """
    import os

    from rich.console import Console

    from rowtime.timeline.text import lines_of

    console = Console(highlight=False)
    has_width = console.is_terminal or os.environ.get("COLUMNS", "").isdigit()
    text = list(lines_of(run, console.width if has_width else None))
    console.width = max(line.cell_len for line in text)
    for line in text:
        console.print(line, no_wrap=True, crop=False)
