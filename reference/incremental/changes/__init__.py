"""Changelogs by operators over weighted rows: the incremental form of S-1001."""
