"""`rowtime trace`: scripts, the timeline as text, and as a picture."""

import math
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from rowtime.cli import app
from rowtime.script import Script
from rowtime.timeline.case_events import play_of_case
from rowtime.timeline.draw import html
from rowtime.timeline.events import play_of_document
from rowtime.timeline.text import lines_of
from rowtime.timeline.timeline import timeline
from tck.corpus.document import parse_document
from tck.drawing.changelog import ChangelogRun
from tck.drawing.draw import picture_of, svg
from tck.drawing.layout import picture
from tck.drawing.picture import HEIGHT, WIDTH, Form
from tck.drawing.scale import Scale, scale
from tck.drawing.shapes import text_width
from tck.drawing.timeline import Timeline

DOCS: Final = Path(__file__).parents[3] / "docs"
PAGE: Final = (DOCS / "traces.md").read_text("utf-8")
PICTURES: Final = sorted((DOCS / "traces").glob("*.svg"))
#: What the page shows: a shell's line, and what is printed.
SHOWN: Final = re.findall(
    r"^    \.venv/bin/rowtime ([^\n]*)\n\n```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE
)
HOURS: Final = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]
#: 2015-02-15 10:00:00, in milliseconds.
TEN: Final = 1_423_994_400_000
#: 13 events and 4 rows; a refused bound, late rows, NULLs and text to escape.
MIXED: Final = """\
date: '2015-02-15'
ddl: CREATE STREAM Notes (rowtime TIMESTAMP(3) ASCENDING, text VARCHAR(60));
sql: SELECT STREAM rowtime, text || '<b>' AS t FROM Notes
steps:
- now: '10:00:00'
- feed:
    Notes:
    - ['10:00:00', 'a & <b>']
    - ['09:00:00', 'late & lost <i>']
    - ['10:30:00', null]
    - ['10:59:00', 'a text of sixty characters, or nearly so many, at the edge.']
- bound: {Notes: '11:00:00'}
- bound: {Notes: '10:30:00'}
- bound: {Notes: {at: '11:00:00', strict: true}}
- end: Notes
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with three scripts; ``bare`` is ``hours`` without its query."""
    (tmp_path / "hours.yaml").write_text(HOURS, "utf-8")
    bare = re.sub(r"sql:.*?(?=steps)", "", HOURS, flags=re.DOTALL)
    (tmp_path / "bare.yaml").write_text(bare, "utf-8")
    (tmp_path / "mixed.yaml").write_text(MIXED, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rowtime(*arguments: str) -> Result:
    """The result of a call, which must not be a traceback."""
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def lasting(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


@cache
def run_of_case(id: str) -> Timeline | ChangelogRun:
    return timeline(play_of_case(id, []))


def of_case(id: str) -> Timeline:
    run = run_of_case(id)
    assert isinstance(run, Timeline)
    return run


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("command", "printed"), SHOWN)
def test_the_page_shows_what_the_command_prints(command: str, printed: str) -> None:
    result = rowtime(*command.split())
    assert (result.exit_code, lasting(result.stdout)) == (0, lasting(printed))


@pytest.mark.usefixtures("folder")
def test_dropped_rows_and_bounds_without_effect_are_shown_below_their_event() -> None:
    lines = [
        line.split() for line in rowtime("trace", "--script", "mixed.yaml").stdout.splitlines()
    ]
    shown = [" ".join(line) for line in lines if line[:1] == ["└─"] and line[1] != "emitted"]
    assert shown == [
        "└─ dropped: late: ROWTIME: below the rows before it",
        "└─ without effect: BOUND_BACKWARDS",
    ]


@pytest.mark.usefixtures("folder")
def test_a_query_that_fails_is_traced_until_then() -> None:
    result = rowtime(
        "trace", "SELECT STREAM rowtime, 4 / (units - 1) AS q FROM Orders", "--script", "bare.yaml"
    )
    assert result.exit_code == 1
    assert "10:17:00, 1" in result.stdout
    assert "the query fails: DIVISION_BY_ZERO" in result.stdout
    assert "bound 11:00:00" not in result.stdout
    assert result.stderr.startswith("DIVISION_BY_ZERO")


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "--script FILE or --case ID"),
        (("--script", "a.yaml", "--case", "b"), 2, "--script FILE or --case ID"),
        (("--case", "b", "SELECT 1"), 2, "give --case alone"),
        (("--case", "tumble-hour-by-produkt"), 1, "did you mean tumble-hour-by-product"),
        (("--case", "tumble-hour-by-product", "--cases", "nowhere"), 1, "no such file or folder"),
        (("--case", "two-producers-merge"), 1, "no such case"),
        (("--script", "nowhere.yaml"), 1, "nowhere.yaml:1: No such file"),
        (("--script", "mixed.yaml", "SELECT STREAM * FROM Notes"), 1, "there are two queries"),
        (
            ("--script", "bare.yaml", "SELECT * FROM (VALUES (1)) AS t (a)"),
            1,
            "only a query that says SELECT STREAM has a timeline",
        ),
        (("--script", "hours.yaml", "--svg", "no/where.svg"), 1, "no/where.svg"),
    ],
)
def test_a_mistake_is_reported_in_a_line(
    arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = rowtime("trace", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("steps:", "stages:", "wrong.yaml:1"),
        ("feed: {Orders: [['10:17:00', 30, 4], ", "feed: {Ordres: [['10:17:00', 30, 4], ",
         "wrong.yaml:8: ORDRES is not declared (the DDL declares: ORDERS)"),
        ("'10:17:00', 30, 4", "'10:17:00', 30", "wrong.yaml:8: 2 values for 3 columns"),
        ("30, 4", "30, four", "wrong.yaml:8: column UNITS"),
        ("bound: {Orders: '11:00:00'}", "bound: {Orders: 'noon'}", "wrong.yaml:9"),
        ("STREAM FLOOR", "FLOOR", "STREAM_TO_TABLE"),
        ("SUM(units)", "SUM(unit)", "UNKNOWN_COLUMN"),
        ("INTEGER, units", "INTEGER units", "wrong.yaml:\nSYNTAX_ERROR"),
        ("sql: |", "ddl: |", "wrong.yaml:4"),
        ("- end: true", "- end: Ordres", "ORDRES is not declared"),
    ],
)  # fmt: skip
def test_a_wrong_script_is_refused_where_it_is_wrong(
    folder: Path, before: str, after: str, message: str
) -> None:
    assert before in HOURS
    (folder / "wrong.yaml").write_text(HOURS.replace(before, after, 1), "utf-8")
    result = rowtime("trace", "--script", "wrong.yaml", "--svg", "out.svg")
    assert (result.exit_code, result.stdout) == (1, "")
    assert message.replace("ORDRES", "Ordres") in result.stderr
    assert not Path("out.svg").exists()


