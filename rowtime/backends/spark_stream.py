"""The public name of the backend that runs a query on Spark, one micro-batch after the other."""

from spark_backend.stream.backend import SparkStreamBackend

__all__ = ["SparkStreamBackend"]
