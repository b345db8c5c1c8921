"""The corpus: case files, fixtures, the ledger, and the capabilities that a case needs."""
