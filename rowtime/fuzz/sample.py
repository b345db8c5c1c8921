"""A random query on a random history, as a case of the kit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rowtime.fuzz.histories import History, histories
from rowtime.fuzz.queries import Query, queries
from rowtime.fuzz.schema import STREAMS, TABLE, Schema, schemas
from tck.corpus.case import Case, Place, Step
from tck.protocol import Bound, End, Event, Rows


@dataclass(frozen=True, slots=True)
class Sample:
    """A query, the streams that it reads, and their events."""

    schema: Schema
    query: Query
    history: History

    @property
    def used(self) -> frozenset[str]:
        """The names of the streams and the table that the query reads."""
        words = set(re.findall(r"\w+", self.query.text))
        return frozenset(words.intersection((*STREAMS, TABLE)))

    @property
    def pieces(self) -> frozenset[str]:
        """The names of the pieces of the query and its script."""
        return self.query.pieces | self.schema.pieces(self.used)

    def case(self, id: str) -> Case:
        """The streaming query as a case without expectations, with the streams that it reads."""
        table = self.history.table
        return Case(
            id=id,
            chapter="fuzz",
            subject="a random query, and the rows that the reference has",
            place=Place("a random query", 1),
            cites=("S-1001" if self.query.changelog else "S-303",),
            needs=tuple(self._needs()),
            ddl=self.schema.ddl(self.used),
            sql=self.query.streaming,
            columns=self.schema.columns,
            tables=(table,) if table.rows and TABLE in self.used else (),
            steps=tuple(Step(0, events) for events in self._steps()),
            why="recorded from the reference",
        )

    def _steps(self) -> Iterator[tuple[Event, ...]]:
        """The steps of the history, without events of streams that the query does not read.

        A step that then has no events is left out.
        """
        for events in self.history.steps:
            relevant = tuple(event for event in events if self._concerns(event))
            if relevant:
                yield relevant

    def _concerns(self, event: Event) -> bool:
        """Whether an event concerns a stream that the query reads, or no single stream."""
        if not isinstance(event, Rows | Bound | End) or event.input is None:
            return True
        return event.input in self.used

    def _needs(self) -> list[str]:
        """The needed capabilities that the kit cannot deduce from the text of the query."""
        return ["t-sort"] if any("WITHIN" in each for each in self.pieces) else []


@st.composite
def samples(draw: DrawFn, most_operators: int = 3, missing: frozenset[str] = frozenset()) -> Sample:
    """A sample of up to ``most_operators``, without ``missing`` pieces.

    The history is drawn last, so that the number of its rows shrinks first.
    """
    query = draw(queries(most_operators, missing))
    schema = draw(schemas(missing, query.changelog))
    return Sample(schema, query, draw(histories(schema)))