# --- pictures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_the_pictures_of_the_page_are_made_by_the_command(path: Path, folder: Path) -> None:
    assert f"(traces/{path.name})" in PAGE
    result = rowtime("trace", "--case", path.stem, "--svg", "again.svg")
    assert (result.exit_code, result.stdout) == (0, "")
    again = (folder / "again.svg").read_text("utf-8")
    assert again.splitlines() == path.read_text("utf-8").splitlines()


def test_the_page_has_eight_pictures() -> None:
    assert len(PICTURES) == 8


@pytest.mark.usefixtures("folder")
def test_texts_are_escaped_and_nothing_is_fetched() -> None:
    result = rowtime("trace", "--script", "mixed.yaml", "--svg", "a.svg", "--html", "a.html")
    assert result.exit_code == 0
    image = Path("a.svg").read_text("utf-8")
    texts = [
        each.text for each in ElementTree.fromstring(image).iter() if each.tag.endswith("text")
    ]
    assert "a & <b>" in texts
    page = Path("a.html").read_text("utf-8")
    assert "<i>" not in page
    assert image.strip() in page
    for text in (image, page):
        assert not re.search(r"(?:src|href)=|@import|url\(", text)
    assert "<script" not in image


@pytest.mark.usefixtures("folder")
def test_the_page_allows_its_own_styles_and_script_and_nothing_else() -> None:
    rowtime("trace", "--script", "mixed.yaml", "--html", "a.html")
    page = Path("a.html").read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy, "there is one"

    def named(element: str) -> list[str]:
        texts = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        digests = [sha256(each.encode()).digest() for each in texts]
        return [f"'sha256-{b64encode(each).decode()}'" for each in digests]

    styles, scripts = named("style"), named("script")
    assert (len(styles), len(scripts)) == (2, 1)
    assert policy[1].split("; ") == [
        "default-src 'none'",
        f"style-src {' '.join(styles)}",
        f"script-src {scripts[0]}",
        "img-src data:",
    ]
    assert not re.search(r"<[^>]* (?:style|on[a-z]+)=", page)


