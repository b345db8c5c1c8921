"""The score of the corpus: how many wrong backends its cases distinguish from a right one."""
