"""Spark, over whole tables."""

from spark_backend.backend import SparkBackend, large_backend

__all__ = ["SparkBackend", "large_backend"]
