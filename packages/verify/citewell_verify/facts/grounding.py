"""Tests whether a quotation used as evidence names the subjects of a statement and has its values (V4)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from citewell_verify.facts.comparison import ParsedSource, identifiers_in, parse_source
from citewell_verify.facts.reading import korean
from citewell_verify.facts.reading.clauses import clauses
from citewell_verify.facts.reading.token_alignment import has_token, tokens_match
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.values import ValueIndex, values_agree
from citewell_verify.facts.structure.headings import (
    heading_lines,
    heading_path,
    inherited_tokens,
    is_naming_token,
    is_topic_heading,
    split_off_headings,
)
from citewell_verify.facts.structure.sections import (
    NamedSection,
    named_section,
    naming_terms,
    parse_sections,
)
from citewell_verify.text.cache import text_cache
from citewell_verify.text.quotes import parse_sentences
from citewell_verify.text.windows import headings_of
from citewell_verify.text.words import vocabulary

_MOST_PARTS = 8  # sections of a quotation that are compared separately
_BEFORE, _AFTER = 2, 1  # sentences around a quotation that are its context
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


def ungrounded_words(statement: str, source: str, start: int, end: int, context: str = "") -> list[str]:
    """Return the names and values of `statement` that `source[start:end]` lacks, read in its context.

    This context is the whole sentences, the two before and the one after them, the headings above, and the rows of
    tables. A name may be in any part of the source or of its `context` (headings outside of it), because antecedents
    may be far away. A value must be in the place itself: a year in the title of a report dates nothing in the report.
    If a quotation spans several sections, each clause is compared with one of them. See `absent_subjects` for a
    quotation that begins with a pronoun. A name that is a heading of the source must be above the place or in the text
    there.
    """
    unnamed = frozenset(map(id, _absent_tokens(statement, source, start, end, context)))
    stated = tokenize(statement)
    parts = [_Part.of(statement, source, *place) for place in _split_at_headings(source, start, end)]
    lacking: set[str] = set()
    for clause in clauses(statement) if len(parts) > 1 else (statement,):
        lacking.update(min((part.lacks(clause) for part in parts), key=len))
    ungrounded = [token.text for token in stated if id(token) in unnamed or token.text in lacking]
    return [*ungrounded, *sorted(lacking - {token.text for token in stated})]


def _split_at_headings(source: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    known = heading_lines(source)
    position = began = start
    parts = 1
    for line in source[start:end].splitlines(keepends=True):
        if parts < _MOST_PARTS and line.strip() in known and source[began:position].strip():
            yield began, position
            began, parts = position, parts + 1
        position += len(line)
    yield began, end


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


def context_tokens(statement: str, source: str, start: int, end: int) -> list[Token]:
    """Return the tokens of `source[start:end]`, of the two sentences before and the one after it, and of its headings.

    Values of headings are included only if they apply to the `statement` (`inherited_tokens`).
    """
    read = parse_sentences(source)
    sentences = read.sentences
    # The sentences are in order and do not overlap.
    opening = max(0, bisect_right(read.starts, start) - 1)
    opening += bool(sentences) and sentences[opening].end <= start
    closing = bisect_left(read.starts, end)
    if opening >= closing:
        return list(tokenize(source[start:end]))
    known, stated = heading_lines(source), {token.key for token in tokenize(statement)}
    before, own, behind = (
        [part for sentence in sentences[first:last] for part in split_off_headings(sentence.text, known)]
        for first, last in (
            (max(0, opening - _BEFORE), opening),
            (opening, closing),
            (closing, closing + _AFTER),
        )
    )
    # Text above the last heading, or below the next one, is about something else.
    last_heading = next((at for at in range(len(before) - 1, -1, -1) if before[at].strip() in known), 0)
    begun = own and own[0].strip() in known
    belongs = [*before[len(before) if begun else last_heading :], *own]
    belongs += takewhile(lambda text: text.strip() not in known, behind)
    # A heading that is quoted alone counts as a statement.
    lone = all(text.strip() in known for text in own)
    stated_tokens = [
        token for text in belongs if text.strip() not in known or (lone and text in own) for token in tokenize(text)
    ]
    # The path includes a heading at which the quotation begins.
    path = heading_path(source, sentences[opening].end + 1 if begun else sentences[opening].start)
    dated = [token for text in path for token in inherited_tokens(tokenize(text[-_MOST_HEADING:]), stated)]
    above = [heading[-_MOST_HEADING:] for heading in _headings_above(source, sentences[opening].start)[-_MOST_ABOVE:]]
    quoted = [text for text in belongs if text.strip() in known]
    named = [token for text in (*quoted, *above) for token in tokenize(text) if not token.value]
    return [*stated_tokens, *dated, *named]


def _headings_above(source: str, position: int) -> Sequence[str]:
    ends, headings = _headings(source)
    line = source.rfind("\n", 0, position) + 1
    cut = _HEADING.findall(source[line:position])
    return [*headings[max(0, bisect_right(ends, line) - _MOST_ABOVE) : bisect_right(ends, line)], *cut]


@text_cache()
def _headings(source: str) -> tuple[Sequence[int], Sequence[str]]:
    headings = list(_HEADING.finditer(source))
    return [heading.end() for heading in headings], [heading[0] for heading in headings]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a quotation that has no heading within; `path` are the headings above it, `texts` the part itself and
    its sections.
    """

    source: str
    place: "_PlaceTokens"
    path: tuple[str, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, statement: str, source: str, start: int, end: int) -> "_Part":
        path = heading_path(source, _behind_headings(source, start, end))
        sections = (section.text for section in parse_sections(source) if section.path == path)
        place = _PlaceTokens(context_tokens(statement, source, start, end))
        return cls(source, place, path, (source[start:end], *sections))

    def lacks(self, clause: str) -> list[str]:
        tokens = tokenize(clause)
        values = [token.text for token in tokens if not self.place.has_value(token)]
        section = None if all(map(is_topic_heading, self.path)) else _section_of(clause, self.source)
        if section is None:
            return values
        for heading in section.headings:
            keys = {term.key for term in naming_terms(heading)}
            if heading not in self.path and not any(keys <= parse_source(text).all_keys for text in self.texts):
                return [*values, section.mention]
        return values


@lru_cache(maxsize=1024)
def _section_of(clause: str, source: str) -> NamedSection | None:
    """Return the section whose heading a clause names in full, if the other sections are about other things."""
    section = named_section(tokenize(clause), source)
    return None if section is None or section.is_partial or not section.is_exclusive else section


def _behind_headings(source: str, start: int, end: int) -> int:
    known = heading_lines(source)
    for line in source[start:end].splitlines(keepends=True):
        if line.strip() and line.strip() not in known:
            return start
        start += len(line)
    return end + 1


class _PlaceTokens:
    """The tokens of a place, with its values indexed."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._values = [token.value for token in tokens]
        self._alike = ValueIndex(self._values)
        self._others = frozenset(token.key for token in tokens if not token.value)

    def has_value(self, token: Token) -> bool:
        """Return whether the place has the value of a token. A token without a value, or with a weak number, counts as
        present.
        """
        value = token.value
        if value is None or (value.quantity is not None and value.quantity.weak) or token.key in self._others:
            return True
        return any(values_agree(value, known) for at in self._alike.candidates(value) if (known := self._values[at]))


def _is_named_in(token: Token, known: ParsedSource) -> bool:
    """Return whether the source has a name: whole, in part, in another form or as an acronym. True in doubt.

    Of an identifier such as X200, the part with the digits must occur.
    """
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
