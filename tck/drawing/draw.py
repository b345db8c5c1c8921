"""Draw a timeline or a changelog as an SVG image: a document of its own, or a part of a page."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tck.drawing.changelog import ChangelogRun
from tck.drawing.changelog_picture import changelog_picture
from tck.drawing.layout import picture
from tck.drawing.picture import Form, Picture
from tck.drawing.shapes import n
from tck.drawing.timeline import Timeline
from tck.terminal.printable import printable

#: The colours of an image on white, by the item that has the colour; ``i0`` to ``i7`` are inputs.
COLOURS: Final = {
    "ink": "#24292f",
    "muted": "#57606a",
    "faint": "#8c959f",
    "value": "#424a53",
    "bad": "#b3261e",
    "paper": "#fff",
    "frame": "#d0d7de",
    "done": "#eceff3",
    "known": "#8c96a3",
    "grid": "#d8dee4",
    "rule": "#eaeef2",
    "i0": "#0072b2",
    "i1": "#d98200",
    "i2": "#009e73",
    "i3": "#b5609a",
    "i4": "#a8452b",
    "i5": "#5b5bc4",
    "i6": "#7a6a00",
    "i7": "#3a7d8c",
}

#: The colours of the same items on a dark screen.
DARK_COLOURS: Final = {
    "ink": "#e6edf3",
    "muted": "#9da7b3",
    "faint": "#7d8590",
    "value": "#c9d1d9",
    "bad": "#ff8a80",
    "paper": "#131416",
    "frame": "#3d444d",
    "done": "#22262c",
    "known": "#8b949e",
    "grid": "#2f353d",
    "rule": "#262b32",
    "i0": "#58b0e3",
    "i1": "#f0a93b",
    "i2": "#3fc79a",
    "i3": "#dd93c6",
    "i4": "#ee8b6c",
    "i5": "#a3a3f5",
    "i6": "#cdbb3f",
    "i7": "#74bccb",
}

#: The size of an image in a page (an *inset*).
INSET: Final = Form(width=1080, height=330, headed=False)


def svg(run: Timeline | ChangelogRun) -> str:
    """The picture as an SVG document that needs no font, script or other file.

    It has dark colours if the reader's screen prefers them.
    """
    return _render("timeline.svg.j2", p=picture_of(run), light=COLOURS, dark=DARK_COLOURS)


def svg_in_html(run: Timeline | ChangelogRun) -> Markup:
    """The picture as a ``div`` for any page, with a style that applies only to the picture."""
    style = f"{inset_style(COLOURS)}\n@media screen and (prefers-color-scheme: dark) {{\n"
    style += f"{inset_style(DARK_COLOURS)}\n}}"
    drawn = _render("inset.svg.j2", p=picture_of(run), page=True)  # with a background
    return Markup("<div><style>{}</style>\n{}</div>").format(Markup(style), Markup(drawn))  # noqa: S704  the templates escape


def picture_of(run: Timeline | ChangelogRun, form: Form | None = None) -> Picture:
    """The picture of a run; ``form`` None: for a wide screen, with a heading."""
    return changelog_picture(run, form) if isinstance(run, ChangelogRun) else picture(run, form)


def inset(run: Timeline | ChangelogRun) -> Markup:
    """The picture as an ``svg`` element, for a page that has the rules of `inset_style`."""
    return inset_of(picture_of(run, INSET))


def inset_of(picture: Picture) -> Markup:
    """A picture as an ``svg`` element, for a page that has the rules of `inset_style`."""
    return Markup(_render("inset.svg.j2", p=picture, page=False))  # noqa: S704  the template escapes


def inset_style(colours: Mapping[str, str]) -> Markup:
    """The CSS rules for all insets of a page; ``colours`` has the items of `COLOURS`."""
    rules = _render("timeline.css.j2", colours=colours)
    return Markup(f".timeline {{\n{rules}\n}}")  # noqa: S704  our own text


def _render(template: str, **values: object) -> str:
    """The text of a template in this folder, filled with ``values``."""
    return _templates().get_template(template).render(values)


@cache
def _templates() -> Environment:
    """The templates next to this module; in values they escape markup and control characters."""
    templates = Environment(
        loader=PackageLoader(str(__package__), "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=without_controls,
    )
    templates.filters["n"] = n
    return templates


def without_controls(value: object) -> object:
    """A text without control characters except its line breaks; any other value unchanged."""
    return "\n".join(map(printable, value.split("\n"))) if type(value) is str else value
