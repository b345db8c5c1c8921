"""Functions of rowtime that get a bomb: the driver, and the answer of the playground."""

import rowtime
from rowtime.playground.answer import Question, answer
from tests.bombs.bombs import Bomb
from tests.bombs.files import script


def drive(bomb: Bomb) -> str:
    """The number of rows that the driver returns, or its error; a streaming query runs first."""
    with rowtime.connect() as db:
        fetched = 0
        try:
            for each in bomb.ddl:
                db.execute(each)
            cursor = db.execute(bomb.query) if bomb.is_streaming else None
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


def ask_playground(bomb: Bomb) -> str:
    """The number of rows that the playground shows, or the first fault."""
    try:
        answered = answer(Question(";\n".join(bomb.ddl), bomb.query, script(bomb)))
    except MemoryError:  # the page shows the last line of any exception, and continues
        return "MemoryError"
    rows = len(answered.rows or ()) + sum(len(each.rows) for each in answered.moments)
    return next((f"fault: {each}"[:200] for each in answered.faults), f"{rows} rows")
