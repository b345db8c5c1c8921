"""The cases of a report, with the data of the runs and of the corpus for each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tck.corpus.case import Case, Place
from tck.corpus.needs import needs_of
from tck.pages.engines import Engine
from tck.pages.names import slug


@dataclass(frozen=True, slots=True)
class Item:
    """A case of the report.

    ``case`` is None for a case that the corpus does not have: only its results are then shown.
    ``page`` is the name of the page that shows the case, at the anchor ``id``.
    """

    id: str
    chapter: str
    subject: str
    page: str
    place: Place
    cites: tuple[str, ...]
    needs: tuple[str, ...]
    case: Case | None


def items_of(engines: Sequence[Engine], corpus: Iterable[Case]) -> tuple[Item, ...]:
    """The cases that some engine has a result for, in the order of the corpus.

    Those that the corpus does not have follow, by chapter and id.
    """
    judged = {id for engine in engines for id in engine.entries}
    found = {case.id: _of_corpus(case) for case in corpus if case.id in judged}
    others = {item.id: item for item in _of_runs(engines) if item.id not in found}
    return (
        *found.values(),
        *sorted(others.values(), key=lambda item: (item.chapter, item.id)),
    )


def _of_corpus(case: Case) -> Item:
    page = _page(case.chapter, case.place)
    needs = needs_of(case)
    return Item(case.id, case.chapter, case.subject, page, case.place, case.cites, needs, case)


def _of_runs(engines: Iterable[Engine]) -> Iterator[Item]:
    """The cases as the runs name them."""
    for engine in engines:
        for each in engine.entries.values():
            page = _page(each.chapter, each.place)
            yield Item(each.case, each.chapter, "", page, each.place, each.cites, each.needs, None)


def _page(chapter: str, place: Place) -> str:
    """The page of all cases of a file: its name is made of letters, digits and hyphens."""
    return f"cases/{slug(f'{chapter} {PurePath(place.file).stem}')}.html"
