"""The embedded database, in which a bomb is thrown."""

import rowtime
from tests.bombs.bombs import Bomb


def drive(bomb: Bomb) -> str:
    """The number of rows that the driver returns, or its error; a streaming query runs first."""
    with rowtime.connect() as db:
        fetched = 0
        try:
            for each in bomb.ddl:
                db.execute(each)
            cursor = db.execute(bomb.query) if "STREAM" in bomb.query else None
            for name, rows in bomb.rows.items():
                marks = ", ".join("?" * len(rows[0]))
                with db.prepare(f"INSERT EXPEDITED INTO {name} VALUES ({marks})") as insert:
                    for at in range(0, len(rows), 500):
                        insert.executemany(rows[at : at + 500])  # type: ignore[arg-type]
                        if cursor:
                            fetched += len(cursor.fetch_available())
            cursor = cursor or db.execute(bomb.query)
            return f"{fetched + len(cursor.fetch_available())} rows"
        except rowtime.Error as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
