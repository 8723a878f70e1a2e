"""Protection against untrusted texts: instructions to a model within a source.

Imports `citewell_verify.text`; code that shows a source to a model imports it.
"""
