"""RANK over a stream that is ordered by a DOUBLE fails if a value is NaN.

SQL:2016 (ISO/IEC 9075-2), 6.10, window function: RANK has a value for each row of its partition.
Any rank of the NaN would be right, or a refusal of the query.

Run with: pip install apache-flink==2.3.0; python rank_of_nan.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text("2015-02-15 10:00:00,NaN\n2015-02-15 10:01:00,1\n")

TABLE = f"""
    CREATE TABLE s (t TIMESTAMP(3), d DOUBLE, WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{folder}/s', 'format' = 'csv')
"""
QUERY = """
    SELECT t, d, RANK() OVER (PARTITION BY FLOOR(t TO HOUR) ORDER BY d) AS r FROM s
"""

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
environment.execute_sql(TABLE)
try:
    with environment.execute_sql(QUERY).collect() as rows:
        actual = f"{len([tuple(row) for row in rows])} changes"
except Exception as error:  # the job fails
    actual = next(each for each in str(error).splitlines() if "NullPointer" in each)
print("expected", "  the ranks of two rows", sep="\n")
print("actual", f"  {actual}", sep="\n")
sys.exit("NullPointer" in actual)
