"""Targets of the kit: case files, unit tests, messages of the protocol, and files of results."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from tck.backends import RunningBackend, Wiring, start_backend
from tck.corpus.case import Case
from tck.corpus.case_file import read_cases
from tck.corpus.document import InvalidFilesError, parse_document
from tck.corpus.fixture import FixtureLibrary
from tck.corpus.load import Corpus, load_corpus
from tck.corpus.unit_tests.reading import read_unit_tests
from tck.judging.verdict import Outcome, Result
from tck.pages.engines import SameBackendError, engines_of
from tck.pages.items import items_of
from tck.pages.site import Site, pages
from tck.report.comparison import compare
from tck.report.comparison_text import comparison_text
from tck.report.record import read_record
from tck.run import run_cases
from tck.wire.faults import BackendFault
from tck.wire.messages import ANSWERS_TO, object_of, read_answer, read_request

ROOT: Final = Path(__file__).parents[2]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def case_file(data: bytes) -> None:
    """A file of cases."""
    with suppress(InvalidFilesError):
        read_cases(parse_document(_text(data), "f.yaml"), "chapter", _library())


@cache
def _library() -> FixtureLibrary:
    return FixtureLibrary((ROOT / "tck" / "fixtures",))


def case_files() -> Sequence[bytes]:
    """The beginnings of some files of cases."""
    return [path.read_bytes()[:4_000] for path in sorted((ROOT / "tck/cases").rglob("*.yaml"))][::6]


def message(data: bytes) -> None:
    """A line of the protocol, as a request and as each answer."""
    with suppress(BackendFault):
        found = object_of(data)
        with suppress(BackendFault):
            read_request(found)
        for requested in ANSWERS_TO:
            with suppress(BackendFault):
                read_answer(requested, found)


# --- unit tests ---------------------------------------------------------------------------------


class _Nobody:
    """A listener that ignores the progress of a run."""

    def started(self, backend: str, case: Case) -> None:
        """A case begins."""

    def slow(self, backend: str, case: Case, seconds: float) -> None:
        """A case takes long."""

    def finished(self, result: Result) -> None:
        """A case has ended."""


def unit_test(data: bytes) -> None:
    """A file of unit tests, ours or dbt's, next to a script and a model; valid tests run."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.test.yaml"
        path.write_bytes(data)
        for name, text in _beside().items():
            (Path(folder) / name).write_text(text)
        corpus = read_unit_tests([path])
        if not corpus.problems:
            for result in run_cases(_reference(), corpus.cases, _Nobody(), {}):
                verdict = result.verdict
                if "so the case is not valid" not in verdict.reason:  # a row violates a CHECK
                    assert verdict.outcome is not Outcome.ERROR, (verdict.reason, verdict.detail)


@cache
def _reference() -> RunningBackend:
    return start_backend("reference", Wiring(in_process=True))


@cache
def _beside() -> dict[str, str]:
    """The files that the seeds name."""
    (script,) = _blocks("sql")
    model = "select customer_id, email like '%_@%_.%' as is_valid from {{ ref('stg_customers') }}"
    return {"hourly.sql": script, "customers.sql": model}


def unit_tests() -> Sequence[bytes]:
    """The tests of the documentation."""
    return [text.encode() for text in _blocks("yaml")]


def _blocks(language: str) -> list[str]:
    page = (ROOT / "docs/unit-tests.md").read_text("utf-8")
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", page)


# --- files of results ---------------------------------------------------------------------------

#: The cases of the seed: an engine passes some, fails some, and refuses one.
_CASES: Final = "tck/cases/join/stream-stream-join/window-join.yaml"


def run_file(data: bytes) -> None:
    """A file of results: any bytes, and a sound file in which one value is another one."""
    _show(data)
    lines: Any = [json.loads(line) for line in _run().splitlines()]
    places = [(line, *place) for line, each in enumerate(lines) for place in _places(each)]
    *path, last = places[int.from_bytes(data[:2], "big") % len(places)]
    inside = lines
    for key in path:
        inside = inside[key]
    inside[last] = _value(data[2:])
    _show("".join(f"{json.dumps(each)}\n" for each in lines).encode())


def run_files() -> Sequence[bytes]:
    """A run, and values that may stand in it."""
    values = (b'"x"', b"null", b"[]", b"1e400", b'{"a": 1}', b'[["2015-02-15 10:00:00", 1]]')
    return [_run(), *(bytes([0, number * 40]) + value for number, value in enumerate(values))]


def _show(data: bytes) -> None:
    """The pages of a run, and its comparison with itself."""
    with TemporaryDirectory() as folder, suppress(InvalidFilesError, SameBackendError):
        path = Path(folder) / "run.jsonl"
        path.write_bytes(data)
        record = read_record(path)
        comparison_text(compare(record, record))
        engines = engines_of([record])
        for _ in pages(Site(engines, items_of(engines, _corpus().cases), {}, {})):
            pass


@cache
def _corpus() -> Corpus:
    return load_corpus([ROOT / _CASES])


@cache
def _run() -> bytes:
    """The results of an engine on the cases of a file."""
    lines = (ROOT / "engines/sparknative/report.jsonl").read_text("utf-8").splitlines()
    kept = [each for each in lines if each.startswith('{"rowtime"') or f'"{_CASES}"' in each]
    hello = next(each for each in lines if each.startswith('{"hello"'))
    return "".join(f"{each}\n" for each in (kept[0], hello, *kept[1:], lines[-1])).encode()


def _places(value: object) -> Iterator[tuple[int | str, ...]]:
    """The places of all values inside of a value of JSON."""
    inside: Iterable[tuple[int | str, object]] = ()
    if isinstance(value, dict):
        inside = cast("dict[str, object]", value).items()
    elif isinstance(value, list):
        inside = enumerate(cast("list[object]", value))
    for key, each in inside:
        yield (key,)
        yield from ((key, *place) for place in _places(each))


def _value(data: bytes) -> object:
    """A value of JSON, or the text that these bytes are."""
    text = data.decode("utf-8", "surrogateescape")
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text
