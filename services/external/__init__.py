"""Answers from elsewhere: accepted with their sources, verified, and reported, alone or in batches.

Imports `services.queries` and `services.finishing`.
"""
