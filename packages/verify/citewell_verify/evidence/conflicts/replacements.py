"""Finds the date of a document, and documents that state that they replace another.

A document that replaces another names it in the sentence that states this: by its title, its version, its date or its
file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from citewell_verify.entities.dates import Date, find_dates
from citewell_verify.evidence.passages import Passage
from citewell_verify.facts.structure.headings import heading_path, lines_with_headings
from citewell_verify.text.sentences import is_table_row, split_sentences
from citewell_verify.text.windows import headings_of
from citewell_verify.text.words import content_stems, coverage, negations

_OPENING = 400  # characters of a document that may hold its own date
_REPLACES = re.compile(
    r"\b(?:replac|supersed|amend|revok|repeal|withdraw|overrid|rescind|cancel|correct)\w*"
    r"|\b(?:takes?|in) (?:the )?place of\b"
    r"|\b(?:no longer|cease[sd]? to) (?:be )?(?:appl|valid|in force)|대체|갈음|폐지|개정|변경|정정|바로잡|효력을 잃",
    re.IGNORECASE,
)
_IS_REPLACED = re.compile(
    r"\b(?:replaced|superseded|amended|revoked|repealed|withdrawn|overridden|rescinded|cancelled) by\b"
    r"|로 (?:대체|갈음)(?:되|된|됐)",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:all|any|the|every) (?:earlier|previous|former|prior|older|old)\b"
    r"|(?:기존|종전|이전|예전|구)의? ?\w*(?:규정|지침|버전|안내|판|방침|기준)",
    re.IGNORECASE,
)
# Unlike `_REPLACES`, these verbs end a whole document: a document that is amended or corrected stays in force.
_WHOLLY = re.compile(
    r"\b(?P<active>(?:(?:it|this|that|these|which)(?: \w+){0,2}|\w+ \d+)"
    r" (?:replaces?|supersedes?|takes? the place of|revokes?|repeals?))\b"
    r"|\b(?P<passive>(?:is|are|was|were|been) (?:replaced|superseded|revoked|repealed) by)\b"
    r"|\b(?:is|are) (?:hereby )?(?:replaced|superseded|revoked|repealed|withdrawn)(?=[.;])"
    r"|[을를은는] ?(?:대체|갈음|폐지)(?:한다|합니다|함)",
    re.IGNORECASE,
)
_NO_REPLACEMENT = re.compile(
    r"\b(?:if|unless|when|once|will|would|may|might|could|should|must|draft|propos\w+)\b"
    r"|\b(?:clause|article|section|paragraph|chapter|annex|part)s?\b"
    r"|제\s?\d+\s?[조항장절]|경우|예정|초안|[으]?면 ",
    re.IGNORECASE,
)
_NAMED_WITHIN = 80  # characters beside the verb in which the other document is named
_NAMED_ENDS = re.compile(r"[,;:]|\b(?:as|see|in|by|with|where|which)\b")
_VERSION = re.compile(
    r"\b(?:version|edition|revision|rev\.|v)\s?(\d+(?:\.\d+)*)\b|제\s?(\d+)\s?판|(\d+)판", re.IGNORECASE
)
_OF_ITSELF = re.compile(
    r"\b(?:effective|in force|valid|issued|dated?|as of|since|sent|published|updated?)\b"
    r"|시행|개정|작성|날짜|일자|일시|발행|보낸",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LONGEST_LINE = 90  # characters of a line that only states the document's kind and date


@dataclass(frozen=True)
class Excerpt:
    """A passage for the comparison of documents: `document` identifies its document, `context` has the headings above
    the passage, `opens` says whether the document begins with it. `title` and `dated` are stated by its file.
    """

    document: str
    name: str
    text: str
    context: str = ""
    opens: bool = True
    title: str = ""
    dated: str = ""

    @classmethod
    def of(cls, passage: Passage) -> "Excerpt":
        title, dated = (passage.metadata.get(key) for key in ("title", "date"))
        return cls(
            document=str(passage.document_id),
            name=passage.filename,
            text=passage.readable,
            context=passage.readable_context,
            opens=passage.chunk_index == 0,
            title=title if isinstance(title, str) else "",
            dated=dated if isinstance(dated, str) else "",
        )

    def headings_at(self, place: int) -> tuple[str, ...]:
        return (*headings_of(self.context), *heading_path(self.text, place))


@dataclass(frozen=True)
class Known:
    """One document, as far as the given passages show it."""

    excerpts: tuple[Excerpt, ...]

    @property
    def document(self) -> str:
        return self.excerpts[0].document

    @property
    def name(self) -> str:
        return self.excerpts[0].name

    @cached_property
    def text(self) -> str:
        return "\n".join(excerpt.text for excerpt in self.excerpts)

    @cached_property
    def title(self) -> str:
        """The document's first heading, or else the title that its file states, or else an empty text."""
        for excerpt in self.excerpts:
            if outer := headings_of(excerpt.context):
                return outer[0]
            if excerpt.opens and (own := [head[1] for _, head in lines_with_headings(excerpt.text) if head]):
                return own[0]
        return next((excerpt.title for excerpt in self.excerpts if excerpt.title), "")

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        """The dates that the document gives itself; the date in its title comes first."""
        dates = [
            *find_dates(self.title),
            *(date for line in self._opening if _dates_itself(line) for date in find_dates(line)),
        ]
        return tuple(date for date in dates if date.years or date.day)

    @cached_property
    def versions(self) -> frozenset[str]:
        return frozenset(number for line in (self.title, *self._opening) for number in _versions(line))

    def says_which(self, heading: str) -> bool:
        """Return whether a heading only states the version or the date of the document."""
        return any(date.text in heading for date in self.dates) or not _versions(heading).isdisjoint(self.versions)

    @property
    def _opening(self) -> Sequence[str]:
        """The lines at the document's beginning, except lines about the document that it replaces."""
        opening = (excerpt.text[:_OPENING] for excerpt in self.excerpts if excerpt.opens)
        sentences = (sentence for text in opening for sentence in split_sentences(text, cites=False))
        lines = (line for sentence in sentences for line in sentence.text.split("\n"))
        return [line for line in lines if not _REPLACES.search(line) and not is_table_row(line)]

    @cached_property
    def date(self) -> str | None:
        """The date of the document as far as it is known: `2024`, `2024-05`, `2024-05-04`."""
        own = max(
            (date for date in self.dates if date.years),
            key=lambda date: (date.month is not None) + (date.day is not None),
            default=None,
        )
        if own:
            # A date of several years cannot be that of a document.
            years = own.years if own.years and own.years[0] == own.years[1] else None
            parts = (f"{part:02}" for part in (own.month, own.day) if part)
            return "-".join([str(years[0]), *parts]) if years else None
        if stated := next((excerpt.dated for excerpt in self.excerpts if excerpt.dated), None):
            return stated
        year = _YEAR.search(self.name)
        return year[0] if year else None

    @cached_property
    def called(self) -> list[str]:
        """The words of the document's title, or else of its first sentence, without the words that distinguish
        versions.
        """
        lines = (line for excerpt in self.excerpts if excerpt.opens for line in excerpt.text.split("\n"))
        title = self.title or next(filter(str.strip, lines), "").split(". ")[0]
        for date in find_dates(title):
            title = title.replace(date.text, " ")
        return content_stems(_YEAR.sub("", _VERSION.sub("", title)))

    @cached_property
    def replacing_wholly(self) -> tuple["_Replacing", ...]:
        """The document's sentences that state that one document takes the place of another."""
        texts = (excerpt.text for excerpt in self.excerpts if _WHOLLY.search(excerpt.text))
        sentences = (sentence.text for text in texts for sentence in split_sentences(text, cites=False))
        return tuple(filter(None, map(_Replacing.of, sentences)))

    @cached_property
    def opening(self) -> str:
        return "\n".join(self._opening)

    @cached_property
    def replacing(self) -> tuple[str, ...]:
        """The document's sentences that state that something is replaced."""
        # Few texts have such a word, and splitting all texts would be slow.
        texts = (excerpt.text for excerpt in self.excerpts if _REPLACES.search(excerpt.text))
        sentences = (sentence.text for text in texts for sentence in split_sentences(text, cites=False))
        return tuple(sentence for sentence in sentences if _REPLACES.search(sentence))


