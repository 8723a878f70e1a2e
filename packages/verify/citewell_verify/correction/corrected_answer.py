"""Corrects an answer: repairs or removes failing statements, removes wrong citations and renumbers the rest (N5,
S5.5, V6).

The result reads as if the statement had never been there: no empty list item, no double space, no gap between
paragraphs.

No words are exchanged within a statement, so a repaired sentence has the grammar, the verb, the direction and the signs
of its source.

Text, numbers and offsets are rebuilt in one step, and every marker gets the same form and place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from typing import Any, Literal

from citewell_verify.answers.parser import (
    ParsedAnswer,
    ParsedSentence,
    is_claim,
    is_list_sign,
    parse_answer,
    without_list_sign,
)
from citewell_verify.answers.statements import Statement
from citewell_verify.evidence.citation_scoring import score_citation
from citewell_verify.evidence.contradictions import best_places
from citewell_verify.evidence.equivalence import names_subjects
from citewell_verify.evidence.spans import relevance_to
from citewell_verify.evidence.substitution import plain_substitution
from citewell_verify.facts.grounding import has_names
from citewell_verify.facts.quotation import with_headings
from citewell_verify.facts.reading.token_alignment import has_token
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.markers.citable import Citable, citable
from citewell_verify.markers.stripping import WIDE_STOP, plain_text
from citewell_verify.text.languages import unread_language
from citewell_verify.text.quotes import parse_sentences
from citewell_verify.text.readability import is_readable
from citewell_verify.text.sentences import is_table_row

_STOP = re.compile(r"[.!?…。！？]+[\"'”’»)\]]*$")
_CONTINUED = re.compile(r"\n[ \t]{2,}")
RepairKind = Literal["reattributed", "rewritten", "dropped"]


@dataclass(frozen=True, slots=True)
class Repair:
    """The change of one statement. `numbers` are the sources that support it now; `text` its words if rewritten.

    Numbers beyond those of the answer's own sources stand for added sources.
    """

    kind: RepairKind
    reason: str
    numbers: tuple[int, ...] = ()
    text: str = ""

    @classmethod
    def rewriting(cls, text: str, numbers: tuple[int, ...], reason: str) -> "Repair":
        words = clean_words(text)
        return cls("rewritten", reason, numbers, words) if words else cls("dropped", reason)


@dataclass(frozen=True, slots=True)
class Place:
    """The place `start:end` of statement `index` in the text."""

    index: int
    start: int
    end: int


def apply_repairs(reading: ParsedAnswer, repairs: Mapping[int, Repair]) -> tuple[str, list[Place]]:
    """Return the text of `reading` with statements rewritten or removed, and the places of the remaining ones."""
    text = reading.text
    places = [Place(index, said.start, said.end) for index, said in enumerate(reading.said)]
    # The repairs go from last to first, so that text before a change keeps its place.
    for index in sorted(repairs, reverse=True):
        repair, place = repairs[index], places[index]
        if repair.kind == "dropped":
            following = places[index + 1].start if index + 1 < len(places) else len(text)
            start, end = _extent(text, place.start, place.end, following)
            text = text[:start] + text[end:]
            places = [*places[:index], Place(index, start, start), *_shifted(places[index + 1 :], start - end)]
        elif repair.kind == "rewritten":
            # Without a full stop here, the next sentence would be read as a part of this one.
            had, has = _STOP.search(text[place.start : place.end]), _STOP.search(repair.text)
            words = repair.text + (had[0] if had and not has else "")
            text = text[: place.start] + words + text[place.end :]
            end = place.start + len(words)
            places = [*places[:index], Place(index, place.start, end), *_shifted(places[index + 1 :], end - place.end)]
    dropped = {index for index, repair in repairs.items() if repair.kind == "dropped"}
    if not dropped:
        return text, places
    lead = len(text) - len(text.lstrip())
    return text.strip(), list(_shifted([place for place in places if place.index not in dropped], -lead))


def clean_words(text: str) -> str:
    words = " ".join(plain_text(text).text.split())
    return without_list_sign(words)


def _shifted(places: Sequence[Place], by: int) -> Iterator[Place]:
    for place in places:
        yield Place(place.index, place.start + by, place.end + by)


def _extent(text: str, start: int, end: int, following: int) -> tuple[int, int]:
    """Return the range to remove with the words at `start:end`: their lines if they fill them, or else the space beside
    them.

    `following` is where the next statement begins.
    """
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, after = text[line_start:start], text[end:line_end]
    # The next line may continue the item, indented and without a mark of its own.
    is_continued = line_end < following < len(text) and _CONTINUED.fullmatch(text[line_end:following])
    if is_list_sign(before) and is_continued:
        return start, following
    if is_list_sign(before) and following >= line_end and not after.strip(" \t|"):
        return _whole_lines(text, line_start, line_end)
    if after.strip():
        return start, end + len(after) - len(after.lstrip())
    return line_start + len(before.rstrip()), end


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    end = min(end + 1, len(text))
    blank_before = start == 0 or text[:start].endswith("\n\n")
    following = text.find("\n", end)
    blank_after = end < len(text) and not text[end : following if following >= 0 else len(text)].strip()
    if blank_before and blank_after:
        end = following + 1 if following >= 0 else len(text)
    return start, end


_STOPPED = re.compile(r"[.!…。！][\"'”’»)\]]*$")
_ABOUT_THE_SAME = 0.5  # share of a statement's words in a sentence that is to replace it
_LONGEST_GROWTH = 3.0
_MOST_COMPARED = 5  # sentences of a source, those that share most words with the statement


def source_wording(
    statement: str, source: str, context: str = "", contradicting: tuple[int, int] | None = None
) -> str | None:
    """Return the sentence of `source` that a wrong `statement` should have said; None if there is none.

    The sentence differs from the statement in one place, or has the words at `contradicting`, from which a judge
    concluded that the source says something else. It shares half of the statement's words, names its subjects and can
    be read without the sentences around it. None in a language that the rules do not read.
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
    """Return whether places of `source`, below its headings, name all names of `text` and state each sentence of it in
    full, and a citation of them has no disagreement (V6, S4.4).

    The names of a row and a column decide about a statement on a cell, whatever else it says. So the source must have
    its other words, too: "per month" is nowhere in a table of prices.
    """
    whole = with_headings(text, source, context)
    places = best_places(text, whole)
    if not places or not all(place.is_full_match for place in places) or not has_names(text, whole):
        return False
    if any(place.in_table and not place.in_cell for place in places) and not _has_words(text, whole):
        return False
    return not score_citation(text, source, context=context).disagreements


