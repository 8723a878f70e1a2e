"""Whether words that are quoted as a proof name what the statement is about and the values that it states (V4)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from domain.facts import korean
from domain.facts.aligning import same
from domain.facts.comparing import ReadSource, read_source
from domain.facts.tokens import Token, Value, read_tokens
from domain.facts.values import Values, agree
from domain.remembering import remembered
from domain.word_index import read_sentences

_BEFORE, _AFTER = 2, 1  # sentences around a quotation that it is read with
_HEADING = re.compile(r"^(?:#{1,6}\s.*|[^.!?。\n|]{1,80})$", re.MULTILINE)
_ANTECEDENT = re.compile(
    r"\W*(?:in [^,]{1,40}, |as [^,]{1,40}, )?"
    r"(?:it|its|he|his|she|her|they|their|this|these|that|those|the (?!(?:\S+ ){0,2}[A-Z])\S+|also|"
    r"그|그는|그의|그녀|이|이는|이들|당시|또한|또)\b",
    re.IGNORECASE,
)
_MOST_HEADING = 400
_MOST_ABOVE = 3  # headings that a quotation is read with


def unproven_words(statement: str, source: str, start: int, end: int) -> list[str]:
    """Return the names and values of `statement` that `source[start:end]` lacks, read with what it belongs to.

    That is the whole sentences, two before and one behind them, the headings above, and the rows of tables. A name
    counts as there when any part of the source has it, since antecedents may be far; a value has to be in the place.
    """
    known = read_source(source)
    told = _Told(nearby(source, start, end))
    refers = _refers(source[start:end])
    found: list[str] = []
    stated = read_tokens(statement)
    first = korean.opens(statement)
    for token in stated:
        subject = _is_subject(token) or (token.kind == "word" and token.start == 0 and first)
        unnamed = not refers and subject and not _names(token, known)
        if unnamed or (token.value and not told.has(token, token.value)):
            found.append(token.text)
    return found


def _refers(quotation: str) -> bool:
    """Say whether a quotation is about what was named before: "It …", "His …", "The film …"."""
    return _ANTECEDENT.match(quotation) is not None


def nearby(source: str, start: int, end: int) -> list[Token]:
    """Return the tokens of `source[start:end]` with two sentences before it, one behind it, and its headings."""
    read = read_sentences(source)
    sentences = read.sentences
    # The sentences lie in order and none in another.
    opening = max(0, bisect_right(read.starts, start) - 1)
    opening += bool(sentences) and sentences[opening].end <= start
    closing = bisect_left(read.starts, end)
    if opening >= closing:
        return list(read_tokens(source[start:end]))
    first, last = max(0, opening - _BEFORE), closing + _AFTER
    heading = " . ".join(_headings_above(source, sentences[opening].start)[-_MOST_ABOVE:])[-_MOST_HEADING:]
    texts = [each.text for each in sentences[first:last]]
    return [token for text in (*texts, heading) for token in read_tokens(text)]


def _headings_above(source: str, position: int) -> Sequence[str]:
    """The headings before a position, the line that is cut there as if it ended there."""
    ends, headings = _headings(source)
    line = source.rfind("\n", 0, position) + 1
    cut = _HEADING.findall(source[line:position])
    return [*headings[max(0, bisect_right(ends, line) - _MOST_ABOVE) : bisect_right(ends, line)], *cut]


@remembered()
def _headings(source: str) -> tuple[Sequence[int], Sequence[str]]:
    """Where the headings of a source end, and what they say."""
    found = list(_HEADING.finditer(source))
    return [each.end() for each in found], [each[0] for each in found]


def _is_subject(token: Token) -> bool:
    return token.kind == "name" or (token.kind == "word" and token.case in ("subject", "topic"))


class _Told:
    """The tokens of a place; whether it has a value is found by what the value is, not one token by one."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._values = [each.value for each in tokens]
        self._alike = Values(self._values)
        self._others = frozenset(each.key for each in tokens if not each.value)

    def has(self, token: Token, value: Value) -> bool:
        """Say whether one of the tokens is the `same` as this one with its value; a weak number always is."""
        if (value.quantity is not None and value.quantity.weak) or token.key in self._others:
            return True
        return any(agree(value, known) for at in self._alike.like(value) if (known := self._values[at]))


def _names(token: Token, known: ReadSource) -> bool:
    """A name is there whole, in part, in another form, or as an acronym; when in doubt it is."""
    if any(same(token, each) or each.key in token.key.split() for each in known.names.like(token)):
        return True
    if token.key.rpartition("#")[1]:
        return False
    return (
        any(part[: _stem_size(part)] in known.casefolded for part in token.key.split()) or token.key in known.initials
    )


def _stem_size(part: str) -> int:
    return 2 if part[:1] >= "가" else 5
