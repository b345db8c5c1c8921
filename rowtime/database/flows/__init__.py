"""The running queries of a database: those whose rows are final, and changelogs."""
