"""Finds sentences that share a question's words and cannot answer it (V8). Silent when in doubt."""

import re
from functools import lru_cache

from domain.entities.dates import find_dates
from domain.entities.numbers import find_quantities
from domain.question.question_parts import QuestionPart
from domain.text.words import content_stems, coverage

_SUPPOSES = "let|suppose|assume|consider|es seien|es sei|seien|sei|soit|soient|sea|sean"
_SUPPOSITION = re.compile(rf"^\W*(?:(?:\w\)|\(?\w{{1,3}}[.)])\s+)?(?:{_SUPPOSES})\b", re.IGNORECASE)
_OBJECT = re.compile(r"^\W*what (?:do|does|did) .+ (\w+)\W*$", re.IGNORECASE)
_AUXILIARY = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|happen|happened"
_CHOICE = re.compile(rf"^\W*(?:\w+ )?(?:which|what) (?!(?:{_AUXILIARY})\b)|^\W*어떤 ", re.IGNORECASE)
_PASSIVE = re.compile(r"\b(?:by|is|are|was|were|be|been|being)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:than|least|most|over|under|above|below|between|exceed\w*|within|up to|about|around|nearly|almost|every)\b"
    r"|이상|이하|초과|미만|넘|약\s",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_FEWEST = 10.0  # smaller numbers of a question are often told in words: "the two types"


def is_no_answer(asked: QuestionPart, sentence: str) -> bool:
    """Say whether the sentence only supposes what is to be explained, repeats the object that is asked for, or is about
    another figure than the one that the question is about. Linear in both lengths.
    """
    if asked.kind == "decision" and not _SUPPOSITION.match(sentence):
        return False
    return (
        _SUPPOSITION.match(sentence) is not None
        or _lacks_object(asked.text, sentence)
        or _lacks_figure(asked, sentence)
    )


def _lacks_object(question: str, sentence: str) -> bool:
    # "This letter contains an attachment" for "what does it contain?".
    match = _OBJECT.match(question)
    if match is None or _PASSIVE.search(sentence):
        return False
    known, verb = frozenset(content_stems(question)), frozenset(content_stems(match[1]))
    places = [word.end() for word in _WORD.finditer(sentence) if verb & frozenset(content_stems(word[0]))]
    return bool(places) and all(coverage([each], known) for each in content_stems(sentence[places[0] :]))


def _lacks_figure(asked: QuestionPart, sentence: str) -> bool:
    wanted = _figures(asked.text) if _CHOICE.match(asked.text) else frozenset[float]()
    return bool(wanted) and wanted.isdisjoint(each.value for each in find_quantities(sentence))


@lru_cache(maxsize=256)
def _figures(question: str) -> frozenset[float]:
    # Those by which it chooses: "which foods have 150 calories?". Dates are none.
    if _COMPARED.search(question):
        return frozenset()
    dated = {place for date in find_dates(question) for place in range(date.start, date.end)}
    found = (each for each in find_quantities(question) if each.start not in dated and not each.weak)
    return frozenset(each.value for each in found if each.value >= _FEWEST)
