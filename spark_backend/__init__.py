"""What scales: the same plans on Apache Spark."""