def known_documents(excerpts: Sequence[Excerpt]) -> dict[str, Known]:
    """Group the passages by their `document`."""
    names = dict.fromkeys(excerpt.document for excerpt in excerpts)
    first = sorted(excerpts, key=lambda excerpt: not excerpt.opens)
    return {name: Known(tuple(excerpt for excerpt in first if excerpt.document == name)) for name in names}


def replacing(left: Known, right: Known) -> Known | None:
    """Return the document of two that is in force, if one says that it replaces, or is replaced by, the other."""
    for own, named in ((left, right), (right, left)):
        for sentence in own.replacing:
            if _names(sentence, named, own):
                # "Clause 7 is replaced by the following" is followed by the text in force, in the same document.
                follows = re.search(r"(?:by|as) (?:the )?follow|다음과 같이", sentence, re.IGNORECASE)
                return named if _IS_REPLACED.search(sentence) and not follows else own
    return None


def replaced_documents(question: str, excerpts: Sequence[Excerpt]) -> dict[str, str]:
    """Return the documents that another document in `excerpts` replaces as a whole, each with the name of that one.

    A sentence that changes a clause, denies a change or plans one replaces no document. A question about earlier
    versions, or with a word that among the known documents only a replaced one has, is about the replaced document.
    """
    known = list(known_documents(excerpts).values())
    speakers = [document for document in known if document.replacing_wholly]
    if not speakers or _EARLIER.search(question):
        return {}
    said: dict[str, frozenset[str]] = {}
    for document in known:
        texts = (f"{excerpt.context}\n{excerpt.text}" for excerpt in document.excerpts)
        said[document.document] = frozenset(content_stems("\n".join((document.name, *texts))))
    asked = content_stems(question)
    replaced: dict[str, str] = {}
    for speaker in speakers:
        for other in known:
            naming = [sentence for sentence in speaker.replacing_wholly if sentence.names(other, speaker)]
            if other is speaker or not naming:
                continue
            newer, older = (other, speaker) if naming[0].is_passive else (speaker, other)
            others = (said[document.document] for document in known if document is not older)
            rest = frozenset[str]().union(*others)
            is_asked_for = any(coverage([stem], said[older.document]) > coverage([stem], rest) for stem in asked)
            if not is_asked_for and (newer.date or "9") >= (older.date or ""):
                replaced[older.document] = newer.name
    return replaced if len(replaced) < len(known) else {}


