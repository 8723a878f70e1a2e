"""Tables, records and sections of a source, and statements compared with them.

Imports `domain.facts.reading` and `domain.facts.kinds`.
"""
