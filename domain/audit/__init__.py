"""The chained record that proves a result, and whether a published answer still holds.

Imports no other package of the domain.
"""
