"""Cases that are known to be right or wrong because they were made from a source: what every verdict has to get right.

A case is a statement beside a source, with what a verdict on it must be. The sources are real texts and made-up fact
sheets; no case depends on what the domain can read. `python -m benchmarks.metamorphic FOLDER` prints the table.
"""
