"""Cases whose truth is known because they were made from a source; every verdict must be right about them.

A case is a statement beside a source, with the required verdict. The sources are real texts and made-up fact sheets; no
case depends on what the domain can read. `python -m benchmarks.metamorphic FOLDER` prints the table.
"""
