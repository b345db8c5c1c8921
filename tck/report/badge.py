"""Make a badge: a small SVG image with the numbers of right and judged cases of a backend."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from tck.report.record import RunRecord
from tck.report.states import JUDGED, counted_entries, right_of_judged, state
from tck.variants.variants import is_variant

#: The colours of the right half; the contrast of white text on them is at least 4.5.
_GREEN: Final = "#1a7f37"
_RED: Final = "#c62828"
_GREY: Final = "#616161"

#: The average width of a character of 11 pixels; the image stretches each text to this width.
_CHARACTER: Final = 6.6
_PADDING: Final = 8.0


@dataclass(frozen=True, slots=True)
class Badge:
    """The contents of a badge: two texts side by side, and the background colour of the right."""

    left: str
    right: str
    colour: str


def badge(record: RunRecord, backend: str) -> Badge:
    """The badge of a backend: the numbers of right and judged cases, and the tier.

    The numbers are those of the report's overview (`tck.report.states`): a chapter that is not
    required is not counted, and a case that is known to fail but passes is not right.  The badge
    has a note if no variants were judged, because then an engine that replays the answers to the
    cases could pass.

    Green: no required case fails, except for known failures.  Red: a case fails the run.  Grey: the
    run did not reach its end, or no case was judged on the backend.
    """
    entries = [entry for entry in record.entries if entry.backend == backend]
    right, judged = right_of_judged(counted_entries(entries))
    if record.exit is None:
        return Badge("streaming SQL", "incomplete run", _GREY)
    if not judged:
        return Badge("streaming SQL", "nothing judged", _GREY)
    variants = (each for each in entries if is_variant(each.case))
    note = "" if any(state(each) in JUDGED for each in variants) else ", no variants"
    text = f"{right} of {judged}, {record.tiers[backend]}{note}"
    return Badge("streaming SQL", text, _RED if any(each.failing for each in entries) else _GREEN)


def badge_svg(badge: Badge) -> str:
    """The image, as the text of an SVG file."""
    left, right = (len(text) * _CHARACTER for text in (badge.left, badge.right))
    template = _templates().get_template("badge.svg.j2")
    return template.render(badge=badge, left=left, right=right, padding=_PADDING)


@cache
def _templates() -> Environment:
    """The templates in the folder of this module; every value in them is escaped."""
    return Environment(
        loader=PackageLoader(str(__package__), "."), autoescape=True, undefined=StrictUndefined
    )
