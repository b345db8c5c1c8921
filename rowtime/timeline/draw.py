"""A timeline as a page that shows on hover what each row is made of."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tck.drawing.draw import svg
from tck.drawing.timeline import Timeline


def html(timeline: Timeline) -> str:
    """The picture in an HTML page that needs no other file."""
    drawn = Markup(svg(timeline))  # the template has escaped what is in it
    return _templates().get_template("trace.html.j2").render(title=timeline.title, svg=drawn)


@cache
def _templates() -> Environment:
    """The templates beside this module; every value in them is escaped."""
    return Environment(
        loader=PackageLoader("rowtime.timeline", "."), autoescape=True, undefined=StrictUndefined
    )