def test_a_picture_of_few_events_fits_a_screen_and_of_many_stays_legible() -> None:
    for path in PICTURES:
        drawn = picture_of(run_of_case(path.stem))
        assert drawn.width == WIDTH
        assert drawn.height <= HEIGHT
        assert min(row.height for row in drawn.rows) >= 17


@pytest.mark.parametrize("id", [*(path.stem for path in PICTURES), "tumble-hour-by-product"])
def test_words_do_not_overlap(id: str) -> None:
    """By the widths of a wide font, words of one line stand beside one another, in the picture."""
    drawn = picture_of(run_of_case(id))
    labels = [*drawn.labels, *(label for row in drawn.rows for label in row.labels)]
    lines: dict[int, list[tuple[float, float]]] = {}
    sizes = {"title": 22, "day": 15, "small": 12, "tick": 12, "head": 12, "value": 12, "number": 12}
    for each in labels:
        room = text_width(each.text, sizes.get(each.look.split()[0], 13))
        shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[each.anchor]
        first = each.x - shift * room
        lines.setdefault(round(each.y), []).append((first, first + room))
    for stretches in lines.values():
        for (_, end), (start, _) in pairwise(sorted(stretches)):
            assert end <= start + 1
        assert min(start for start, _ in stretches) >= 0
        assert max(end for _, end in stretches) <= WIDTH


@pytest.mark.parametrize(
    "id", [each.stem for each in PICTURES if not each.stem.startswith("changes")]
)
def test_every_row_has_its_sign_and_every_emitted_row_its_parts(id: str) -> None:
    run = of_case(id)
    drawn = picture(run)
    arrived = {mark.key for mark in drawn.marks if mark.key}
    keys = [f"{dot.key[0]}-{dot.key[1]}" for h in run.entries for dot in h.arrived if dot.key]
    assert arrived == set(keys)
    emitted = [out for each in run.entries for out in each.emitted]
    assert [row.reason for row in drawn.rows] == [out.reason for out in emitted]
    assert [row.keys.split() for row in drawn.rows] == [
        [f"{name}-{place}" for name, place in out.parts] for out in emitted
    ]


def test_a_row_is_drawn_at_its_rowtime_and_its_event() -> None:
    """Of two rows the later is to the right, and what happens later is below."""
    run = of_case("union-all-waits-for-the-silent-side")
    marks = {mark.key: mark for mark in picture(run).marks if mark.key}
    order, trades = marks["ORDERS-1"], [marks[f"TRADES-{i}"] for i in range(4)]
    assert [mark.y for mark in trades] == sorted(mark.y for mark in trades)
    assert order.y < trades[0].y
    assert trades[2].x < order.x < trades[3].x  # 01:05, 01:06, 01:10
    assert math.isclose((order.x - trades[2].x) * 4, trades[3].x - order.x)


def test_a_union_whose_column_no_bound_passes_is_traced_to_its_end() -> None:
    """The traced plan groups equal rows, and their key cannot be computed for each bound."""
    run = of_case("column-of-a-union-fails-at-the-bound")
    rows = [out.text for each in run.entries for out in each.emitted]
    assert rows == ["100000", "200000"]
    assert run.failure == ""


def test_the_same_run_is_drawn_the_same() -> None:
    first, again = (timeline(play_of_case("tumble-hour-by-product", [])) for _ in range(2))
    assert svg(first).splitlines() == svg(again).splitlines()
    assert html(first).splitlines() == html(again).splitlines()


@pytest.mark.parametrize("id", [each.stem for each in PICTURES])
def test_on_a_phone_each_text_has_its_line_and_all_are_within_the_screen(id: str) -> None:
    drawn = picture_of(run_of_case(id), Form(width=360, height=0, headed=False))
    labels = [*drawn.labels, *drawn.axis, *(label for row in drawn.rows for label in row.labels)]
    shifts = {"start": 0.0, "middle": 0.5, "end": 1.0}
    for each in labels:
        room = text_width(each.text, 12 if each.look in ("small", "value", "tick", "head") else 13)
        assert each.x - shifts[each.anchor] * room >= -1, each
        assert each.x + (1 - shifts[each.anchor]) * room <= drawn.width + 1, each
    if isinstance(run_of_case(id), Timeline):
        assert drawn.width == 360
        lines = [each.y for each in labels if each.look.split()[0] in ("event", "result")]
        assert len({round(y) for y in lines}) == len(lines)


