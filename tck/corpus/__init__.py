"""The corpus: case files, fixtures, the ledger, and what a case needs of a backend."""
