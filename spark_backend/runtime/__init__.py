"""Spark as a program: session, Java, failures, file systems, Arrow."""
