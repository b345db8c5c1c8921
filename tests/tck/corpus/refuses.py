"""A backend that refuses every query."""

from tck.protocol import Event, Hello, Open, Output, Refused


class Refuses:
    """Refuses every query, and takes no rows."""

    def start(self) -> Hello:
        """What this backend is."""
        return Hello("refuses", "1", "Python", "final", ("calcite", "sqlstream"), {})

    def open(self, request: Open) -> Refused:
        """A refusal."""
        return Refused("UNKNOWN_FUNCTION", f"no {request.profile} here")

    def feed(self, event: Event) -> None:
        """Never called."""
        raise AssertionError(f"fed with {event}, though the query is refused")

    def poll(self) -> Output:
        """Never called."""
        raise AssertionError("polled, though the query is refused")

    def explain(self, row: int | None = None) -> str:
        """The place, because there is no plan."""
        return f"{row}"

    def close(self) -> None:
        """Nothing."""

    def stop(self) -> None:
        """Nothing."""
