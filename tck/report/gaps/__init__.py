"""The features that a backend lacks, deduced from a run, and which to add next."""
