"""Extension operators: functions, table functions and adapters written in Python (S-611)."""
