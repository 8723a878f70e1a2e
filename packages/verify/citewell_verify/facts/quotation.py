"""Reads quoted words with the headings and column names that apply to them (V2, V4)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from citewell_verify.facts.comparison import identifiers_in
from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.vocabulary import GENERIC
from citewell_verify.facts.structure.headings import is_naming_token
from citewell_verify.facts.structure.sections import Section, parse_sections
from citewell_verify.facts.structure.tables import Row, cells_of, parse_tables
from citewell_verify.facts.structure.terms import Term, TermIndex, most_specific, terms, terms_of
from citewell_verify.text.windows import headings_of, joined, with_columns

_NUMBER = re.compile(r"\d+")


def with_headings(statement: str, text: str, context: str) -> str:
    """Return `text` preceded by the headings and column names of its `context` that may name the subject of
    `statement`.

    The innermost heading that names a thing is the subject of the text: in "Germany › Berlin" the text is not about
    Germany unless the statement also names Berlin. A heading with a value, such as "Report 2024", does not date the
    text below it. The result ends with `text`.
    """
    headed = with_columns(text, context)
    undated = [
        heading
        for heading in active_headings(headings_of(context))
        if not any(token.value for token in tokenize(heading))
    ]
    last = next((at for at in reversed(range(len(undated))) if naming_terms(undated[at])), 0)
    is_named = bool(undated) and TermIndex(terms(tokenize(statement))).has_all(naming_terms(undated[last]))
    # The innermost heading that names a thing comes last, directly above the text.
    above = [*undated[last + 1 :], *(undated[: last + 1] if is_named else undated[last : last + 1])]
    return "".join(f"{heading}\n\n" for heading in above) + headed


def with_outer_headings(statement: str, text: str, context: str) -> str:
    """Return the same as `with_headings` for a `text` without headings of its own; else add only the column names.

    A heading within the text may begin a subsection or an unrelated section; `context` does not show which.
    """
    return with_columns(text, context) if parse_sections(text) else with_headings(statement, text, context)


def active_headings(path: Sequence[str]) -> tuple[str, ...]:
    """Return the headings of a `path`, outermost first, that still apply at its end.

    A heading ends the section of an earlier heading of the same form: text below "X100 › X200" is about X200, and text
    below "Berlin office › Hamburg office" is about Hamburg's office.
    """
    later: set[str] = set()
    active: list[str] = []
    for heading in reversed(path):
        forms = set(_heading_patterns(heading))
        if not forms & later:
            active.append(heading)
        later |= forms
    return tuple(reversed(active))


def name_pattern(name: str) -> str:
    """Return the part of a name that it has in common with others of its series: everything except the digits."""
    return _NUMBER.sub("#", name.casefold())


def active_context(context: str) -> str:
    """Return `context` without the headings that later headings of the same form have ended."""
    _, _, columns = context.partition("\n")
    kept = active_headings(headings_of(context))
    return "\n".join((joined(kept), columns)).strip("\n") if kept else context


def _heading_patterns(heading: str) -> Iterator[str]:
    """Yield the parts that headings of one form have in common: all but the digits, or the last of several words."""
    if _NUMBER.search(heading):
        yield name_pattern(heading)
        yield from map(name_pattern, identifiers_in(heading))
    words = heading.casefold().split()
    if len(words) > 1 and not _NUMBER.search(words[-1]):
        yield f"{len(words)} {words[-1]}"


def naming_terms(heading: str) -> tuple[Term, ...]:
    """Return the terms of a heading that name a thing; () if it only labels a part of a text or of a thing."""
    return tuple(terms([token for token in tokenize(heading) if is_naming_token(token)]))


_TOPIC = re.compile(r"(?:s|ing|ion|ment|ness|[aei]nce|ity|ogy)$")
_DEMONSTRATIVES = frozenset("이 그 해당 본".split())
_LOWER = re.compile(r"(?<!\w)[a-z]+")


@dataclass(frozen=True)
class Quotation:
    """Words quoted from a `source`. `context` has the headings and columns that stand outside of the source."""

    words: str
    source: str
    context: str = ""

    @cached_property
    def whole(self) -> str:
        return with_columns(self.source, self.context)

    @cached_property
    def readable(self) -> str:
        return "\n\n".join(map(_as_table, self._rows)) if self._rows else self.words

    @cached_property
    def headings(self) -> tuple[str, ...]:
        above = headings_of(self.context)
        paths = [active_headings((*above, *section.path)) for section in self._sections] or [active_headings(above)]
        return tuple(dict.fromkeys(heading for path in paths for heading in path))

    def is_stated_by_heading(self, claim: str, statement_text: str, source_text: str | None) -> bool:
        """Return whether a heading states the same as the `claim`, and the quoted words only refer back to it.

        This holds for the 4 of "Pump 4", and for "Pump 4" where the words (`source_text`) say "this pump" or "the
        device". "The charger" may be another thing.
        """
        if not self.headings:
            return False
        if source_text is not None and source_text not in _DEMONSTRATIVES:
            before = "the|this|these" if source_text in GENERIC else "this|these"
            if not re.search(rf"(?<!\w)(?:{before}) {re.escape(source_text)}(?!\w)", self.words, re.IGNORECASE):
                return False
        claimed, whole = TermIndex(terms(tokenize(claim))), re.compile(rf"(?<![\w.]){re.escape(statement_text)}(?!\d)")
        named = (token for heading in self.headings for token in tokenize(heading) if not token.value)
        return any(whole.search(token.text) and claimed.has_all(terms_of(token.text)) for token in named)

    def mentions(self, thing: str) -> bool:
        return self._terms.has_all(terms_of(thing))

    def other_subjects(self, claim: str) -> Iterator[Difference]:
        yield from self._other_rows(claim)
        yield from self._other_sections(claim)
        yield from self._other_identifiers(claim)

    def _other_rows(self, claim: str) -> Iterator[Difference]:
        tables, claimed = {row.table for row in self._rows}, TermIndex(terms(tokenize(claim)))
        rows = [
            row
            for row in parse_tables(self.whole).rows
            if row.table in tables and any(not term.token.value for term in terms_of(row.label))
        ]
        meant = most_specific([row for row in rows if claimed.has_all(terms_of(row.label))], lambda row: row.label)
        labels = {row.label for row in meant}
        if labels and not labels & {row.label for row in self._rows}:
            yield Difference("subject", min(labels), self._rows[0].label)

    def _other_sections(self, claim: str) -> Iterator[Difference]:
        above = [naming for naming in map(self._naming_terms, self.headings) if naming]
        claimed = TermIndex(terms(tokenize(claim)))
        if not above or any(claimed.has_all(naming) for naming in above):
            return
        for heading in dict.fromkeys(heading for section in parse_sections(self.whole) for heading in section.path):
            named = self._naming_terms(heading)
            if heading not in self.headings and claimed.has_all(named) and not self._terms.has_all(named):
                yield Difference("subject", heading, self.headings[-1])

    def _naming_terms(self, heading: str) -> tuple[Term, ...]:
        tokens = [token for token in tokenize(heading) if is_naming_token(token)]
        return tuple(terms(tokens)) if any(map(self._may_be_name, tokens)) else ()

    def _may_be_name(self, token: Token) -> bool:
        """Return whether a word of a heading is a name: headings capitalise other words too, but a source does not."""
        if token.kind == "name" or not token.text[:1].isupper():
            return token.kind == "name"
        return not _TOPIC.search(token.text) and self._without_capitals.isdisjoint(token.text.casefold().split())

    def _other_identifiers(self, claim: str) -> Iterator[Difference]:
        """Yield each identifier of the claim that only other headings have: "X100" if the words are about the X200.

        A heading may have more words, as "3.1 X200 overview".
        """
        quoted = frozenset(identifiers_in("\n".join((*self.headings, self.words))))
        by_pattern = {
            name_pattern(identifier): heading for heading in self.headings for identifier in identifiers_in(heading)
        }
        headings = (
            *headings_of(self.context),
            *(heading for section in parse_sections(self.whole) for heading in section.path),
        )
        named = frozenset(identifier for heading in headings for identifier in identifiers_in(heading))
        for identifier in dict.fromkeys(identifiers_in(claim)):
            if identifier in named and identifier not in quoted and name_pattern(identifier) in by_pattern:
                yield Difference("subject", identifier, by_pattern[name_pattern(identifier)])

    @cached_property
    def _words(self) -> str:
        return "\n".join(self.words.splitlines()).strip()

    @cached_property
    def _without_capitals(self) -> frozenset[str]:
        return frozenset(_LOWER.findall(self.source))

    @cached_property
    def _terms(self) -> TermIndex:
        return TermIndex(terms(tokenize(self.words)))

    @cached_property
    def _sections(self) -> Sequence[Section]:
        return [section for section in parse_sections(self.whole) if self._words in section.text]

    @cached_property
    def _rows(self) -> Sequence[Row]:
        lines = [frozenset(cells_of(line)) for line in self.words.splitlines() if line.strip()]
        if not all(len(cells) > 1 for cells in lines):
            return []
        rows = [
            (frozenset((row.label, *(cell.content for cell in row.cells))), row)
            for row in parse_tables(self.whole).rows
        ]
        by_cell: dict[str, list[tuple[frozenset[str], Row]]] = defaultdict(list)
        for cells, row in rows:
            for cell in cells:
                by_cell[cell].append((cells, row))
        rows_quoted: list[Row] = []
        for line in lines:
            having = min((by_cell.get(cell, []) for cell in line), key=len)
            rows_quoted += [row for cells, row in having if line <= cells][:1]
        return rows_quoted if len(rows_quoted) == len(lines) else []


def _as_table(row: Row) -> str:
    heads = "\t".join(f"{cell.outer_heads} {cell.head}".strip() for cell in row.cells)
    contents = "\t".join(cell.content for cell in row.cells)
    return f"{row.heading}\n\t{heads}\n{row.label}\t{contents}"
