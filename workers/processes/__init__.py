"""The infrastructure of a worker process: resources, leases, periodic jobs, capacity, watchdogs, and child processes.

The lowest package of the workers; all others may import it.
"""
