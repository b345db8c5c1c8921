"""What tests of pipelines start from: a folder of orders, scripts of one statement, the command."""

from pathlib import Path
from typing import Final

from typer.testing import CliRunner, Result

from rowtime.cli import app

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
    """What comes of a pipeline, on a backend or by default; whatever it is, it is no traceback."""
    Path("p.sql").write_text(text)
    asked = ["--backend", backend] if backend else []
    result = CliRunner().invoke(app, ["run", "p.sql", *asked, *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def refused(text: str, *options: str, backend: str = "") -> list[str]:
    """The lines that are said of a pipeline that fails."""
    result = rowtime(text, *options, backend=backend)
    assert (result.exit_code, result.stdout) == (1, "")
    return result.stderr.splitlines()
