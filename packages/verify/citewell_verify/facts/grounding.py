"""Tests whether a quotation used as evidence names the subjects of a statement (V4)."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from citewell_verify.facts.comparison import ParsedSource, identifiers_in, parse_source
from citewell_verify.facts.reading import korean
from citewell_verify.facts.reading.token_alignment import has_token, tokens_match
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.structure.headings import is_naming_token
from citewell_verify.text.cache import text_cache
from citewell_verify.text.quotes import parse_sentences
from citewell_verify.text.windows import headings_of
from citewell_verify.text.words import vocabulary

_BEFORE = 2  # sentences before a quotation that may name what it refers to
_HEADING = re.compile(r"^(?:#{1,6}\s.*|[^.!?。\n|]{1,80})$", re.MULTILINE)
_ANTECEDENT = re.compile(
    r"\W*(?:in [^,]{1,40}, |as [^,]{1,40}, )?"
    r"(?:it|its|he|his|she|her|they|their|this|these|that|those|also|"
    r"the (?!(?:[^\s.!?]+ ){0,2}(?-i:[A-Z]))\S+(?! of\b)|"
    r"그|그는|그의|그녀|이|이는|이들|당시|또한|또)\b",
    re.IGNORECASE,
)
_CALENDAR = vocabulary("""
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter
""")
_TIMES = vocabulary("today now then here yesterday tomorrow overall altogether instead meanwhile note together still")
_HEADING_LINES = re.compile(r"\s*(?:#[^\n]*(?:\n\s*|$))+")
_MOST_HEADING = 400
_MOST_ABOVE = 3  # headings of the context above the source


def has_names(text: str, source: str) -> bool:
    """Return whether the source has every name of `text`, in any form, in its headings or elsewhere."""
    known = parse_source(source)
    return all(_is_named_in(token, known) for token in tokenize(text) if token.kind == "name")


def absent_subjects(statement: str, source: str, start: int, end: int, context: str = "") -> list[str]:
    """Return the subjects of `statement` that neither the source nor its `context` names.

    A quotation that begins with a pronoun or "the film" may refer to something outside of the source, unless a heading
    above it, its context or one of the two sentences before it names an antecedent.
    """
    return [token.text for token in _absent_tokens(statement, source, start, end, context)]


def _absent_tokens(statement: str, source: str, start: int, end: int, context: str) -> list[Token]:
    stated = tokenize(statement)
    places = [parse_source(text) for text in (source, context) if text]
    if headings := _HEADING_LINES.match(source, start, end):
        start = headings.end()
    unnamed = [token for token in stated if not any(_is_named_in(token, parsed) for parsed in places)]
    strict = [
        token
        for token in unnamed
        if token.kind == "name"
        or (token.kind == "word" and token.case in ("subject", "topic"))
        or (_is_first_word(token) and korean.starts_with_topic(statement))
    ]
    refers, quoted = _ANTECEDENT.match(source[start:end]) is not None, parse_sentences(source)
    opening = quoted.sentences[max(0, bisect_right(quoted.starts, start) - 1)].text if quoted.sentences else ""
    if not (refers or _ANTECEDENT.match(opening)):
        return strict
    is_named = _is_named_before(stated, source, start, context)
    if not unnamed:
        return strict
    if refers and not is_named:
        # No pronoun refers to a month.
        return [token for token in strict if token.key in _CALENDAR]
    # A capitalised first word may or may not be a name. It counts only if the quotation itself names nothing, because
    # synonyms are frequent.
    return [token for token in unnamed if token in strict or (is_named and _is_first_word(token) and _may_name(token))]


def _is_first_word(token: Token) -> bool:
    return token.kind == "word" and token.start == 0


def _may_name(token: Token) -> bool:
    word = token.text.casefold()
    return token.text[:1].isupper() and not word.endswith("ly") and word not in _TIMES


def _is_named_before(stated: Sequence[Token], source: str, start: int, context: str) -> bool:
    read = parse_sentences(source)
    opening = max(0, bisect_right(read.starts, start) - 1)
    before = [sentence.text for sentence in read.sentences[max(0, opening - _BEFORE) : opening]]
    above = (*headings_of(context), *_headings_above(source, start)[-_MOST_ABOVE:])
    named = [token for text in before for token in tokenize(text) if token.kind == "name"]
    named += [token for text in above for token in tokenize(text[:_MOST_HEADING]) if is_naming_token(token)]
    return any(not has_token(stated, token) for token in named)


def _headings_above(source: str, position: int) -> Sequence[str]:
    ends, headings = _headings(source)
    line = source.rfind("\n", 0, position) + 1
    cut = _HEADING.findall(source[line:position])
    return [*headings[max(0, bisect_right(ends, line) - _MOST_ABOVE) : bisect_right(ends, line)], *cut]


@text_cache()
def _headings(source: str) -> tuple[Sequence[int], Sequence[str]]:
    headings = list(_HEADING.finditer(source))
    return [heading.end() for heading in headings], [heading[0] for heading in headings]


def _is_named_in(token: Token, known: ParsedSource) -> bool:
    """Return whether the source has a name: whole, in part, in another form or as an acronym. True in doubt.

    Of an identifier such as X200, the part with the digits must occur.
    """
    # A stem ("juli") is in no source, and the tokens of a date ("18 July 1996") are one value.
    written = token.text
    if written in known.text and re.search(rf"(?<![\w-]){re.escape(written)}(?![\w-]|[.,:/]\d)", known.text):
        return True
    labelled = token.key.rpartition("#")[1]
    parts = token.key.replace(" #", "").split()
    may_identify = (part for part in parts if part.isalnum() and not (part.isascii() and part.isalpha()))
    identifiers = [identifier for part in may_identify for identifier in identifiers_in(part)]
    if identifiers and (known.identifiers.issuperset(identifiers) or not labelled):
        return known.identifiers.issuperset(identifiers)
    if any(
        tokens_match(token, candidate) or candidate.key in token.key.split()
        for candidate in known.token_index.candidates(token)
    ):
        return True
    if labelled:
        return False
    return (
        any(part[: _stem_size(part)] in known.casefolded for part in token.key.split()) or token.key in known.acronyms
    )


def _stem_size(part: str) -> int:
    return 2 if part[:1] >= "가" else 5
