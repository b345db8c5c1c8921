"""Spark, micro-batch by micro-batch."""

from spark_backend.stream.backend import SparkStreamBackend

__all__ = ["SparkStreamBackend"]
