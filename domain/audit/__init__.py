"""The hash-chained record that proves a result, and whether a published answer is still valid.

Imports no other package of the domain.
"""
