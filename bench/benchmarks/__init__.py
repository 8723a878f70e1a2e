"""What Citewell is worth and what it costs, measured: `python -m benchmarks.ROOM.NAME`, tables on standard output.

`python -m benchmarks` alone compares Citewell with six other systems (`rivals`). Nothing of the program imports these.
"""
