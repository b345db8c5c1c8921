"""Sources on Spark that have no end: a rate, and a socket, until one stops the pipeline."""

import socket
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from algebra.catalog import Profile
from rowtime.pipeline import Progress, Settings, engine_of, pipeline
from tests.rowtime.pipelines import COLUMNS, script

pytestmark = pytest.mark.spark

#: Longer than this no test waits, in seconds.
_PATIENCE = 120


def run_until_read(text: str, rows: int) -> Progress:
    """How far a pipeline is that is stopped when its source has given so many rows."""
    seen: list[Progress] = []
    until = time.monotonic() + _PATIENCE

    def stopping() -> bool:
        return bool(seen and seen[-1].sources[0].rows >= rows) or time.monotonic() > until

    settings = Settings(False, 0.2, None, lambda: "2015-02-15 10:00:00")
    made = pipeline(text, Profile.CALCITE, ())
    return engine_of("spark").run(made, settings, seen.append, stopping)


def test_the_rows_of_a_rate_come_by_their_numbers(folder: Path) -> None:
    """Whatever its columns are called; none is late."""
    text = script("format 'rate', rows_per_second 200", query="SELECT STREAM * FROM Orders;")
    text = text.replace(COLUMNS, '(rowtime TIMESTAMP(3) ASCENDING, "the number" BIGINT)')
    done = run_until_read(text, 600)
    assert (done.sources[0].dropped, done.sources[0].rows >= 600) == (0, True)
    rows = [line.split(",") for line in (folder / "out.csv").read_text().splitlines()[1:]]
    assert len(rows) >= 300
    assert [int(number) for _, number in rows] == list(range(len(rows)))
    assert [at for at, _ in rows] == sorted(at for at, _ in rows)


def test_the_lines_of_a_socket_come_as_they_were_sent(folder: Path) -> None:
    """Spark deals them out to its tasks; one that is behind those before it is late."""
    lines = [f"2015-02-15 10:{i // 60:02}:{i % 60:02},{i},{i}" for i in range(900)]
    late = "2015-02-15 10:00:00,-1,-1"
    sent = [*lines[:500], "", late, *lines[500:]]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        over = threading.Event()

        def serve() -> None:
            """Send everything to whoever comes: a look whether there is a server, and Spark."""
            server.settimeout(0.1)
            with ExitStack() as peers:
                while not over.is_set():
                    with suppress(OSError):
                        peer = peers.enter_context(server.accept()[0])
                        peer.sendall("".join(f"{line}\n" for line in sent).encode())

        thread = threading.Thread(target=serve)
        thread.start()
        source = f"format 'socket', host '127.0.0.1', port {port}"
        try:
            done = run_until_read(script(source), 901)
        finally:
            over.set()
            thread.join()
    assert (done.sources[0].rows, done.sources[0].dropped) == (901, 1)
    given = (folder / "out.csv").read_text().splitlines()[1:]
    # The last may wait for a row of its own time.
    assert given in (lines, lines[:-1])
