"""In streaming mode COUNT(*) has no row, and not 0, once its last input row is gone.

Documentation, Concepts & Common API, Dynamic Tables: "the result of a continuous query is always
semantically equivalent to the result of the same query executed in batch mode on a snapshot of the
input tables".  In batch mode the answer is 0.

Run with: pip install apache-flink==2.3.0; python count_of_nothing.py
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text("a,1\na,-1\n")
TABLE = f"""
    CREATE TABLE s (k STRING, v INT)
    WITH ('connector' = 'filesystem', 'path' = 'file://{folder}/s', 'format' = 'csv')
"""
QUERY = """
    SELECT COUNT(*) AS c FROM (SELECT k FROM s GROUP BY k HAVING SUM(v) > 0)
"""

answers = []
for settings in (EnvironmentSettings.in_batch_mode(), EnvironmentSettings.in_streaming_mode()):
    environment = TableEnvironment.create(settings)
    environment.get_config().set("parallelism.default", "1")
    environment.execute_sql(TABLE)
    with environment.execute_sql(QUERY).collect() as rows:
        changes = [(str(row.get_row_kind()), tuple(row)) for row in rows]
    fold = Counter()
    for kind, row in changes:
        fold[row] += -1 if kind in ("-U", "-D") else 1
    answers.append(sorted(fold.elements()))
expected, actual = answers
print("expected, as in batch mode", *expected, sep="\n  ")
print("actual", *(actual or ["no row"]), sep="\n  ")
sys.exit(actual != expected)
