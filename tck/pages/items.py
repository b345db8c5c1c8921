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
    ``file`` has the data of all cases of a subject; links name the case alone (`case_link`).
    """

    id: str
    chapter: str
    subject: str
    file: str
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
    file = _file(case.chapter, case.place)
    needs = needs_of(case)
    return Item(
        id=case.id,
        chapter=case.chapter,
        subject=case.subject,
        file=file,
        place=case.place,
        cites=case.cites,
        needs=needs,
        case=case,
    )


def _of_runs(engines: Iterable[Engine]) -> Iterator[Item]:
    """The cases as the runs name them."""
    for engine in engines:
        for each in engine.entries.values():
            file = _file(each.chapter, each.place)
            yield Item(
                id=each.case,
                chapter=each.chapter,
                subject="",
                file=file,
                place=each.place,
                cites=each.cites,
                needs=each.needs,
                case=None,
            )


def _file(chapter: str, place: Place) -> str:
    """The file of the data of a subject: its name is made of letters, digits and hyphens."""
    return f"cases/{slug(f'{chapter} {PurePath(place.file).stem}')}.js"
