"""Answers from other systems: accepted with their sources, verified, and reported, alone or in batches.

Imports `services.queries` and `services.finishing`.
"""
