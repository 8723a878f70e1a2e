"""Finds plain substitutions: a statement that is a sentence of its source but for one value or name."""

from domain.facts.kinds import Disagreement
from domain.facts.reading.tokens import Token, tokenize
from domain.text.word_index import parse_sentences

_ARTICLES = frozenset({"a", "an", "the"})


def plain_substitution(statement: str, source: str, context: str = "") -> Disagreement | None:
    del context
    said = _words(statement)
    for sentence in parse_sentences(source).sentences:
        known = _words(sentence.text)
        if len(said) != len(known):
            continue
        slots = [(one, other) for one, other in zip(said, known, strict=True) if _form(one) != _form(other)]
        if len(slots) == 1 and slots[0][0].value and slots[0][1].value:
            one, other = slots[0][0].text, slots[0][1].text
            return Disagreement("number", one, other, f"the statement says “{one}”, the source says “{other}”")
    return None


def _words(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.text.casefold() not in _ARTICLES]


def _form(token: Token) -> str:
    return token.key if token.value else token.text.casefold()
