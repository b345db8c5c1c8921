"""From a plan to a network of operators."""
