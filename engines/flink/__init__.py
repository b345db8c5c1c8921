"""Apache Flink under the kit."""
