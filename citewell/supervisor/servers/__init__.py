"""The embedded Postgres and Valkey: their programs, passwords and ports, started and stopped together."""
