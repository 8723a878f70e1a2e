"""The stored report of a verification: rows, scores, repairs, citations, and the answer's confidence.

Imports `services.verification`, `services.judging` and `services.core`.
"""
