"""Whether words that are quoted as a proof name what the statement is about and the values that it states (V4)."""

import re
from collections.abc import Sequence

from domain.facts import korean
from domain.facts.aligning import same
from domain.facts.comparing import read_source
from domain.facts.tokens import Token, read_tokens
from domain.sentences import split_sentences

_BEFORE, _AFTER = 2, 1  # sentences around a quotation that it is read with
_HEADING = re.compile(r"^(?:#{1,6}\s.*|[^.!?。\n|]{1,80})$", re.MULTILINE)
_ANTECEDENT = re.compile(
    r"\W*(?:in [^,]{1,40}, |as [^,]{1,40}, )?"
    r"(?:it|its|he|his|she|her|they|their|this|these|that|those|the (?!(?:\S+ ){0,2}[A-Z])\S+|also|"
    r"그|그는|그의|그녀|이|이는|이들|당시|또한|또)\b",
    re.IGNORECASE,
)
_MOST_HEADING = 400


def unproven_words(statement: str, source: str, start: int, end: int) -> list[str]:
    """Return the names and values of `statement` that `source[start:end]` lacks, read with what it belongs to.

    That is the whole sentences, two before and one behind them, the headings above, and the rows of tables. A name
    counts as there when any part of the source has it, since antecedents may be far; a value has to be in the place.
    """
    known = [token for tokens in read_source(source).tokens for token in tokens]
    place = nearby(source, start, end)
    refers = _refers(source[start:end])
    found: list[str] = []
    stated = read_tokens(statement)
    first = korean.opens(statement)
    for token in stated:
        subject = _is_subject(token) or (token.kind == "word" and token.start == 0 and first)
        unnamed = not refers and subject and not _names(token, known, source)
        if unnamed or (token.value and not _has(token, place)):
            found.append(token.text)
    return found


def _refers(quotation: str) -> bool:
    """Say whether a quotation is about what was named before: "It …", "His …", "The film …"."""
    return _ANTECEDENT.match(quotation) is not None


def nearby(source: str, start: int, end: int) -> list[Token]:
    """Return the tokens of `source[start:end]` with two sentences before it, one behind it, and its headings."""
    sentences = split_sentences(source)
    inside = [at for at, each in enumerate(sentences) if each.start < end and each.end > start]
    if not inside:
        return list(read_tokens(source[start:end]))
    first, last = max(0, inside[0] - _BEFORE), inside[-1] + _AFTER + 1
    heading = " . ".join(_HEADING.findall(source[: sentences[inside[0]].start])[-3:])[-_MOST_HEADING:]
    texts = [each.text for each in sentences[first:last]]
    return [token for text in (*texts, heading) for token in read_tokens(text)]


def _is_subject(token: Token) -> bool:
    return token.kind == "name" or (token.kind == "word" and token.case in ("subject", "topic"))


def _has(token: Token, tokens: Sequence[Token]) -> bool:
    weak = token.value is not None and token.value.quantity is not None and token.value.quantity.weak
    return weak or any(same(token, each) for each in tokens)


def _names(token: Token, tokens: Sequence[Token], source: str) -> bool:
    """A name is there whole, in part, in another form, or as an acronym; when in doubt it is."""
    if any(same(token, each) or each.key in token.key.split() for each in tokens if each.matters):
        return True
    if token.key.rpartition("#")[1]:
        return False
    folded = source.casefold()
    return (
        any(part[: _stem_size(part)] in folded for part in token.key.split())
        or token.key in read_source(source).initials
    )


def _stem_size(part: str) -> int:
    return 2 if part[:1] >= "가" else 5