def heights(curve: str) -> tuple[float, float]:
    """The y at which a vertical line begins and ends."""
    found = re.fullmatch(r"M[\d.]+ ([\d.]+)V([\d.]+)", curve)
    assert found, curve
    return float(found[1]), float(found[2])


def test_a_bar_leads_from_the_event_since_which_a_row_waits_to_the_row() -> None:
    """The order of event 1 has no trade, which event 7 shows; the pair of event 4 came at once."""
    drawn = picture(of_case("orders-with-trades-full-outer-emission"))
    numbers = {label.text: label.y - 4 for label in drawn.labels if label.look == "number"}
    texts = {row.labels[0].text: row for row in drawn.rows}
    assert not texts["10:00:00, 1, 60"].waits
    bars = [heights(each.path) for each in texts["10:00:00, 0, NULL"].waits]
    assert bars[0][0] == pytest.approx(numbers["1"], abs=0.1)
    assert bars[-1][1] == pytest.approx(texts["10:00:00, 0, NULL"].labels[0].y - 4, abs=0.1)
    assert numbers["7"] < bars[-1][1] < numbers["8"]


def drawn_script(text: str) -> Timeline:
    """The run of a script."""
    document = parse_document(text, "script")
    found = timeline(
        play_of_document(document, Path("script"), None, None, before=None, example=Script(()))
    )
    assert isinstance(found, Timeline)
    return found


def test_the_frame_of_a_sliding_row_is_drawn_as_far_as_the_axis_reaches() -> None:
    run = drawn_script("""\
ddl: CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, v INTEGER);
date: '2015-02-15'
sql: |
  SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime RANGE INTERVAL '10' MINUTE PRECEDING) AS s
  FROM S
steps:
- feed: {S: [['10:00', 1], ['10:20', 2]]}
- end: true
""")
    first, second = picture(run).rows
    (bar,) = first.bars
    assert not bar.begins
    assert bar.x + bar.width == pytest.approx(first.marks[-1].x)
    (bar,) = second.bars
    assert bar.begins
    ends = first.marks[-1].x, second.marks[-1].x
    assert bar.x == pytest.approx(sum(ends) / 2)  # 10:10 is between 10:00 and 10:20
    assert bar.x + bar.width == pytest.approx(ends[1])


def test_times_that_differ_look_different_however_long_a_row_is() -> None:
    run = drawn_script("""\
ddl: CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, t TIMESTAMP(3), u TIMESTAMP(3), a VARCHAR);
sql: SELECT STREAM rowtime, a || ' and so forth, at great length' AS a, t, u FROM S
steps:
- feed:
    S:
    - ['2015-02-15 10:00:00', '2015-02-15 11:00:00.001', '2015-02-16 11:00:00.001', a text]
    - ['2015-02-15 10:00:00', '2015-02-15 11:00:00.001', '2015-02-16 11:00:00.002', a text]
- end: true
""")
    for form in (None, Form(width=1080, height=330, headed=False), Form(360, 0, headed=False)):
        drawn = picture_of(run, form)
        texts = [row.labels[0].text for row in drawn.rows]
        assert len(set(texts)) == 2, texts
        assert texts[1].endswith("11:00:00.001, 2015-02-16 11:00:00.002")
    printed = [line.plain for line in lines_of(run, 60)]
    assert sum("2015-02-16 11:00:00.001" in line for line in printed) == 2  # the event, the row


def test_eight_inputs_have_eight_signs_and_colours() -> None:
    names = "ABCDEFGH"
    union = " UNION ALL ".join(f"SELECT STREAM rowtime FROM {each}" for each in names)
    ddl = " ".join(f"CREATE STREAM {each} (rowtime TIMESTAMP(3) ASCENDING);" for each in names)
    feed = ", ".join(f"{each}: [['10:00']]" for each in names)
    run = drawn_script(
        f"date: '2015-02-15'\nddl: {ddl}\nsql: {union}\nsteps: [{{feed: {{{feed}}}}}]"
    )
    marks = [mark for mark in picture(run).marks if mark.key]
    assert len({mark.path for mark in marks}) == len({mark.look for mark in marks}) == 8
    rules = re.findall(r"\.dot\.i\d, [^{]*{ fill: ([^;]*);", svg(run))
    assert len(rules) == 16  # light and dark
    assert len(set(rules)) == 16
    signs = [line.plain.split()[3] for line in lines_of(run) if line.plain[2:3].isdigit()]
    assert len(set(signs)) == 8


