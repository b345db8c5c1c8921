"""Public names of the backends that run a query on Spark over whole tables.

`large_backend` makes a backend for large data, which has the default settings of Java.
"""

from spark_backend.backend import SparkBackend, large_backend

__all__ = ["SparkBackend", "large_backend"]
