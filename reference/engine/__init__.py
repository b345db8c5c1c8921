"""The engine on one machine: sessions, histories, and pipelines between files."""