def long_run(rows: int) -> Timeline:
    feed = ", ".join(f"['10:{minute:02}']" for minute in range(rows))
    return drawn_script(f"""\
ddl: CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING);
date: '2015-02-15'
sql: SELECT STREAM rowtime FROM S
steps: [feed: {{S: [{feed}]}}]
""")


def test_the_axis_of_more_than_thirty_events_is_kept_in_view_and_repeated() -> None:
    for rows, times in ((30, 1), (31, 2)):
        run = long_run(rows)
        assert ('class="axis kept"' in html(run)) == (times == 2)
        assert svg(run).count(">10:10</text>") == times
        heads = [line for line in lines_of(run) if line.plain.startswith("  #")]
        assert len(heads) == times


# --- the width of a terminal ---------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("id", [each.stem for each in PICTURES])
def test_lines_fit_what_columns_says(id: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    printed = rowtime("trace", "--case", id).stdout.splitlines()
    assert max(map(len, printed)) <= width


def test_the_legend_names_the_signs_that_the_text_has() -> None:
    printed = [
        line.plain for line in lines_of(of_case("late-row-is-in-no-later-window-of-cumulate"))
    ]
    blank = len(printed) - 1 - printed[::-1].index("")
    legend = set(" ".join(printed[blank:]).split())
    signs = set("●■×┃◆∙━│")  # noqa: RUF001 - the sign
    assert legend & signs == set("".join(printed[:blank])) & signs


# --- the axis ------------------------------------------------------------------------------------


@given(st.integers(0, 10**14), st.integers(1, 10**14), st.integers(2, 40))
def test_there_are_marks_but_never_too_many(first: int, length: int, most: int) -> None:
    ticks = list(Scale(first, first + length).ticks(most, ""))
    assert len(ticks) <= most + 1
    assert all(first <= time <= first + length for time, _ in ticks)
    labels = [label for _, label in ticks]
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("length", "labels"),
    [
        (3 * 3_600_000, ["10:00", "11:00", "12:00", "13:00"]),
        (90_000, ["10:00:00", "10:00:30", "10:01:00", "10:01:30"]),
        (2, ["10:00:00", "10:00:00.001", "10:00:00.002"]),
    ],
)
def test_labels_say_as_much_as_they_must(length: int, labels: list[str]) -> None:
    found = Scale(TEN, TEN + length).ticks(4, "2015-02-15")
    assert [label for _, label in found] == labels


@pytest.mark.parametrize(
    ("id", "labels"),
    [
        (
            "edge-beyond-all-times-month-before",
            ["0001-01-03", "0001-01-13", "0001-01-23", "0001-02-02"],
        ),
        ("edge-beyond-all-times-day-after", ["12:00", "15:00", "18:00", "21:00"]),
    ],
)
def test_no_mark_is_before_the_first_time_or_after_the_last(id: str, labels: list[str]) -> None:
    run = of_case(id)
    assert [label for _, label in scale(run).ticks(6, run.day)] == labels


def test_every_event_of_a_script_has_its_line() -> None:
    text = """\
ddl: CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, a INTEGER); CREATE TABLE T (b INTEGER);
sql: SELECT STREAM * FROM S
date: '2015-02-15'
tables:
  T:
  - [1]
steps:
- open: {S: [p]}
- producer: p
  feed:
    S:
    - ['10:00', 1]
    - ['10:01', 2]
  bound: {S: '10:05'}
  close: {S: [p]}
- {now: '10:06', end: true}
"""
    document = parse_document(text, "script")
    play = play_of_document(document, Path("script"), None, None, before=None, example=Script(()))
    found = [
        (type(event).__name__, line) for event, line in zip(play.events, play.lines, strict=True)
    ]
    assert found == [
        ("Load", 5),
        ("OpenProducer", 8),
        ("Rows", 12),
        ("Rows", 13),
        ("Bound", 14),
        ("CloseProducer", 15),
        ("Now", 16),
        ("End", 16),
    ]


def test_rows_of_a_fixture_have_the_line_of_their_step() -> None:
    text = "given: orders\nsql: SELECT STREAM * FROM Orders\nsteps:\n- feed: all\n"
    play = play_of_document(
        parse_document(text, "script"), Path("script"), None, None, before=None, example=Script(())
    )
    assert set(play.lines[-2:]) == {4}
