"""The core of the corpus: a small set of cases that detects most wrong backends."""
