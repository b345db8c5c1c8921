"""Flink as three backends: whole inputs at tier final, and two step by step at tier bounded."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from algebra.catalog import Profile
from algebra.plan import Changes
from algebra.prepare import Prepared, prepare
from engines.dialect.unsupported import UnsupportedError
from engines.flink.dialect import in_flink, is_streaming, tried_in_flink
from engines.flink.gaps import GAPS
from engines.flink.inputs import Input, Request, inputs_of, is_disordered
from engines.flink.keys import key_of
from engines.flink.lacks import lack
from engines.flink.lines import column, from_flink
from engines.flink.process import FlinkError, FlinkProcess, version
from engines.flink.script import statements
from engines.harness.spellings import read_spellings
from grammar.parse import parse_query
from grammar.source import SqlError
from grammar.tree import Query
from tck.corpus.needs import emits_changes
from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Event,
    Hello,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    Tier,
    Unsupported,
    WireRow,
)

#: Queries that a person wrote, by the id of their case.
SPELLINGS: Final = Path(__file__).with_name("spellings.yaml")


class _Flink(ABC):
    """The common part of the backends: a query is planned, its job started, and its inputs fed."""

    name: str
    tier: Tier

    def __init__(self) -> None:
        self._spellings = read_spellings(SPELLINGS)
        self._process: FlinkProcess | None = None
        self._inputs: dict[str, Input] = {}
        self._columns: tuple[ColumnInfo, ...] = ()
        self._key: tuple[int, ...] | None = None
        self._text = ""
        self.streaming = False
        self.changelog = False
        self._reads_history = False
        self._unanswered = 0

    def start(self) -> Hello:
        """Start the process; raises `FileNotFoundError` if Flink is not installed."""
        found = version()
        self._process = FlinkProcess()
        return Hello(self.name, found, "Java", self.tier, ("calcite",), GAPS)

    def open(self, request: Open) -> Accepted | Refused | Unsupported:
        """Plan the query in the first of its texts that Flink plans.

        A query that Flink says it does not implement is unsupported; any other error refuses it.
        """
        self.close()
        assert request.sql is not None, "the gap `scripts`"
        try:
            prepared = prepare(request.ddl, None, Profile(request.profile))
            query = parse_query(request.sql)
            self.streaming = is_streaming(query)
            self.changelog = emits_changes(request.sql)
            self._key = self.key(request)
            script = statements(request.ddl, prepared.catalog, bounded=not self.streaming)
            spelled = self._spellings.find(request)
            texts = self._texts(query, prepared) if spelled is None else (spelled,)
            self._text, found = self._planned(script, texts)
        except SqlError as error:
            return Refused(error.code, error.message)
        except UnsupportedError as error:
            return Unsupported(error.reason)
        except FlinkError as error:
            missing = lack(str(error))
            return Unsupported(missing) if missing else Refused("FLINK", str(error))
        self._reads_history = not (self.streaming or prepared.standing)
        self._inputs = inputs_of(prepared)
        self._columns = tuple(
            column(str(name), str(type), nullable == "true") for name, type, nullable in found
        )
        self._ask("start")
        return Accepted(self.streaming, self._columns, key=self._key)

    def key(self, request: Open) -> tuple[int, ...] | None:
        """The places of the columns by which the changes are upserts; None: of whole rows.

        Raises `UnsupportedError`.
        """
        del request
        return None

    def _texts(self, query: Query, prepared: Prepared) -> tuple[str, ...]:
        """The texts of the query, of which the first that Flink plans is run."""
        if not self.streaming or self.changelog:  # the windows of a changelog need no time
            return in_flink(query, streaming=False)
        return tried_in_flink(query, disordered=is_disordered(prepared))

    def _planned(
        self, script: tuple[str, ...], texts: tuple[str, ...]
    ) -> tuple[str, list[list[str | None]]]:
        """The first text that Flink plans, and its columns; raises the last one's `FlinkError`."""
        opened = ("open", self.mode(streaming=self.streaming), " ".join(map(str, self._key or ())))
        for text in texts[:-1]:
            with suppress(FlinkError):
                return text, self._ask(*opened, *script, text)
        return texts[-1], self._ask(*opened, *script, texts[-1])

    @abstractmethod
    def mode(self, *, streaming: bool) -> str:
        """The driver's word for how the job runs."""

    def feed(self, event: Event) -> None:
        """Hand an event on; its effects are seen by the next poll."""
        if not isinstance(event, Load):
            self._send(each for input in self._inputs.values() for each in input.hold_nothing())
        match event:
            case Load(name, rows):
                if self._reads_history or self._inputs[name].is_table:
                    self._send(self._inputs[name].rows(rows))
            case Rows(name, rows, weights=weights):
                self._send(self._inputs[name].rows(rows, weights))
            case Bound(name, at, strict):
                self._send(self._inputs[name].bound(at, strict=strict))
            case End(name):
                ending = self._inputs.values() if name is None else (self._inputs[name],)
                self._send(each for input in ending for each in input.end())
            case Now() | Elapse() | OpenProducer() | CloseProducer():
                pass  # the gaps `now`, `wall-clock` and `producers`

    @abstractmethod
    def poll(self) -> Output:
        """The emitted rows: none, or those of the job's last poll."""

    @property
    def ended(self) -> bool:
        """Whether all inputs have ended, and so the job ends."""
        return all(each.ended for each in self._inputs.values())

    def output(self, request: str) -> Output:
        """The rows of the driver's answer, or the job's failure."""
        try:
            lines = self._ask(request)
        except FlinkError as error:
            return Output(error=Refused("FLINK", str(error)))
        changes = [_change(each, self._columns) for each in lines]
        if self.changelog:
            return Output(tuple(row for row, _ in changes), weights=tuple(w for _, w in changes))
        return Output(tuple(_rows(changes)))

    def _send(self, requests: Iterable[Request]) -> None:
        listed = list(requests)
        self.process.send(listed)
        self._unanswered += len(listed)

    def _ask(self, *request: str) -> list[list[str | None]]:
        """The answer, after the answers to all earlier requests."""
        self._send([request])
        count, self._unanswered = self._unanswered, 0
        return self.process.answers(count)[-1]

    @property
    def process(self) -> FlinkProcess:
        """The driver's process, which `start` has started."""
        assert self._process is not None, "start comes first"
        return self._process

    def explain(self, row: int | None = None) -> str:
        """The text that Flink is asked."""
        return self._text if row is None else ""

    def close(self) -> None:
        """Cancel the job if it still runs."""
        with suppress(FlinkError):  # of requests to a job that has failed
            self._ask("close")
        self._inputs, self._columns = {}, ()

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.stop()
            self._process = None


