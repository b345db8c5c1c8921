"""Files without a declaration: the columns and the form that are found in them."""
