"""The command `tck list`: list the cases."""

import json
from collections.abc import Sequence
from pathlib import Path

from tck.commands.options import (
    AsJson,
    Core,
    Exclude,
    Kinds,
    MarkedRequirements,
    Needs,
    Only,
    Profile,
    Roots,
    Without,
    chosen_cases,
    load,
    selection,
    with_requirements,
)
from tck.corpus.case import Heading
from tck.corpus.load import kit_headings
from tck.corpus.selected.selection import Selection


def list_cases(
    cases: Roots = None,
    only: Only = None,
    exclude: Exclude = None,
    needs: Needs = None,
    without: Without = None,
    kind: Kinds = None,
    profile: Profile = None,
    core: Core = False,
    requirements: MarkedRequirements = None,
    as_json: AsJson = False,
) -> None:
    """List the cases.

    With --json the cases are printed whole, as by `export`.
    """
    selected = selection(only, exclude, needs, without, kind, profile, core)
    if as_json:
        # Imported here, because `typed` needs a backend, whose import takes a tenth of a second.
        from tck.corpus.selected.export import exported_case
        from tck.result_types import typed

        chosen = with_requirements(chosen_cases(load(cases, selected), selected), requirements)
        listed = [exported_case(typed(case)) for case in chosen]
        print(json.dumps(listed, ensure_ascii=False, indent=2))
        return
    for case in _headings(cases, selected):
        print(f"{case.chapter}/{case.id}  {', '.join(case.cites)}  {case.place}")


def _headings(roots: list[Path] | None, chosen: Selection) -> Sequence[Heading]:
    """The headings of the selected cases; ends with exit code 2 if no case is selected.

    The stored headings of the kit's cases are enough if the conditions are on names alone.  Whole
    cases are read for other roots, for other conditions, and if no case is selected, for the
    message.
    """
    if not roots and chosen.decided_by_heading:
        found = [each for each in kit_headings() or () if chosen.selects_heading(each)]
        if found:
            return found
    return chosen_cases(load(roots, chosen), chosen)
