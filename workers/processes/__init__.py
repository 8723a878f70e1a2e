"""What a worker process consists of: its resources, leases, periodic jobs, and the children that compute for it.

The lowest package of the workers; all others may import it.
"""
