"""What tests of pipelines start from: a folder of orders, scripts of one statement, the command."""

import socket
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from typer.testing import CliRunner, Result

from algebra.catalog import Profile
from algebra.records.pipeline import PipelineProgress, Settings
from rowtime.cli import app
from rowtime.pipeline.engines import engine_of, pipeline

#: Longer than this no test waits for a pipeline to come so far, in seconds.
_PATIENCE: Final = 600

COLUMNS: Final = "(rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER)"
ORDERS: Final = """\
rowtime,productId,units
2015-02-15 10:17:00,30,4
2015-02-15 10:17:05,10,1
2015-02-15 11:02:00,10,6
"""


def script(source: str = "path 'orders.csv'", sink: str = "path 'out.csv'", query: str = "") -> str:
    """A pipeline of one statement."""
    return (
        f"CREATE FOREIGN STREAM Orders {COLUMNS}\n  OPTIONS ({source});\n"
        f"CREATE FOREIGN STREAM Sink {COLUMNS}\n  OPTIONS ({sink});\n"
        f"INSERT INTO Sink {query or 'SELECT STREAM * FROM Orders;'}"
    )


def rowtime(text: str, *options: str, backend: str = "") -> Result:
    """The result of a pipeline, on a backend or the default one; it must not be a traceback."""
    Path("p.sql").write_text(text)
    chosen = ["--backend", backend] if backend else []
    result = CliRunner().invoke(app, ["run", "p.sql", *chosen, *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def refused(text: str, *options: str, backend: str = "") -> list[str]:
    """The lines of the message about a pipeline that fails."""
    result = rowtime(text, *options, backend=backend)
    assert (result.exit_code, result.stdout) == (1, "")
    return result.stderr.splitlines()


def run_until(
    text: str, enough: Callable[[PipelineProgress], bool], checkpoint: str | None = "checkpoint"
) -> PipelineProgress:
    """A run on Spark that follows its sources, and is stopped when enough has been done."""
    made, done = pipeline(text, Profile.CALCITE, ()), list[PipelineProgress]()
    until = time.monotonic() + _PATIENCE

    def stopping() -> bool:
        return bool(done and enough(done[-1])) or time.monotonic() > until

    settings = Settings(False, 0.05, checkpoint, lambda: "2024-01-01 00:00:00")
    return engine_of("spark").run(made, settings, done.append, stopping)


@contextmanager
def served(lines: Sequence[str]) -> Generator[int]:
    """The port of a server on this machine that sends these lines to whoever comes."""
    over, sent = threading.Event(), "".join(f"{line}\n" for line in lines).encode()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)

        def serve() -> None:
            with ExitStack() as peers:
                while not over.is_set():
                    with suppress(OSError):  # nobody has come yet, or it only looked
                        peers.enter_context(peer := server.accept()[0])
                        peer.sendall(sent)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            thread.join()
