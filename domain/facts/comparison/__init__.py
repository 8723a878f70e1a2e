"""A statement beside a whole source: the source as it is read, its best place, and its sections and tables.

Imports the packages `differences`, `structure` and `reading` of `domain.facts`.
"""
