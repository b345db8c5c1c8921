"""Backends to copy: SQLite as a class, and an engine in Node.js over the protocol."""
