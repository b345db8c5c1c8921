"""Sources and sinks of a pipeline: files, sockets, Kafka and tables, by Structured Streaming."""
