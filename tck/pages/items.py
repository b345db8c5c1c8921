"""Collect the cases of a report from the runs and from the corpus."""

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

    ``case`` is None if the corpus does not have the case; then only its results are shown.
    ``file`` is the name of the file with the data of all cases of the subject.  Links to the case
    (`case_link`) do not have this name.
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
    """The cases for which some engine has a result, in the order of the corpus.

    The cases that the corpus does not have follow, by chapter and id.
    """
    judged = {id for engine in engines for id in engine.entries}
    found = {case.id: _of_corpus(case) for case in corpus if case.id in judged}
    others = {item.id: item for item in _of_runs(engines) if item.id not in found}
    return (
        *found.values(),
        *sorted(others.values(), key=lambda item: (item.chapter, item.id)),
    )


def _of_corpus(case: Case) -> Item:
    """The item of a case that the corpus has."""
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
    """An item for each result of each run, made from the result alone: ``case`` is None."""
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
    """The name of the file with the data of a subject; ``place`` is that of one of its cases."""
    return f"cases/{slug(f'{chapter} {PurePath(place.file).stem}')}.js"
