"""Child processes: started, guarded, restarted, and stopped together."""
