"""What a process tells of itself: counters (meter, families) and traces (tracing)."""
