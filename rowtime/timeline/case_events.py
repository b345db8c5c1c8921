"""Makes a play (a query and its events) of a case of a corpus, for a timeline."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from algebra.catalog import Profile
from algebra.records.pipeline import RunError
from rowtime.script import Script
from rowtime.timeline.events import Play, PlayedEvent, one_by_one, play_of_events
from tck.corpus.case import Case, Step
from tck.corpus.load import Corpus, kit_corpus, load_corpus
from tck.protocol import End


def play_of_case(id: str, roots: Sequence[Path]) -> Play:
    """The play of the case ``id`` in the folders ``roots``; without folders, in the kit's corpus.

    Raises `RunError` if there is no such case, or if it has no query.
    """
    case = case_of(id, roots)
    if case.sql is None:
        raise RunError(f"--case {id}: it has no query, only DDL")
    script = Script(((f"the DDL of {id}", case.ddl),))
    played = [PlayedEvent(table, case.place.line, 0) for table in case.tables]
    played += [
        PlayedEvent(event, step.line, number)
        for number, step in enumerate(played_steps(case), 1)
        for event in one_by_one(step.events)
    ]
    return play_of_events(id, script, case.sql, Profile(case.profile), played)


def case_of(id: str, roots: Sequence[Path]) -> Case:
    """The case ``id``, as in `play_of_case`.  Raises `RunError` if there is none."""
    # First only the files that can have the case: the whole corpus takes longer.
    likely = load_corpus(roots, [id]) if roots else kit_corpus((id,))
    found = _cases_of(id, likely)
    if not found:
        corpus = load_corpus(roots) if roots else kit_corpus()
        found = _cases_of(id, corpus)
        if not found:
            raise RunError(_no_case(id, corpus))
    return found[0]


def _no_case(id: str, corpus: Corpus) -> str:
    """The message that there is no case ``id``: similar names, and the files that are not valid."""
    wrong = "".join(f"\n  {each}" for each in corpus.problems)
    near = get_close_matches(id, [case.id for case in corpus.cases], 3, 0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"--case {id}: there is no such case{hint}{wrong}"


def _cases_of(id: str, corpus: Corpus) -> list[Case]:
    """The cases of a corpus with this id."""
    return [case for case in corpus.cases if case.id == id]


def played_steps(case: Case) -> tuple[Step, ...]:
    """The steps of a case.

    A case without steps has one step: all of its rows arrive, and then all inputs end.
    """
    return case.steps or (Step(case.place.line, (*case.streams, End())),)
