"""The meaning of a query before evaluation: types, catalog, expressions, plans, binding."""
