"""The adapter for Harlequin, in an environment of its own, typed at by textual's pilot.

`make release-check` runs this; it needs the network.
"""

import json
import sys
from pathlib import Path

import pytest

from tests.wheel.environments import ROOT, built, environment

pytestmark = pytest.mark.release

#: It pins click, at another version than ours: a user has both in an environment of the user's own.
HARLEQUIN = "harlequin==2.17.0"

_SESSION = '''
import asyncio, json, sys
from harlequin import Harlequin
from harlequin.plugins import load_adapter

STATEMENTS = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, units INTEGER) WITH HISTORY;
SELECT STREAM * FROM Orders WHERE units > 5;
INSERT INTO Orders VALUES
  (TIMESTAMP '2026-01-01 10:00:00', 5), (TIMESTAMP '2026-01-01 11:00:00', 7);
SELECT SUM(units) AS s FROM Orders;
"""

async def session():
    app = Harlequin(load_adapter("rowtime")(("file.db",)))
    async with app.run_test(size=(120, 40)) as pilot:
        while app.editor is None or app.connection is None:
            await pilot.pause(0.1)
        app.editor.text = STATEMENTS
        await pilot.press("ctrl+a")
        await pilot.press("ctrl+j")
        while len(tables := app.query("ResultsTable")) < 2:
            await pilot.pause(0.1)
        rows = [[list(map(str, t.get_row_at(i))) for i in range(t.row_count)] for t in tables]
        items = app.connection.get_catalog().items
        names = [[item.label, [column.label for column in item.children]] for item in items]
        print(json.dumps([rows, names]), file=sys.stderr)

asyncio.run(session())
'''


def test_harlequin_shows_streams_and_tables(tmp_path: Path) -> None:
    """A streaming query shows what the statements executed with it have determined."""
    there = environment(sys.executable, tmp_path / "environment")
    there.install_freely(str(built(tmp_path / "wheel", of=ROOT)), HARLEQUIN)
    done = there.run("python", "-c", _SESSION, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    rows, names = json.loads(done.stderr.splitlines()[-1])
    assert rows == [[["2026-01-01 11:00:00", "7"]], [["12"]]]
    assert ["ORDERS", ["ROWTIME", "UNITS"]] in names
