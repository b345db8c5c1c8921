"""A timeline as a file: an SVG image, or a page that shows on hover what each row is made of."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rowtime.trace.picture import picture
from rowtime.trace.shapes import n
from rowtime.trace.timeline import Timeline


def svg(timeline: Timeline) -> str:
    """The picture as an SVG document that needs no font, script or other file."""
    return _templates().get_template("trace.svg.j2").render(p=picture(timeline), n=n)


def html(timeline: Timeline) -> str:
    """The picture in an HTML page that needs no other file."""
    drawn = Markup(svg(timeline))  # the template has escaped what is in it
    return _templates().get_template("trace.html.j2").render(p=picture(timeline), svg=drawn)


@cache
def _templates() -> Environment:
    """The templates beside this module; every value in them is escaped."""
    return Environment(
        loader=PackageLoader("rowtime.trace", "."), autoescape=True, undefined=StrictUndefined
    )
