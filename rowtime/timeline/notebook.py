"""`rowtime.trace`: a run as a picture in a notebook."""

import html
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from algebra.catalog import Profile
from algebra.records.pipeline import RunError
from rowtime.driver.errors import ProgrammingError, driver_errors
from rowtime.script import Script
from rowtime.timeline.case_events import play_of_case
from rowtime.timeline.events import Play, play_of_file
from rowtime.timeline.text import lines_of
from rowtime.timeline.timeline import timeline
from tck.corpus.document import InvalidFilesError
from tck.drawing.changelog import ChangelogRun
from tck.drawing.draw import svg, svg_in_html
from tck.drawing.timeline import Timeline

#: The events of one step of a script (docs/traces.md): ``{"feed": {"Orders": [[…]]}}``.
Step: TypeAlias = Mapping[str, object]


class Trace:
    """A run: a notebook shows it as the picture of `rowtime trace`, `print` as its text.

    ``failure`` is the run-time error that has ended the run; empty: there was none.
    """

    def __init__(self, run: Timeline | ChangelogRun) -> None:
        self.timeline = run
        self.failure = run.failure

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""
        return svg(self.timeline)

    def __str__(self) -> str:
        """The lines that `rowtime trace` prints."""
        return "\n".join(line.plain.rstrip() for line in lines_of(self.timeline))

    def __repr__(self) -> str:
        """The same lines, which a notebook shows where it has no pictures."""
        return str(self)

    def _repr_html_(self) -> str:
        """The picture, whose rows have their reasons on hover, and below it the run as text."""
        return f"{svg_in_html(self.timeline)}\n{_as_text(str(self))}"


def _as_text(lines: str) -> str:
    """The run for readers who cannot see the picture: a folded text under a heading."""
    text = html.escape(lines)
    return f"<details><summary>The same as text</summary><pre>{text}</pre></details>"


def trace(
    sql: str | None = None,
    steps: Sequence[Step] | None = None,
    *,
    case: str | None = None,
    script: str | Path | None = None,
    ddl: str | None = None,
    date: str | None = None,
    tables: Mapping[str, object] | None = None,
    profile: Profile | str | None = None,
) -> Trace:
    """Run a query over events: those of ``steps``, of a file ``script``, or of the kit's ``case``.

    ``steps`` are the steps of docs/traces.md as values of Python.  ``date`` completes times that
    have no date.  ``tables`` has the rows of tables before the first step.  Without ``ddl``, the
    schema is that of the Calcite streaming page.  Raises `ProgrammingError` if the query is
    refused, or if the events do not fit its inputs.

    >>> print(trace("SELECT STREAM * FROM Orders WHERE units > 3",
    ...             [{"feed": {"Orders": [["2015-02-15 10:17:00", 30, 5, 4]]}}]))
    ... # doctest: +ELLIPSIS
    SELECT STREAM * FROM Orders WHERE units > 3
    trace, 2015-02-15
    ...
    """
    if sum(each is not None for each in (steps, case, script)) != 1:
        raise ProgrammingError("say what happens with steps, script or case: one of them")
    if case is not None and (sql, ddl, date, tables, profile) != (None,) * 5:
        raise ProgrammingError("a case has its own query, DDL and profile: give the case alone")
    with driver_errors():
        try:
            if case is not None:
                play = play_of_case(case, [])
            else:
                known = None if profile is None else Profile(profile)
                play = _play(sql, steps, script, ddl, date, tables, known)
            return Trace(timeline(play))
        except (InvalidFilesError, RunError) as error:
            raise ProgrammingError(str(error).removeprefix("--")) from None


def _play(
    sql: str | None,
    steps: Sequence[Step] | None,
    script: str | Path | None,
    ddl: str | None,
    date: str | None,
    tables: Mapping[str, object] | None,
    profile: Profile | None,
) -> Play:
    """The play of the ``script`` file; without a file, of the ``steps``, as a file would have them.

    The other parameters are those of `trace`.
    """
    before = None if ddl is None else Script((("ddl", ddl),))
    example = Path(__file__).parents[1] / "example.sql"
    schema = Script(((example.name, example.read_text("utf-8")),))
    if script is not None:
        return play_of_file(Path(script), sql, profile, before=before, example=schema)
    parts = {"date": date, "tables": tables, "steps": steps}
    written = {name: value for name, value in parts.items() if value is not None}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        path.write_text(json.dumps(written, default=str), "utf-8")  # JSON is YAML, too
        try:
            return play_of_file(path, sql, profile, before=before, example=schema)
        except InvalidFilesError as error:  # the text is one line, in a temporary file
            raise ProgrammingError(str(error).replace(f"{path}:1: ", "")) from None
