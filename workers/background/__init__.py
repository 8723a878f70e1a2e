"""Background jobs in threads of worker processes: recovery, heartbeat, liveness file, metrics, and due work.

`workers.lifecycle` starts them.
"""
