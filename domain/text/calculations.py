"""Words by which a question asks for a calculation: "the average of other assets" is asked of a text that says "Other
assets". Such words seldom stand where the answer does, and often elsewhere.
"""

from domain.text.words import stem, vocabulary

CALCULATIONS = frozenset(
    map(
        stem,
        vocabulary("""
            amount amounts average averages change changes difference differences percent percentage ratio respectively
            평균 차이 증감 비율 금액
        """),
    )
)
"""Stems, which are also lexemes."""
