"""The queries at work in a database: those whose rows are final, and changelogs."""