def _has_words(text: str, source: str) -> bool:
    known = tokenize(source)
    return all(has_token(known, word) for word in tokenize(text) if word.is_content and not word.value)


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

    "It weighs 7 kg" and "Otherwise the fee is 5 euros" need the sentences before them.
    """
    known = tokenize(statement)
    for token in tokenize(sentence):
        if token.kind == "pronoun" and all(token.key != word.key for word in known):
            return False
        if token.is_content:
            return token.value is not None or has_token(known, token)
    return False


_FENCE = re.compile(r" {0,3}(?:`{3,}|~{3,})[ \t]*")
EditKind = Literal["removed", "renumbered", "reworded", "references_stripped", "reattributed", "rewritten", "dropped"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to an answer. `statement` is an index, `number` is as the model wrote it; each may be None.

    `before` and `after` are the words of a statement that was rewritten or dropped.
    """

    kind: EditKind
    statement: int | None
    number: int | None
    reason: str
    before: str | None = None
    after: str | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected answer: for each statement `text[start:end] == statement.text`, with the numbers that it keeps.

    Statements keep their indexes; dropped ones are left out. `mapping` maps old numbers to new ones; `removed` are the
    old numbers that no longer appear.
    """

    text: str
    statements: tuple[Statement, ...]
    mapping: dict[int, int]
    removed: list[int]
    edits: list[Edit]


def correct(
    answer: str,
    sources: Citable | int,
    inaccurate: Set[tuple[int, int]],
    repairs: Mapping[int, Repair] | None = None,
    *,
    renumber: bool = True,
) -> Corrected:
    """Remove the `inaccurate` (statement index, number) pairs and citations of no source; renumber the rest (S5.5, V5).

    `sources` are those of the answer, or their number. `repairs` (by statement index) replace or drop failing
    statements; their numbers may exceed the sources, for added ones. The remaining numbers become 1..n in their old
    order and follow the full stop of their sentence, as `[1][2]`. A list of references at the end is removed. The words
    of a statement without repair stay as they are, byte for byte; only a marker that was a word of its sentence
    ("According to [1], …") becomes "the source", and the white space, brackets and label around a marker go with it.
    Correcting the result again, with n sources and no repairs, changes nothing. Without `renumber` the numbers stay as
    they are, because they belong to the caller's own list.
    """
    known = citable(sources)
    source_count = known.count if known else 0
    reading, repairs = parse_answer(answer, known), repairs or {}
    kept = [
        [number for number in said.numbers if 1 <= number <= source_count and (index, number) not in inaccurate]
        if index not in repairs
        else list(repairs[index].numbers)
        for index, said in enumerate(reading.said)
    ]
    left = sorted({n for numbers in kept for n in numbers})
    mapping = {old: new if renumber else old for new, old in enumerate(left, start=1)}
    plain, places = apply_repairs(reading, repairs)
    numbers = {index: tuple(sorted({mapping[number] for number in own})) for index, own in enumerate(kept)}
    text, statements = _written(plain, places, numbers, reading)
    cited = {number for said in reading.said for number in said.numbers}
    cited |= {number for mark in reading.orphans for number in mark.numbers}
    return Corrected(
        text=text,
        statements=statements,
        mapping=mapping,
        removed=sorted(cited - mapping.keys()),
        edits=[*_repair_edits(reading, repairs), *_edits(reading, kept, mapping, source_count, repairs)],
    )


def _written(
    plain: str, places: Sequence[Place], numbers: Mapping[int, tuple[int, ...]], reading: ParsedAnswer
) -> tuple[str, tuple[Statement, ...]]:
    pieces: list[str] = []
    statements: list[Statement] = []
    position = shift = 0
    for place in places:
        words, own = plain[place.start : place.end], numbers[place.index]
        markers = markers_after(plain, place.end, own)
        said = reading.said[place.index]
        claim = said.claim if words == reading.text[said.start : said.end] else is_claim(words, words)
        statements.append(Statement(place.index, place.start + shift, place.end + shift, words, own, claim))
        pieces += plain[position : place.end], markers
        position, shift = place.end, shift + len(markers)
    return "".join([*pieces, plain[position:]]), tuple(statements)


def markers_after(plain: str, end: int, numbers: Sequence[int]) -> str:
    """Return the markers to insert at `plain[end]` after a sentence, behind a space, or below a code fence behind a
    line break.
    """
    if not numbers:
        return ""
    markers = "".join(f"[{number}]" for number in numbers)
    following = plain[end : end + 1]
    if WIDE_STOP.search(plain, max(0, end - 4), end):
        return markers + (" " if following in ("(", ":") else "")  # otherwise it would read as a Markdown link
    last_line = plain[plain.rfind("\n", 0, end) + 1 : end]
    gap = "\n" if _FENCE.fullmatch(last_line) else " "
    return gap + markers + (" " if following.strip() else "")


def _repair_edits(reading: ParsedAnswer, repairs: Mapping[int, Repair]) -> Iterator[Edit]:
    for index, repair in sorted(repairs.items()):
        said = reading.said[index]
        before = reading.text[said.start : said.end]
        after = repair.text if repair.kind == "rewritten" else None
        yield Edit(repair.kind, index, next(iter(repair.numbers), None), repair.reason, before, after)


def _edits(
    reading: ParsedAnswer,
    kept: Sequence[Sequence[int]],
    mapping: Mapping[int, int],
    sources: int,
    repairs: Mapping[int, Repair],
) -> Iterator[Edit]:
    for index, said in enumerate(reading.said):
        yield from _edits_of_statement(index, said, kept[index], sources, mended=index in repairs)
    for number in sorted({number for mark in reading.orphans for number in mark.numbers}):
        yield Edit("removed", None, number, "it stands behind no sentence")
    for name in dict.fromkeys(name for mark in reading.orphans for name in mark.missing):
        yield Edit("removed", None, None, f"“{name}” stands behind no sentence")
    for old, new in mapping.items():
        if old != new:
            yield Edit("renumbered", None, old, f"now [{new}]")
    if reading.had_references:
        yield Edit("references_stripped", None, None, "the list of references is made anew")


def _edits_of_statement(
    index: int, said: ParsedSentence, kept: Sequence[int], sources: int, *, mended: bool
) -> Iterator[Edit]:
    for mark in said.marks:
        if mark.noun and not mended:
            yield Edit("reworded", index, None, f"the citation was a word of its sentence, now {mark.noun!r}")
    for number in said.numbers:
        if number not in kept:
            exists = 1 <= number <= sources
            yield Edit("removed", index, number, "it does not prove the sentence" if exists else "no such source")
    for name in said.missing:
        yield Edit("removed", index, None, f"no source is called “{name}”")
