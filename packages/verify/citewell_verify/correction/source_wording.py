"""Repairs a statement with the sentence of its source that says otherwise about the same (V6).

Nothing is exchanged within a statement, so a repaired sentence has the grammar, the verb, the direction and the signs
of its source.
"""

import re

from citewell_verify.evidence.equivalence import is_stated_in, names_subjects
from citewell_verify.evidence.spans import best_text_span, relevance_to
from citewell_verify.evidence.substitution import plain_substitution
from citewell_verify.facts.grounding import context_tokens
from citewell_verify.facts.heading_context import with_headings
from citewell_verify.facts.reading.token_alignment import tokens_match
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.text.languages import unread_language
from citewell_verify.text.readability import is_readable
from citewell_verify.text.sentences import is_table_row
from citewell_verify.text.word_index import parse_sentences

_STOPPED = re.compile(r"[.!…。！][\"'”’»)\]]*$")
_ABOUT_THE_SAME = 0.5  # share of a statement's words in a sentence that is to replace it
_LONGEST_GROWTH = 3.0
_MOST_COMPARED = 5  # sentences of a source, those that share most words with the statement


def source_wording(
    statement: str, source: str, context: str = "", contradicting: tuple[int, int] | None = None
) -> str | None:
    """Return the sentence of `source` that a wrong `statement` should have said; None if there is none.

    It differs from the statement in one slot, or has the words at `contradicting`, from which a judge concluded that
    the source says otherwise. It shares half of the statement's words, names its subjects and can be read without the
    sentences around it. None in a language that the rules do not read.
    """
    if unread_language(statement, [source]):
        return None
    shared = relevance_to(statement)
    rated = [(shared(sentence.text), sentence) for sentence in parse_sentences(source).sentences]
    near = sorted((pair for pair in rated if pair[0] >= _ABOUT_THE_SAME), key=lambda pair: -pair[0])
    for _, sentence in near[:_MOST_COMPARED]:
        judged = contradicting and sentence.start < contradicting[1] and sentence.end > contradicting[0]
        if _can_replace(statement, sentence.text) and (
            judged or plain_substitution(statement, sentence.text, context) is not None
        ):
            return sentence.text
    return None


def is_proven(text: str, source: str, context: str = "") -> bool:
    """Say whether a place of `source`, below its headings, states `text` and has all of its words (V6).

    What a wrong statement said in words of its own is what made it wrong.
    """
    whole = with_headings(text, source, context)
    known = context_tokens(text, whole, *best_text_span(whole, text))
    words = [word for word in tokenize(text) if word.is_content and not word.value]
    return is_stated_in(whole, text) and all(any(tokens_match(word, token) for token in known) for word in words)


def _can_replace(statement: str, sentence: str) -> bool:
    return (
        len(sentence) <= _LONGEST_GROWTH * len(statement) + 20
        and _STOPPED.search(sentence) is not None
        and is_readable(sentence)
        and not is_table_row(sentence)
        and _stands_alone(statement, sentence)
        and names_subjects(sentence, statement)
    )


def _stands_alone(statement: str, sentence: str) -> bool:
    """Return whether a sentence can be read alone, or opens as the statement does.

    "It weighs 7 kg" and "Otherwise the fee is 5 euros" need what was said before them.
    """
    known = tokenize(statement)
    for token in tokenize(sentence):
        if token.kind == "pronoun" and all(token.key != word.key for word in known):
            return False
        if token.is_content:
            return token.value is not None or any(tokens_match(token, word) for word in known)
    return False
