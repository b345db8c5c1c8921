"""Backends to copy: SQLite and a small engine of changelogs as classes, and one in Node.js."""
