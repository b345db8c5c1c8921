"""The pipeline of `benchmarks.cold_spark`, as a user of Structured Streaming writes it."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses


def main() -> None:
    """Read the Parquet files of a folder that are there, and write the groups as Parquet."""
    source, target, checkpoint = sys.argv[1:]
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = spark.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    schema = "rowtime timestamp, productId int, units int"
    orders = session.readStream.schema(schema).parquet(source).withWatermark("rowtime", "0 seconds")
    groups = orders.groupBy(F.window("rowtime", "1 hour").alias("w"), "productId")
    sums = groups.agg(F.count("*").alias("c"), F.sum("units").alias("u"))
    written = sums.select(F.col("w.end").alias("rowtime"), "productId", "c", "u")
    writer = written.writeStream.format("parquet").option("path", target)
    query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    query.awaitTermination()


if __name__ == "__main__":
    main()
