"""The least that a program with PySpark does: a session, a CSV file, one count."""

import sys

from pyspark.sql import SparkSession


def main() -> None:
    """Print the number of records of a file."""
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = spark.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    print(session.read.csv(sys.argv[1], header=True).count())


if __name__ == "__main__":
    main()
