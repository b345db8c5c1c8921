"""`tck list`: the cases."""

import json

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
    chosen = chosen_cases(load(cases, selected), selected)
    if as_json:
        # Types of results need a backend, which takes a tenth of a second to import.
        from tck.corpus.selected.export import exported_case
        from tck.result_types import typed

        chosen = with_requirements(chosen, requirements)
        listed = [exported_case(typed(case)) for case in chosen]
        print(json.dumps(listed, ensure_ascii=False, indent=2))
        return
    for case in chosen:
        print(f"{case.chapter}/{case.id}  {', '.join(case.cites)}  {case.place}")
