"""A timeline as an SVG image."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from tck.drawing.picture import picture
from tck.drawing.shapes import n
from tck.drawing.timeline import Timeline


def svg(timeline: Timeline) -> str:
    """The picture as an SVG document that needs no font, script or other file."""
    return _templates().get_template("timeline.svg.j2").render(p=picture(timeline), n=n)


@cache
def _templates() -> Environment:
    """The templates beside this module; every value in them is escaped."""
    return Environment(
        loader=PackageLoader("tck.drawing", "."), autoescape=True, undefined=StrictUndefined
    )
