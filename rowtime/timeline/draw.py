"""Draws a timeline as an HTML page, in which a row shows its input rows on hover."""

import re
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tck.drawing.changelog import ChangelogRun
from tck.drawing.draw import inset_of, picture_of, svg, without_controls
from tck.drawing.picture import Form
from tck.drawing.timeline import Timeline
from tck.pages.policy import source_hash

#: The size of the picture for a phone.
_PHONE: Final = Form(width=360, height=0, headed=False)


def html(timeline: Timeline | ChangelogRun) -> str:
    """The timeline as an HTML page that needs no other file.

    It has a picture for wide screens, and one for narrow screens.
    """
    drawn = Markup(svg(timeline))  # noqa: S704  the template has escaped what is in it
    # The values in the picture are escaped, so each tag `style` is one of the picture.
    styles = re.findall(r"<style>(.*?)</style>", drawn, re.DOTALL)
    narrow = inset_of(picture_of(timeline, _PHONE))
    template = _templates().get_template("trace.html.j2")
    return template.render(run=timeline, svg=drawn, narrow=narrow, drawn_styles=styles)


@cache
def _templates() -> Environment:
    """The templates next to this module; they escape markup and control characters in values."""
    templates = Environment(
        loader=PackageLoader("rowtime.timeline", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=without_controls,
    )
    templates.filters["allowed"] = source_hash
    return templates
