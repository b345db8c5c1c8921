"""A backend that passes on trains of two rows, and loses all others."""

# ruff: noqa: D102 - the methods of the backend are the protocol's, and documented there

from tck.protocol import Accepted, ColumnInfo, Event, Hello, Open, Output, Rows, WireRow

TYPES = (("ROWTIME", "TIMESTAMP(3)"), ("PRODUCTID", "INTEGER"), ("UNITS", "INTEGER"))


class HalfATrain:
    """SELECT STREAM * FROM Orders, as long as rows arrive in pairs."""

    def __init__(self) -> None:
        self.rows: list[WireRow] = []

    def start(self) -> Hello:
        return Hello("half a train", "1", "Python", "final", ("calcite",))

    def open(self, request: Open) -> Accepted:
        del request
        self.rows.clear()
        return Accepted(True, tuple(ColumnInfo(name, type, True) for name, type in TYPES))

    def feed(self, event: Event) -> None:
        if isinstance(event, Rows) and len(event.rows) == 2:
            self.rows += event.rows

    def poll(self) -> Output:
        rows = tuple(self.rows)
        self.rows.clear()
        return Output(rows)

    def explain(self, row: int | None = None) -> str:
        del row
        return ""

    def close(self) -> None:
        pass

    def stop(self) -> None:
        pass
