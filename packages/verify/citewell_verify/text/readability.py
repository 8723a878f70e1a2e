"""Tests whether a piece of extracted text is a sentence that can serve as an answer (V8).

Besides sentences, extraction yields heads of tables, lines of a table of contents, captions, headings and torn bullets.
These contain a question's words, but answer nothing.
"""

import re

from citewell_verify.text.words import vocabulary

_STOPPED = re.compile(r"[.!…。！][\"'”’»)\]*_]*$")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|can|could|may|might|must|will|would|shall|should|do|does|did|gets?|needs?"
    r"|includes?|contains?|means?|provides?|requires?|allows?|applies|receives?|costs?|weighs?|runs?|uses?|makes?|takes?"
    r"|ist|sind|war|waren|wird|werden|hat|haben|kann|können|muss|müssen|darf|est|sont|était|a|ont|peut|es|son|está|puede)\b"
    r"|[a-z]{3,}ed\b|(?:다|요|음|함|됨|임|까)\W*$",
    re.IGNORECASE,
)


def is_verb(word: str) -> bool:
    """Return whether a word is one of the verbs that mark a sentence, and no participle: "receive", not "used"."""
    return _VERB.fullmatch(word) is not None and not word.endswith("ed")


_COLUMNS = re.compile(r"\||\t|(?<! ) {3,40}[^ ]{1,60} {3}")
_LEADERS = re.compile(r"(?:\. ?){4,}|_{3,}|…{2,}|·{4,}")
_CONTENTS = re.compile(
    r"^(?:(?:chapter|section|part|appendix) )?\d{1,3}(?:\.\d{1,3})*\.?\s+\S.*\s\d{1,4}$", re.IGNORECASE
)
_PAGE_AT_END = re.compile(r"[A-Za-z가-힣)]\s+\d{1,4}$")
_CAPTION = re.compile(
    r"^\W{0,3}(?:figure|fig\.?|table|tab\.?|exhibit|listing|chart|image|photo|source|abbildung|tabelle|그림|표|사진|자료|출처)"
    r"\s?(?:[\dA-Z가-힣][\w.-]{0,6})?\s?[.:)\]-]|^\W{0,3}(?:figure|table|fig\.|그림|표)\s?\d[\d.-]*\s",
    re.IGNORECASE,
)
_SAYS_OF_FIGURE = re.compile(
    r"^(?:figure|table|fig\.)\s?[\d.-]+\s(?:shows?|lists?|gives?|illustrates?|describes?|summarizes?)\b", re.IGNORECASE
)
_REFERENCE = re.compile(
    r"\b(?:pp?\. ?\d|vol\. ?\d|no\. ?\d|doi\b|isbn\b|issn\b|arxiv\b|proceedings\b|et al\b|retrieved\b|archived\b"
    r"|accessed\b|university press\b|journal of\b|\(\d{4}\)|https?:|www\.)",
    re.IGNORECASE,
)
_OPENS_IN_THE_MIDDLE = vocabulary("""
    and or but nor of to in on at by for with from into than that which who whose whom where as is are was were has have
    had be been will would can could if because while until although though so
""")
_LIST_SIGN = re.compile(r"^(?:[-*+•‣▪◦·●○■□※▶►>]|\(?[\da-z가-힣]{1,3}[.)])\s+")
_UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff]{3}")
_FEWEST_UNSPACED = 8  # characters
_FEWEST_WORDS, _FEWEST_KOREAN_WORDS = 4, 2
_LONGEST = 700
_TITLED, _LETTERS, _SINGLE, _DIGITS = 0.6, 0.5, 0.35, 0.4


def is_readable(text: str) -> bool:
    """Say whether `text` is one whole sentence in prose. Linear in its length, which is limited to 700 characters."""
    plain = _LIST_SIGN.sub("", " ".join(text.split()))
    if len(plain) > _LONGEST or _COLUMNS.search(text) or text.lstrip().startswith("#"):
        return False
    if plain.endswith(("?", "？", ":", "：", ";", ",")) or _LEADERS.search(plain):
        return False
    return _is_prose(plain) and not _is_apparatus(plain)


def _is_prose(plain: str) -> bool:
    tokens = plain.split()
    korean = any("가" <= character <= "힣" for character in plain)
    if _UNSPACED.search(plain):
        return len(plain) >= _FEWEST_UNSPACED and _STOPPED.search(plain) is not None
    if len(tokens) < (_FEWEST_KOREAN_WORDS if korean else _FEWEST_WORDS):
        return False
    lettered = [token for token in tokens if token[0].isalpha()]
    is_titled = sum(token[0].isupper() for token in lettered) > _TITLED * len(lettered)
    if not _STOPPED.search(plain) and (not _VERB.search(plain) or is_titled):
        return False
    if tokens[0].casefold() in _OPENS_IN_THE_MIDDLE and tokens[0].islower():
        return False
    solid = [character for character in plain if not character.isspace()]
    if sum(map(str.isalpha, solid)) < _LETTERS * len(solid) or sum(map(str.isdigit, solid)) > _DIGITS * len(solid):
        return False
    # Adjacent names, as in the head of a table or a list of authors, are no sentence.
    cased = [token for token in tokens if token[0].isupper() or token[0].islower()]
    is_of_names = sum(token[0].islower() for token in cased) < 0.25 * len(cased)
    return sum(len(token) == 1 for token in tokens) <= max(2, _SINGLE * len(tokens)) and (korean or not is_of_names)


def _is_apparatus(plain: str) -> bool:
    if _CAPTION.match(plain) and not _SAYS_OF_FIGURE.match(plain):
        return True
    if not _STOPPED.search(plain) and (_CONTENTS.match(plain) or _PAGE_AT_END.search(plain)):
        return True
    return len(_REFERENCE.findall(plain)) > 1
