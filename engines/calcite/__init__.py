"""Apache Calcite: a backend in Java, and the spellings that it is given."""
