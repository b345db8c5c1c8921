"""Spark as a process: session, Java, run-time errors, file systems, Arrow."""
