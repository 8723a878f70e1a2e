"""Reads a text as the units that an answer can quote: sentences and rows of tables, each with the text above it."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from citewell_verify.evidence.contradictions import without_markers
from citewell_verify.facts.structure.tables import Row, cells_as_text, parse_tables
from citewell_verify.markers.parser import cited_markers
from citewell_verify.support.comparison import AnalysedText
from citewell_verify.text.cache import text_cache
from citewell_verify.text.quotes import parse_sentences
from citewell_verify.text.sentences import Sentence, is_unfinished
from citewell_verify.text.windows import headings_of, with_columns
from citewell_verify.text.words import content_stems

_MOST_CHARS = 600_000  # characters of remembered texts: their units take far more memory than the texts
_MOST_CELLS = 6
_LONGEST_HEADING, _MOST_WORDS = 80, 8  # characters and words
_STOPPED = re.compile(r"[.!?…。！？][\"'”’»)\]*_]*$")
_STATES = re.compile(rf"{_STOPPED.pattern}|[다요음함됨임]$")
_ITEM = re.compile(r"(?:[-*+•‣▪◦·●○■□▶►]|\(?(?:\d{1,3}|[a-zA-Z가-하])[.)]|[①-⑳])(?:\s|(?<=[①-⑳]))")
_SIGNS = re.compile(r"^(?:(?:[-*+•‣▪◦·●○■□▶►]|#{1,6}|>|\|)\s+)+")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_CELLS = re.compile(r".*[|\t]")
_CAPTION = re.compile(
    r"\W*(?:figure|fig|table|tab|exhibit|chart|abbildung|abb|tabelle|그림|표)\b\.? ?[\w.-]{0,8}[.:]?\W*", re.IGNORECASE
)
_LABEL = re.compile(r"[^\s:：|][^:：|\n]{0,29}[:：]\s+\S")
_RULE = re.compile(r"[\s|:+=-]*")
_LEADS = (":", "：")
_FREE = 4 / 3  # the writer ended a line if the longest is so many times longer than that line with the next word on it
_NUMBER = re.compile(r"^\d{1,3}(?:\.\d{1,3})*[.)]?\s+(?=\D)")
_ASKS = ("?", "？")


@dataclass(frozen=True)
class Unit:
    """A sentence or a row at `place`. `text` is what an answer quotes: one line without its list sign, or the cells of
    a row with their heads.

    `heading` is the nearest heading above it, `lead` the line that introduces its list, each "" if there is none.
    `group` is the number of its list, or of its section below a heading; `is_item`: it opens an item of a list;
    `is_bare`: it is a line among others that states nothing: a title, an address, a name. `title` are the stems of the
    names of the whole text: its document's, and the headings above the text.
    """

    place: Sentence
    text: str
    heading: str = ""
    lead: str = ""
    group: int = 0
    is_item: bool = False
    is_heading: bool = False
    is_bare: bool = False
    row: Row | None = None
    title: frozenset[str] = frozenset()

    @cached_property
    def read(self) -> AnalysedText:
        """The unit's own words; a row is without the heads of its columns, which all rows have."""
        return AnalysedText(
            self.text if self.row is None else "; ".join((self.row.label, *(cell.content for cell in self.row.cells)))
        )

    @cached_property
    def above(self) -> frozenset[str]:
        """The stems of the unit's heading and of its list's introduction, or of the heads of its columns."""
        heads = [f"{cell.outer_heads} {cell.head}" for cell in self.row.cells] if self.row else []
        groups = [*self.row.groups, self.row.heading] if self.row else []
        return frozenset(content_stems("\n".join((self.heading, self.lead, *groups, *heads))))

    @property
    def head(self) -> str:
        """The line that introduces the unit's list, or else its heading, without its number; empty for a row."""
        return "" if self.row else _NUMBER.sub("", (self.lead or self.heading).strip("#*:： "))

    @property
    def below_heading(self) -> str:
        """The text below its heading or introduction, the form in which it is quoted if it is not clear by itself."""
        between = " " if self.head.endswith(_ASKS) else ": "
        return f"{self.head}{between}{self.text}" if self.head else self.text


@text_cache(_MOST_CHARS)
def units_of(text: str, context: str = "", title: str = "") -> tuple[Unit, ...]:
    """Return the units of `text` in order, headings among them, without lines that only name columns.

    `context` holds the headings above the text and the columns of its table, `title` the name of its document. Linear
    in the length.
    """
    return tuple(_units(text, context, title))


def _units(text: str, context: str, title: str) -> Iterator[Unit]:
    plain = without_markers(text)
    parsed = parse_tables(with_columns(plain, context))
    rows = defaultdict[str, deque[Row]](deque)
    for row in parsed.rows:
        # Two tables may have the same line.
        rows[row.line.strip()].append(row)
    called = frozenset(content_stems(f"{title}\n{context}"))
    place = _Place(next(iter(headings_of(context)[-1:]), ""))
    width = max((len(line) for line in plain.splitlines() if not _CELLS.match(line)), default=0)
    sentences = [line for sentence in parse_sentences(plain).sentences for line in _lines(plain, sentence, width)]
    whole, end = Sentence(0, 0, ""), 0
    for sentence, following in zip(sentences, [*(later.text for later in sentences[1:]), ""], strict=False):
        # "Invoice no." ends no sentence in a line of a table.
        whole = whole if sentence.start < whole.end else _whole_line(plain, sentence)
        if sentence.start < end or whole.text in parsed.heads or _RULE.fullmatch(whole.text):
            continue
        if row := rows[whole.text].popleft() if rows.get(whole.text) else None:
            end = whole.end
            yield Unit(whole, cells_as_text(row, row.cells[:_MOST_CELLS]), place.heading, row=row, title=called)
            continue
        line = sentence.text.strip()
        opens_line = not plain[: sentence.start].rpartition("\n")[2].strip()
        shown = quoted(text, sentence)
        # A line below other lines and above a blank one closes them; it is no heading of the text that follows.
        below = "" if _closes_lines(plain, sentence) else following
        is_item, is_heading = place.enter(line, shown, below, opens_line=opens_line)
        above = "" if is_heading else place.heading
        is_bare = opens_line and len(sentences) > 1 and not is_item and _states_nothing(line)
        yield Unit(sentence, shown, above, place.lead, place.group, is_item, is_heading, is_bare, title=called)
        # "Absent: Mia Holm" introduces no list that follows.
        is_open = not (is_stopped(shown) or _LABEL.match(line))
        leads = shown.endswith(_LEADS) or (is_open and _ITEM.match(following) is not None)
        place.leave(shown, is_item=is_item, is_heading=is_heading, opens_line=opens_line, leads=leads)


