"""COUNT over a join counts rows that are only away while a group changes.

Each row is joined with the sum of its key, which is always there, so the number of pairs is the
number of rows.  When the sum changes, Flink takes all pairs of the key away one by one, and adds
them again: the number falls, and rises again.

Documentation, Concepts & Common API, Dynamic Tables: "the result of a continuous query is always
semantically equivalent to the result of the same query executed in batch mode on a snapshot of the
input tables".  An answer that is shown must so be the answer over the rows until some moment, and
a later answer must not be over fewer rows.  (S-1003.b: tier `prefix`.)

The changes are applied one after the other, and `-U` with the `+U` that follows it as one.

Run with: pip install apache-flink==2.3.0; python count_over_join.py
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

ROWS = [("a", 1), ("a", 2), ("a", 3)]
COLUMNS = "k STRING, v INT"
QUERY = """
    SELECT COUNT(t.total) AS pairs FROM s
    JOIN (SELECT k, SUM(v) AS total FROM s GROUP BY k) AS t ON s.k = t.k
"""
#: The answer before the first row, and after each row.
EXPECTED = [
    [],
    [(1,)],
    [(2,)],
    [(3,)],
]

folder = tempfile.mkdtemp()
Path(folder, "s").write_text("".join(f"{','.join(map(str, row))}\n" for row in ROWS))
environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
environment.execute_sql(
    f"CREATE TABLE s ({COLUMNS}) WITH ('connector' = 'filesystem', 'path' = 'file://{folder}/s',"
    " 'format' = 'csv')"
)
with environment.execute_sql(QUERY).collect() as rows:
    changes = [(str(row.get_row_kind()), tuple(row)) for row in rows]

fold, last, wrong = Counter(), 0, False
print("expected", *EXPECTED, sep="\n  ")
print("actual")
for place, (kind, row) in enumerate(changes):
    fold[row] += 1 if kind in ("+I", "+U") else -1
    fold = Counter({each: n for each, n in fold.items() if n})
    following = changes[place + 1][0] if place + 1 < len(changes) else ""
    if kind == "-U" and following == "+U":
        continue
    answer = sorted(fold.elements(), key=str)
    true = [n for n, each in enumerate(EXPECTED) if sorted(each, key=str) == answer]
    later = [n for n in true if n >= last]
    note = "" if later else "  <- true only earlier" if true else "  <- never true"
    wrong = wrong or not later
    last = later[0] if later else last
    print(f"  {kind} {row}: {answer}{note}")
sys.exit(wrong)
