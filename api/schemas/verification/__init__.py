"""Answers from elsewhere, and what was checked of any answer: results, history, comparisons, audits."""
