"""The commands of the kit, by the names that users call them by."""

import typer

from tck.commands.badge import make_badge
from tck.commands.coverage import show_coverage
from tck.commands.diff import diff_runs
from tck.commands.example import copy_example
from tck.commands.export import export_cases
from tck.commands.lint import lint_corpus
from tck.commands.list import list_cases
from tck.commands.protocol import show_protocol
from tck.commands.report import report
from tck.commands.run import run
from tck.commands.smoke import smoke_test
from tck.commands.sources import show_sources

app = typer.Typer(
    help="The conformance kit for streaming SQL.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("run")(run)
app.command("smoke")(smoke_test)
app.command("report")(report)
app.command("diff")(diff_runs)
app.command("badge")(make_badge)
app.command("protocol")(show_protocol)
app.command("list")(list_cases)
app.command("export")(export_cases)
app.command("coverage")(show_coverage)
app.command("sources")(show_sources)
app.command("lint")(lint_corpus)
app.command("example")(copy_example)
