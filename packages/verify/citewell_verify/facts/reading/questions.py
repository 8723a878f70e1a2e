"""Reads questions with their answers: a question alone asserts nothing (V4).

"How much does the X100 weigh? 7 kg." says that the X100 weighs 7 kg. "Is it waterproof?" says nothing by itself; with
the answer "Yes" it says that it is, and with "No" that it is not.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from citewell_verify.facts.reading.clauses import HANGUL, clauses
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.text.words import vocabulary

_MARK = re.compile(r"[?？][\"'”’»)\]*_=#\s]*$")
_LABEL = re.compile(r"^[\W_]*(?:(?:(?:q|question|a|answer)\s?\d{0,3}|질문|문|답변?)\s?[.:)](?:\s+|$))?", re.IGNORECASE)
_ENGLISH_OPEN = vocabulary("who whom whose what when where which why how")
_ENGLISH_CLOSED = vocabulary("""
    is are was were am do does did has have had can could will would may might must shall should isn't aren't wasn't
    weren't don't doesn't didn't hasn't haven't can't couldn't won't wouldn't shouldn't
""")
_BEFORE = vocabulary("and but so or then in on at to for from with by of about until since under")
_KOREAN_OPEN = re.compile(
    r"(?<![가-힣])(?:누구|누가|무엇|무슨|뭐|뭘|언제|어디|어느|어떤|어떻게|어떠|어때|왜|얼마|몇|며칠)"
)
_YES = re.compile(r"(?:yes|yeah|yep|네|예|그렇습니다|그렇다|맞습니다|맞다)(?![\w가-힣])[\s,.!:;–—-]*", re.IGNORECASE)
_NO = re.compile(r"(?:no|nope|아니요|아니오|아뇨|아닙니다|아니다)(?![\w가-힣])[\s,.!:;–—-]*", re.IGNORECASE)
_JOINTS = " ,.!:;–—-"
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")


@dataclass(frozen=True, slots=True)
class AssertedClause:
    """A clause in the form in which it is compared; `asserts` is False for a question that has no answer.

    The clause may begin with a `question`, which is a heading if `under_heading`.
    """

    text: str
    asserts: bool = True
    question: str = ""
    under_heading: bool = False


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence with its clauses, or a question and its answer; `text` is empty if it asserts nothing as a whole."""

    text: str
    clauses: tuple[AssertedClause, ...]


def is_question(text: str) -> bool:
    """Return whether a sentence or heading is a question: it ends in a question mark that does not belong to a
    title.
    """
    if not _MARK.search(text):
        return False
    return HANGUL.search(text) is not None or is_open(text) or bool(_opening(text) & _ENGLISH_CLOSED)


def asks_openly(heading: str) -> bool:
    return is_question(heading) or is_open(heading)


def is_open(question: str) -> bool:
    """Return whether a question asks for more than yes or no, such as who, when or how many."""
    if HANGUL.search(question):
        return _KOREAN_OPEN.search(question) is not None
    return bool(_opening(question) & _ENGLISH_OPEN)


def what_is_asked_about(question: str) -> tuple[Token, ...]:
    """Return the names in a question; if it has none, its Korean nouns or its other English words.

    Question words such as "how long" and 얼마나 do not count.
    """
    tokens = tokenize(question)
    degrees = {after for before, after in pairwise(tokens) if before.key == "how"}
    said = [
        token
        for token in tokens
        if token.is_content
        and token not in degrees
        and not _KOREAN_OPEN.match(token.text)
        and token.key not in _ENGLISH_OPEN
    ]
    return tuple([token for token in said if token.kind == "name"] or [token for token in said if token.case] or said)


def read_with_answers(sentences: Sequence[str], headings: Set[str]) -> Iterator[ReadSentence]:
    """Yield the sentences, each question together with its answer, the sentence after it.

    A sentence that is one of the `headings` is no answer.
    """
    at = 0
    while at < len(sentences):
        question, following = sentences[at], sentences[at + 1] if at + 1 < len(sentences) else ""
        at += 1
        is_heading = question.strip() in headings
        if not is_question(question):
            yield ReadSentence(question, _asserted(question))
        elif not following or following.strip() in headings or is_question(following):
            yield ReadSentence(
                "", (AssertedClause(question, asserts=False, question=question, under_heading=is_heading),)
            )
        else:
            at += 1
            if at < len(sentences) and _label_end(following) == len(following):  # "A:" alone
                following, at = f"{following} {sentences[at]}", at + 1
            yield _answered(question, following, is_heading=is_heading)


def _answered(question: str, answer: str, *, is_heading: bool) -> ReadSentence:
    if is_open(question):
        parts = [f"{question} {clause}" for clause in clauses(answer)]
        read = (AssertedClause(part, True, question, is_heading and not at) for at, part in enumerate(parts))
        return ReadSentence(f"{question} {answer}", tuple(read))
    said = answer[_label_end(answer) :]
    confirmed, denied = _YES.match(said), _NO.match(said)
    short = confirmed or denied
    rest = said[short.end() :].strip() if short else answer
    asked = f"{question} {denied[0].strip(_JOINTS)}" if denied else question
    opening = AssertedClause(asked, short is not None, "" if confirmed else question, is_heading)
    return ReadSentence(rest, (opening, *_asserted(rest)))


def _asserted(sentence: str) -> tuple[AssertedClause, ...]:
    return tuple(map(AssertedClause, clauses(sentence))) if sentence else ()


def _opening(text: str) -> set[str]:
    """Return the first word that is no introduction, and the words that introduce it: "In which year"."""
    words: set[str] = set()
    for word in _WORD.finditer(text, _label_end(text)):
        plain = word[0].casefold().replace("’", "'")
        words.add(plain)
        if plain not in _BEFORE:
            break
    return words


def _label_end(text: str) -> int:
    label = _LABEL.match(text)
    return label.end() if label else 0
