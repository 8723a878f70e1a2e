"""Decides whether the same statement in two documents is about the same thing, by the subjects of the documents.

Many documents are of one kind: invoices, contracts with two suppliers, reports of two months. They make the same
statements about different things, and name these in their titles, in their openings, or in other fields of the form.
"""

import re
from collections.abc import Mapping, Sequence

from citewell_verify.entities.dates import find_dates
from citewell_verify.evidence.conflicts.differences import (
    LABELLED,
    Compared,
    Statement,
    folded,
    keys_in,
    says_same,
    statements_of,
)
from citewell_verify.evidence.conflicts.replacements import Known
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.facts.structure.headings import is_section_key

Pair = tuple[Known, Known]

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|Q[1-4]|H[12])\b|[1-4]분기|[상하]반기", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|had|did)\b|[았었했였]다", re.IGNORECASE)
_FEWEST = 2  # words that two statements about one thing have in common
_ENOUGH = 3  # words of a statement that say by themselves what it is about


def above(statement: Statement, document: Known) -> frozenset[str]:
    """Return the words of the headings above a statement and of the document's title."""
    return keys_in(*statement.headings, document.title)


def are_apart(left: Statement, right: Statement, pair: Pair) -> bool:
    """Return whether each of the two statements is below a heading that the other one lacks."""
    return not any(_add_nothing(left, right, pair))


def _add_nothing(left: Statement, right: Statement, pair: Pair) -> Sequence[bool]:
    """Return for each statement whether the headings below its title only have words that the other one has, too."""
    sides = ((left, pair[0]), (right, pair[1]))
    there = [keys_in(statement.text) | above(statement, known) for statement, known in reversed(sides)]
    inner = [
        keys_in(*(line for line in statement.headings if line != known.title and not known.says_which(line)))
        - keys_in(statement.text)
        for statement, known in sides
    ]
    return [all(map(is_section_key, own - other)) for own, other in zip(inner, there, strict=True)]


def may_be_two(left: Statement, right: Statement, compared: Compared, pair: Pair, question: str) -> bool:
    """Return whether the two statements may be about two things: each document names another one, or the question names
    the one of the `left` statement."""
    asked = keys_in(question) & keys_in(left.text)
    if not asked <= keys_in(right.text) | above(right, pair[1]):
        return True
    if len(compared.words | (above(left, pair[0]) & above(right, pair[1]))) < _FEWEST:
        return True
    if compared.adds or len(compared.values) > 1 or not all(_add_nothing(left, right, pair)):
        return True
    if _are_of_a_kind(left, right, pair):
        return True
    if left.row:
        return _most_differ(_cells_in(pair[0]), _cells_in(pair[1]))
    is_past = _PAST.search(left.text) is not None
    if len(compared.words) < _ENOUGH and (is_past or not _are_related(pair)):
        return True
    labelled = LABELLED.fullmatch(left.text) is not None
    if (labelled or is_past) and all(any(date.day for date in find_dates(document.title)) for document in pair):
        return True  # Statements about the past, and the fields of a form, belong to the day of their document.
    return labelled and _most_differ(_labels_in(pair[0]), _labels_in(pair[1]))


def _are_of_a_kind(left: Statement, right: Statement, pair: Pair) -> bool:
    """Return whether the documents are two of one kind: two invoices, reports of two years, contracts of two
    parties.
    """
    called = [_undated(known.title or known.name.rsplit(".", 1)[0]) for known in pair]
    numbers = [{number.casefold() for number in (*_NUMBER.findall(text), *_ORDINAL.findall(text))} for text in called]
    if numbers[0] - numbers[1] and numbers[1] - numbers[0]:
        return True
    if any(_names_in_title(own) - _words_of(known) for own, known in (pair, pair[::-1])):
        return True
    titles = [folded(_undated(known.title)) for known in pair]
    if not titles[0] or not titles[1]:
        return False
    if titles[0] != titles[1]:
        # "Spring concert" and "Autumn concert", "Rules for cars" and "Rules for bicycles".
        is_alike = titles[0][0] == titles[1][0] or titles[0][-1] == titles[1][-1]
        return is_alike and all(
            set(own) - set(other_title) - _words_of(known)
            for own, other_title, known in ((*titles, pair[1]), (*titles[::-1], pair[0]))
        )
    days = [{date.text for date in find_dates(known.title) if date.day} for known in pair]
    return (all(days) and days[0] != days[1]) or _open_differently(left, right, pair)


def _undated(title: str) -> str:
    """Return a title without the date of the document."""
    for date in find_dates(title):
        if date.day:
            title = title.replace(date.text, " ")
    return title


def _names_in_title(document: Known) -> frozenset[str]:
    words = [word for word in document.title.split() if word[:1].isalpha() and len(word) > 3]
    if all(word[:1].isupper() for word in words):
        return frozenset()  # The capitals of a headline show no names.
    return _names_in(document.title)


def _names_in(text: str) -> frozenset[str]:
    named = (token for line in text.split("\n") for token in tokenize(line) if token.kind == "name")
    return frozenset(key for token in named for key in token.key.split())


def _words_of(document: Known) -> frozenset[str]:
    return keys_in(document.title, document.text)


def _are_related(pair: Pair) -> bool:
    """Return whether one document has a word of the other's title, if its words mean anything, or a field with the same
    content.
    """
    fields = [_labels_in(known) for known in pair]
    if any(says_same(text, fields[1][label]) for label, text in fields[0].items() if label in fields[1]):
        return True
    titles = [{key for key in keys_in(known.title) if not is_section_key(key)} for known in pair]
    return not (titles[0] and titles[1]) or bool(titles[0] & _words_of(pair[1]) or titles[1] & _words_of(pair[0]))


def _open_differently(left: Statement, right: Statement, pair: Pair) -> bool:
    """Return whether documents with the same title name different parties at their beginning, or have other words in a
    field.
    """
    names = [
        _names_in(known.opening.replace(statement.text, ""))
        for known, statement in zip(pair, (left, right), strict=True)
    ]
    if names[0] - _words_of(pair[1]) and names[1] - _words_of(pair[0]):
        return True
    fields = [{label: text for label, text in _labels_in(known).items() if _is_in_words(text)} for known in pair]
    own = folded(left.text.partition(":")[0])
    shared = (fields[0].keys() & fields[1].keys()) - {own}
    return any(not says_same(fields[0][field], fields[1][field]) for field in shared)


def _is_in_words(text: str) -> bool:
    return not any(token.value for token in tokenize(text))


def _most_differ(left: Mapping[tuple[str, ...], str], right: Mapping[tuple[str, ...], str]) -> bool:
    """Return whether most common fields of two documents differ; versions of one table have most contents in common."""
    shared = left.keys() & right.keys()
    differing = [field for field in shared if not says_same(left[field], right[field])]
    return len(shared) > 1 and 2 * len(differing) > len(shared)


def _cells_in(document: Known) -> dict[tuple[str, ...], str]:
    rows = (cell.row for excerpt in document.excerpts for cell in statements_of(excerpt) if cell.row)
    cells = ((row, row.cells[0]) for row in rows)
    return {
        (*folded(row.label), "·", *folded(cell.head)): cell.content
        for row, cell in cells
        if not _is_in_words(cell.content)
    }


def _labels_in(document: Known) -> dict[tuple[str, ...], str]:
    said = (statement for excerpt in document.excerpts for statement in statements_of(excerpt) if not statement.row)
    return {folded(match[1]): match[2] for statement in said if (match := LABELLED.fullmatch(statement.text))}
