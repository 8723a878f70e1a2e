"""How a statement differs from one sentence of its source: values, roles, order, modality, restrictions.

Imports `domain.facts.reading` and `domain.facts.kinds`; `domain.facts.comparison` puts it together.
"""
