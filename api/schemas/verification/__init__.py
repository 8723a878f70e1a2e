"""Schemas of verification: answers from other systems, results, history, comparisons, audits."""
