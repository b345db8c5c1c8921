"""The spellings of types, and the standard name of each."""

from collections.abc import Mapping
from typing import Final

#: The standard name of each spelling, and how many numbers may follow it (S-201).
SPELLINGS: Final[Mapping[str, tuple[str, int]]] = {
    "BOOLEAN": ("BOOLEAN", 0),
    "TINYINT": ("TINYINT", 0),
    "SMALLINT": ("SMALLINT", 0),
    "INTEGER": ("INTEGER", 0),
    "INT": ("INTEGER", 0),
    "BIGINT": ("BIGINT", 0),
    "DECIMAL": ("DECIMAL", 2),
    "DEC": ("DECIMAL", 2),
    "NUMERIC": ("DECIMAL", 2),
    "REAL": ("REAL", 0),
    "FLOAT": ("DOUBLE", 0),
    "DOUBLE": ("DOUBLE", 0),
    "DOUBLE PRECISION": ("DOUBLE", 0),
    "CHAR": ("CHAR", 1),
    "CHARACTER": ("CHAR", 1),
    "VARCHAR": ("VARCHAR", 1),
    "CHAR VARYING": ("VARCHAR", 1),
    "CHARACTER VARYING": ("VARCHAR", 1),
    "VARBINARY": ("VARBINARY", 1),
    "BINARY VARYING": ("VARBINARY", 1),
}

#: The standard name here of types that other systems have under another name.
OTHER_NAMES: Final[Mapping[str, str]] = {
    "STRING": "VARCHAR",
    "TEXT": "VARCHAR",
    "VARCHAR2": "VARCHAR",
    "NVARCHAR": "VARCHAR",
    "BOOL": "BOOLEAN",
    "BYTE": "TINYINT",
    "SHORT": "SMALLINT",
    "INT2": "SMALLINT",
    "INT4": "INTEGER",
    "INT8": "BIGINT",
    "INT32": "INTEGER",
    "INT64": "BIGINT",
    "LONG": "BIGINT",
    "NUMBER": "DECIMAL",
    "FLOAT4": "REAL",
    "FLOAT8": "DOUBLE",
    "FLOAT32": "REAL",
    "FLOAT64": "DOUBLE",
    "BYTES": "VARBINARY",
    "BYTEA": "VARBINARY",
    "DATETIME": "TIMESTAMP",
    "TIMESTAMP_LTZ": "TIMESTAMP",
    "TIMESTAMP_NTZ": "TIMESTAMP",
    "TIMESTAMPTZ": "TIMESTAMP",
}

_BEYOND: Final = """
ANY ARRAY BINARY BLOB CLOB GEOMETRY JSON MAP MULTISET NCHAR NCLOB NVARCHAR ROW UUID VARIANT XML
"""
#: Names of types of SQL that this language lacks; the error for them is NOT_SUPPORTED.
BEYOND: Final = frozenset(_BEYOND.split())
