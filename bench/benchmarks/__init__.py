"""Measures the quality and the cost of Citewell: `python -m benchmarks.ROOM.NAME` prints tables on standard output.

`python -m benchmarks` alone compares Citewell with six other systems (`rivals`). The program imports none of these
modules.
"""