class FlinkBackend(_Flink):
    """The rows of the whole input: of an updating query, those that are left at its end."""

    name = "flink"
    tier = "final"

    def mode(self, *, streaming: bool) -> str:
        """Streams with their changes, tables in batch."""
        return "CHANGES" if streaming else "BATCH"

    def poll(self) -> Output:
        """All rows at the first poll after the end."""
        if not self.ended:
            return Output()
        return self.output("finish")


class FlinkStreamBackend(_Flink):
    """The rows of each step, or the changes of a changelog; another updating query is refused."""

    name = "flink-stream"
    tier = "bounded"

    def mode(self, *, streaming: bool) -> str:
        """Streams with barriers, tables in batch."""
        if self.changelog:
            return "FOLDS"
        return "APPEND" if streaming else "BATCH"

    def poll(self) -> Output:
        """The output that the step has caused: the rows before a barrier after its events."""
        if not (self.streaming or self.ended):
            return Output()
        return self.output("finish" if self.ended else "poll")


class FlinkUpsertBackend(FlinkStreamBackend):
    """The changes of a changelog as upserts by a key; all other queries are unsupported."""

    name = "flink-upsert"

    def key(self, request: Open) -> tuple[int, ...]:
        """The key of the query's groups, or of the stream that it reads."""
        query = prepare(request.ddl, request.sql, Profile(request.profile)).query
        if not isinstance(query, Changes):
            raise UnsupportedError("only a query with EMIT CHANGES has upserts")
        found = key_of(query)
        if found is None:
            raise UnsupportedError("the query does not return the columns of a key")
        return found

    def mode(self, *, streaming: bool) -> str:
        """Streams with barriers, and upserts."""
        return "UPSERTS"


def _change(line: list[str | None], columns: tuple[ColumnInfo, ...]) -> tuple[WireRow, int]:
    """A line of the driver: the kind of the change, and the row."""
    kind, *texts = line
    row = tuple(from_flink(t, c.type) for t, c in zip(texts, columns, strict=True))
    return row, -1 if kind in ("-U", "-D") else 1


def _rows(changes: list[tuple[WireRow, int]]) -> Iterable[WireRow]:
    """The rows that are left after the changes, in the order of their arrival."""
    if all(weight > 0 for _, weight in changes):
        return [row for row, _ in changes]
    left: Counter[WireRow] = Counter()
    for row, weight in changes:
        left[row] += weight
    return left.elements()
