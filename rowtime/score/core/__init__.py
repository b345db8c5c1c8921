"""The core of the corpus: a small set of cases that tells most wrong backends."""
