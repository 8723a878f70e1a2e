"""Jobs that run in threads of worker processes: recovery, heartbeats, metrics, due deliveries and revalidation.

`workers.lifecycle` starts them.
"""
