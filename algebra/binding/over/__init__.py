"""OVER: window functions and their frames, and the windows of joins (S-505, S-509)."""
