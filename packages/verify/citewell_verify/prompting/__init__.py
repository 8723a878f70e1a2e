"""Prompts, the schemas of replies, and the form in which models see passages.

Imports `citewell_verify.safety`; the packages that use replies import it.
"""