@dataclass
class _Place:
    """The state of the reading of a text: the heading and the list at the present line."""

    heading: str
    lead: str = ""
    group: int = 0
    was_item: bool = False
    sign: str = ""
    was_heading: bool = False
    before: str = ""

    def enter(self, line: str, shown: str, following: str, *, opens_line: bool) -> tuple[bool, bool]:
        """Return whether the line opens an item, and whether it is a heading."""
        sign = _sign(line) if opens_line else ""
        if not opens_line and self.was_heading:
            # "## 5. How to claim expenses" is read as two sentences.
            self.heading = self.heading if any(map(str.isalpha, self.heading)) else f"{self.heading} {shown}"
            return False, True
        is_caption = _CAPTION.fullmatch(self.before) is not None and not (opens_line and is_stopped(line))
        is_next_item = bool(sign) and (self.lead != "" or (self.was_item and sign == self.sign))
        if is_caption or (opens_line and not is_next_item and _is_heading(line, following)):
            self.heading, self.lead, self.group = shown, "", self.group + 1
            return False, True
        if opens_line and not sign:
            self.lead, self.group = "", self.group + self.was_item
        self.sign = sign or self.sign
        return bool(sign), False

    def leave(self, shown: str, *, is_item: bool, is_heading: bool, opens_line: bool, leads: bool) -> None:
        if leads and not is_item and not is_heading:
            self.lead, self.group = shown, self.group + 1
        self.was_item = is_item or (self.was_item and not opens_line)
        self.was_heading, self.before = is_heading, shown


def _sign(line: str) -> str:
    """The kind of sign that opens an item of a list: "1" for any number, "" for none."""
    sign = _ITEM.match(line)
    return "" if sign is None else "1" if any(map(str.isdigit, sign[0])) else sign[0].strip()


def is_stopped(text: str) -> bool:
    return _STOPPED.search(text) is not None


def _lines(text: str, sentence: Sentence, width: int) -> Iterator[Sentence]:
    """Split a sentence at line ends that its writer intended: before a line such as "Place: River park", and after a
    line on which there was room for the next word. `width` is the length of the longest line of prose.
    """
    start = at = sentence.start
    for line, following in pairwise(sentence.text.split("\n")):
        at += len(line) + 1
        opening, after = text.rfind("\n", 0, at - 1) + 1, following.lstrip()
        room = width - _FREE * len(f"{text[opening : at - 1]} {after.partition(' ')[0]}")
        goes_on = after[:1].islower() or (after[:1].isdigit() and is_unfinished(line.rstrip()))
        if _LABEL.match(after) or (room > 0 and not goes_on):
            yield _stripped(text, start, at)
            start = at
    yield _stripped(text, start, sentence.end)


def _whole_line(text: str, sentence: Sentence) -> Sentence:
    end = text.find("\n", sentence.start)
    return _stripped(text, text.rfind("\n", 0, sentence.start) + 1, end if end >= 0 else len(text))


def _stripped(text: str, start: int, end: int) -> Sentence:
    said = text[start:end].strip()
    start = text.index(said, start)
    return Sentence(start, start + len(said), said)


def _closes_lines(text: str, sentence: Sentence) -> bool:
    above = text[max(0, sentence.start - 2) : sentence.start]
    return len(above) > 1 and above != "\n\n" and above[-1] == "\n" and text.startswith("\n\n", sentence.end)


def quoted(text: str, sentence: Sentence) -> str:
    """Return a sentence of `text` on one line, without list signs, emphasis and the text's own citation markers."""
    said = text[sentence.start : sentence.end]
    for marker in reversed(cited_markers(said)):
        said = said[: marker.start].rstrip() + said[marker.end :]
    return _EMPHASIS.sub(r"\2", _SIGNS.sub("", " ".join(said.split())))


def _states_nothing(line: str) -> bool:
    return not (_STATES.search(line) or line.endswith((*_LEADS, *_ASKS)) or _LABEL.match(line))


def _is_heading(line: str, following: str) -> bool:
    """True if the line is marked as a heading, asks a question that the next lines answer, or is a line without a full
    stop above other text.
    """
    if line.startswith("#") or line.rstrip("*_").endswith(_ASKS):
        return True
    if len(line) > _LONGEST_HEADING or len(line.split()) > _MOST_WORDS or _STOPPED.search(line):
        return False
    if line.endswith(_LEADS) or _CELLS.match(line) or _LABEL.match(line):
        return False
    if sign := _sign(line):
        # "3. New office" is a heading, unless it is a list item above another item.
        return sign == "1" and bool(following) and _sign(following) != sign
    return any((_STOPPED.search(following), _ITEM.match(following), _CELLS.match(following), _LABEL.match(following)))
