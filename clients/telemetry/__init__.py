"""Telemetry of a process: counters (meter, families) and traces (tracing)."""