@dataclass(frozen=True)
class _Replacing:
    """A sentence that states that one document takes the place of another: `named` are its words about the other
    document, or about the newer one if the sentence `is_passive`."""

    named: str
    is_passive: bool

    @classmethod
    def of(cls, sentence: str) -> "_Replacing | None":
        match = _WHOLLY.search(sentence)
        if match is None or _NO_REPLACEMENT.search(sentence) or negations(sentence):
            return None
        if match["active"] or match["passive"]:
            named = _NAMED_ENDS.split(sentence[match.end() : match.end() + _NAMED_WITHIN], maxsplit=1)[0]
            return cls(named, is_passive=match["passive"] is not None)
        return cls(sentence[max(0, match.start() - _NAMED_WITHIN) : match.start()], is_passive=False)

    def names(self, other: Known, own: Known) -> bool:
        """Return whether the sentence names the document `other`: by its file, or by more than one word of its title
        and the words that distinguish versions of that title.
        """
        title = frozenset(other.called)
        is_titled = title <= frozenset(content_stems(self.named)) or other.called == own.called
        return _has_file(self.named, other) or (len(title) > 1 and is_titled and _names(self.named, other, own))


def _has_file(sentence: str, document: Known) -> bool:
    return re.search(rf"(?<!\w){re.escape(document.name)}(?!\w)", sentence, re.IGNORECASE) is not None


def _names(sentence: str, named: Known, own: Known) -> bool:
    """Say whether the `sentence` of the document `own` names the document `named`."""
    stated = [date for date in find_dates(sentence) if date.day or (date.years and date.month)]
    own_dates = [date for date in own.dates if date.day]
    for date in stated:
        is_own = any(own_date.follows_from(date) and date.follows_from(own_date) for own_date in own_dates)
        if not is_own and any(date.follows_from(other_date) for other_date in named.dates):
            return True
    if _has_file(sentence, named):
        return True
    words, title = frozenset(content_stems(sentence)), frozenset(named.called)
    years = {date.years[0] for date in find_dates(sentence) if date.years and not date.month}
    of_years = [int(document.date[:4]) if document.date else None for document in (named, own)]
    if of_years[0] in years and of_years[1] not in years and title and title <= words:
        return True
    is_same = named.called == own.called
    if not is_same and len(title) > 1 and title <= words:
        return True
    if is_same and (_versions(sentence) & named.versions) - own.versions:
        return True
    is_older = (named.date or "") < (own.date or "9")
    return bool(is_same and named.title and _EARLIER.search(sentence) and is_older)


def _versions(text: str) -> set[str]:
    return {"".join(parts) for parts in _VERSION.findall(text)}


def _dates_itself(line: str) -> bool:
    """Return whether a line dates its document: "Date: 2 May", "As of 2 May.", or a date alone. A sentence, in
    contrast, dates an event.
    """
    if len(line) > _LONGEST_LINE:
        return False
    is_sentence = line.rstrip().endswith((".", "다", "!", "?", "。", "|", ";"))
    is_alone = any(not line.replace(date.text, "").strip(" .") for date in find_dates(line))
    return is_alone or not is_sentence or _OF_ITSELF.search(line) is not None
