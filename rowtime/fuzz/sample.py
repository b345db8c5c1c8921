"""A random query on a random history, as a case of the kit."""

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rowtime.fuzz.histories import History, histories
from rowtime.fuzz.queries import Query, queries
from rowtime.fuzz.schema import Schema, schemas
from tck.corpus.case import Case, Place, Step


@dataclass(frozen=True, slots=True)
class Sample:
    """A query, the streams it reads, and what happens to them."""

    schema: Schema
    query: Query
    history: History

    def case(self, id: str) -> Case:
        """The streaming query as a case without expectations."""
        return Case(
            id=id,
            chapter="fuzz",
            subject="a random query, and the rows that the reference has",
            place=Place("a random query", 1),
            cites=("S-303",),
            needs=tuple(self._needs()),
            ddl=self.schema.ddl,
            sql=self.query.streaming,
            columns=self.schema.columns,
            tables=(self.history.table,) if self.history.table.rows else (),
            steps=tuple(Step(0, events) for events in self.history.steps),
            why="recorded from the reference",
        )

    def _needs(self) -> list[str]:
        """The capabilities that no text of a query shows."""
        return ["t-sort"] if any("WITHIN" in order for order in self.schema.orders) else []


@st.composite
def samples(draw: DrawFn) -> Sample:
    """A sample.  The history comes last: what shrinks first is the number of its rows."""
    schema = draw(schemas())
    query = draw(queries())
    return Sample(schema, query, draw(histories(schema)))
