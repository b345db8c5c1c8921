"""Whether an answer reports the properties that its case asks for."""

from dataclasses import replace
from pathlib import Path

import pytest

from tck.protocol import Accepted, Open, Output, Refused
from tck.reported import reported_properties
from tck.transcript import Missing, converse
from tests.tck import toy
from tests.tck.corpora import load_case

PROPERTIES = """
id: properties
cites: [CAL-034]
sql: SELECT STREAM * FROM Orders
monotonicity: {rowtime: INCREASING}
metadata: {collation: ROWTIME, latency: PT0S}
plan: |
  Delta
    Scan(ORDERS)
"""
SCHEMA = """
id: schema
cites: [CAL-034]
sql: SELECT STREAM * FROM Orders
schema: [ROWTIME TIMESTAMP(3) NOT NULL, PRODUCTID INTEGER NOT NULL, UNITS INTEGER]
"""
LATE = """
id: late
cites: [S-601]
sql: SELECT STREAM * FROM Orders
steps:
- feed: {Orders: [['10:05', 10, 4], ['10:00', 20, 1]]}
  emit: [['10:05', 10, 4]]
  late: {Orders: [['10:00', 20, 1]]}
- end: true
"""
BACKWARDS = """
id: backwards
cites: [S-604]
sql: SELECT STREAM * FROM Orders
steps:
- bound: {Orders: '10:05'}
- bound: {Orders: '10:00'}
  warn: {Orders: BOUND_BACKWARDS}
- end: true
rows: []
"""
FAILS = """
id: fails
cites: [CAL-001]
sql: SELECT STREAM units / 0 FROM Orders
steps:
- feed: all
  error: {code: DIVISION_BY_ZERO, at: units / 0}
"""
PLAIN = """
id: plain
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
rows: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7]]
"""


class OtherCode(toy.SaysNothing):
    """Fails with another code than it must."""

    def poll(self) -> Output:  # noqa: D102 - the protocol's
        output = super().poll()
        return replace(output, error=output.error and replace(output.error, code="OVERFLOW"))


class Typed(toy.SaysNothing):
    """Reports the types of the columns alone."""

    def open(self, request: Open) -> Accepted | Refused:  # noqa: D102 - the protocol's
        answer = super().open(request)
        if isinstance(answer, Refused):
            return answer
        return replace(answer, columns=tuple(replace(c, nullable=True) for c in toy.COLUMNS))


@pytest.mark.parametrize(
    ("case", "backend", "expected"),
    [
        (
            PROPERTIES,
            toy.Faithful,
            {
                "monotonicity": True,
                "metadata": True,
                "metadata-collation": True,
                "metadata-latency": False,
                "plan": True,
            },
        ),
        (
            PROPERTIES,
            toy.SaysNothing,
            {
                "monotonicity": False,
                "metadata": False,
                "metadata-collation": False,
                "metadata-latency": False,
                "plan": False,
            },
        ),
        (SCHEMA, toy.Faithful, {"schema": True, "not-null": True}),
        (SCHEMA, Typed, {"schema": True, "not-null": False}),
        (SCHEMA, toy.SaysNothing, {"schema": False}),
        (SCHEMA.replace(" NOT NULL", ""), toy.Faithful, {"schema": True}),
        (LATE, toy.Faithful, {"late-reports": True}),
        (LATE, toy.SaysNothing, {"late-reports": False}),
        (BACKWARDS, toy.SaysNothing, {"warnings": False}),
        (FAILS, toy.Faithful, {"failure-places": True}),
        (FAILS, toy.SaysNothing, {"failure-places": False}),
        (FAILS, OtherCode, {}),
        (PROPERTIES, toy.RefusesAll, {}),
        (PLAIN, toy.SaysNothing, {}),
    ],
)
def test_an_answer_speaks_or_is_silent_of_each_property(
    case: str, backend: type[toy.Faithful], expected: dict[str, bool], tmp_path: Path
) -> None:
    asked = load_case(tmp_path, case)
    transcript = converse(backend(), asked, asked.sql)
    assert not isinstance(transcript, Missing)
    assert reported_properties(asked, transcript) == expected
