"""A query reads the file that another query has written (S-607.n), in every format and type."""

from itertools import product
from pathlib import Path
from typing import Final

import pytest

from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")

#: For each type, literals with the ends of its range, as SQL writes them.
LITERALS: Final = {
    "BOOLEAN": ("TRUE", "FALSE"),
    "TINYINT": ("127", "-128"),
    "BIGINT": ("9223372036854775807", "-9223372036854775807"),
    "DECIMAL(9, 4)": ("99999.9999", "-0.0001"),
    "REAL": ("3.4028235E38", "-0.1E0"),
    "DOUBLE": ("1E308", "-0.1E0"),
    "VARCHAR(9)": ("''", "'NULL'", "'a \"b\", c'", "'NA'"),
    "CHAR(3)": ("'a'", "'   '"),
    "VARBINARY(3)": ("X'00FF'", "X''"),
    "DATE": ("DATE '0001-01-01'", "DATE '9999-12-31'"),
    "TIME(3)": ("TIME '23:59:59.999'", "TIME '00:00:00'"),
    "TIMESTAMP(3)": ("TIMESTAMP '9999-12-31 23:59:59.999'", "TIMESTAMP '1969-12-31 23:59:59.001'"),
    "INTERVAL DAY TO SECOND(3)": ("INTERVAL '-99 23:59:59.999' DAY TO SECOND",),
    "INTERVAL YEAR TO MONTH": ("INTERVAL '9-11' YEAR TO MONTH",),
}
#: The formats of files that are written and read.
ENDINGS: Final = ("csv", "tsv", "json", "parquet", "csv.gz", "jsonl.zst")


@pytest.mark.parametrize(("type", "ending"), list(product(LITERALS, ENDINGS)))
def test_a_query_reads_what_a_query_has_written(type: str, ending: str) -> None:
    rows = ", ".join(
        f"({place}, CAST({literal} AS {type}))"
        for place, literal in enumerate((*LITERALS[type], "NULL"))
    )
    query = f"SELECT * FROM (VALUES {rows}) AS t (n, v)"
    Path("x.sql").write_text(f"CREATE TABLE X (n INTEGER, v {type});")
    written = command("run", "-o", f"y.{ending}", query)
    assert (written.exit_code, written.stdout) == (0, ""), written.stderr
    expected = command("run", "--format", "json", query).stdout
    assert expected.count("\n") == len(LITERALS[type]) + 1
    asked = ["run", "--ddl", "x.sql", "--data", f"X=y.{ending}", "--format", "json"]
    found = command(*asked, "SELECT n, v FROM X")
    assert found.stdout == expected, found.stderr
