"""What conditions say of columns: linear constraints, ranges, and distances between columns."""
