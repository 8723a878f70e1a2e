"""The content of an answer outside of Citewell: in a file, on a shared page, on paper.

Every format renders these values and decides nothing, so no format can lose something that another one has.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from domain.answers.conflicts_in_words import conflict_in_words
from domain.answers.continuous_text import LINKED_MARKER, ContinuousText, Link
from domain.documents.cells import in_words as cells_in_words
from domain.documents.text_marks import in_words
from domain.exports.wording import ENGLISH, KOREAN, Wording
from domain.quality.signal import NO_MODEL, Level, signal_in, signal_text
from domain.quality.summary_line import explained, verifier_note
from domain.query.options import is_korean

# Words of a document on one line as a reader of it sees them, without the marks of its format.

_MARKDOWN = (".md", ".markdown", ".mdx")
_HEADING = re.compile(r"^[^\S\n]{0,3}#{1,6}[^\S\n]+", re.MULTILINE)
_RULE_OF_TABLE = re.compile(r"^[^\S\n]*\|?(?:[^\S\n]*:?-{3,}:?[^\S\n]*\|?)+[^\S\n]*$\n?", re.MULTILINE)
_EDGE_OF_ROW = re.compile(r"^[^\S\n]*\|[^\S\n]*|[^\S\n]*(?<!\\)\|[^\S\n]*$", re.MULTILINE)
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_CELLS = re.compile(r"[^\S\n]*\t[^\S\n]*")


def readable_words(text: str, document: str) -> str:
    """`text` is of a document with that name; cells of a row are parted by ` | `, as they are in Markdown."""
    if document.lower().endswith(_MARKDOWN):
        text = _EDGE_OF_ROW.sub("", _RULE_OF_TABLE.sub("", _HEADING.sub("", text)))
        text = _STRONG.sub(r"\2", text)
    return " ".join(_CELLS.sub(" | ", text.strip()).split())


Json = Mapping[str, Any]
Tone = Literal["green", "amber", "red", "grey"]
_TONES: Mapping[str, Tone] = {
    "supported": "green",
    "partial": "amber",
    "contradicted": "red",
    "unsupported": "red",
}
_UNTOLD_EDITS = frozenset({"renumbered"})


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document, and their place; `label` names the quote of a citation, and is unique in its answer."""

    words: str
    place: str
    link: str | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One point of a part: its subject in bold, a text, and words of documents; each of these may be empty."""

    lead: str
    text: str = ""
    quotes: tuple[Quote, ...] = ()
    tone: Tone = "grey"


@dataclass(frozen=True, slots=True)
class Part:
    kind: Literal["sources", "conflicts", "closest", "changes", "left_out", "checked"]
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class TakenAlong:
    """`answer` is Markdown in which each marker is a link to the label of its quote: `[[1]](quote:1-2)`.

    `refusal` says why nothing was answered; `notes` are facts that a reader elsewhere has to know; `origin` says where
    the answer comes from.
    """

    question: str
    understood: str
    answer: str
    refusal: str
    word: str
    level: Level
    notes: tuple[str, ...]
    parts: tuple[Part, ...]
    origin: str
    at: datetime
    korean: bool

    @property
    def links(self) -> set[str | None]:
        return {quote.link for quote in self.quotes().values() if quote.link}

    def quotes(self) -> dict[str | None, Quote]:
        """The quotes of citations, by the addresses that the markers in `answer` link to."""
        entries = (entry for part in self.parts if part.kind == "sources" for entry in part.entries)
        return {address_of(quote.label): quote for entry in entries for quote in entry.quotes}

    def linked(self) -> str:
        """The answer with markers that link to the places in documents; a marker has no link if its place has none."""
        quotes = self.quotes()
        return LINKED_MARKER.sub(
            lambda marker: _placed(marker[1], quotes[marker[2]]) if marker[2] in quotes else marker[0],
            self.answer,
        )


def _placed(number: str, quote: Quote) -> str:
    return f"[[{number}]]({quote.link})" if quote.link else f"[{number}]"


def address_of(label: str) -> str:
    return f"quote:{label}"


def taken_along(
    query: Json, link: Link, *, origin: bool = True, prefix: str = "", in_korean: Wording = KOREAN
) -> TakenAlong:
    """Assemble the content of a query; `link` leads to places in documents, `prefix` begins the labels of the quotes,
    and `in_korean` has the words around the answer to a Korean question.

    Without `origin` the result is for people who may not read the documents: it has no ids, and only the names of
    documents and the words that the answer cites. It has neither the closest passages nor sentences that were struck
    out nor disagreements.
    """
    korean = is_korean(query["restated_question"] or query["question"])
    wording = in_korean if korean else ENGLISH
    if query["status"] != "succeeded":
        return _unanswered(query, wording, korean=korean)
    labels = _labels(query["citations"], prefix)
    read = ContinuousText(lambda citation: address_of(labels[_words_of(citation)]), relabelled=False).finished(query)
    restated = query["restated_question"]
    return TakenAlong(
        question=query["question"],
        understood=f"{wording.understood}: {restated}" if restated and restated != query["question"] else "",
        answer=read["answer"],
        refusal=wording.told(query["abstain_reason"] or "") if query["abstained"] else "",
        word=signal_in(query["signal"], korean=korean)["word"],
        level=query["signal"]["level"],
        notes=tuple(_notes(query, wording, korean=korean)),
        parts=tuple(part for part in _parts(query, link, labels, wording, whole=origin) if part.entries),
        origin=_origin(query, wording) if origin else "",
        at=datetime.fromisoformat(query["finished_at"]),
        korean=korean,
    )


def _unanswered(query: Json, wording: Wording, *, korean: bool) -> TakenAlong:
    reason = wording.told(query["error"]["message"]) if query["error"] else ""
    at = datetime.fromisoformat(query["finished_at"] or query["created_at"])
    return TakenAlong(query["question"], "", "", reason, wording.unanswered, "grey", (), (), "", at, korean)


def _parts(
    query: Json, link: Link, labels: Mapping[tuple[Any, ...], str], wording: Wording, *, whole: bool
) -> Iterator[Part]:
    conflicts = tuple(_conflicts(query["conflicts"], link, wording))
    if not whole:
        # The readers of a link must learn neither which other documents exist nor what a model's server said.
        alone = [{**citation, "also_in": ()} for citation in query["citations"]]
        steps = [{**step, "reason": ""} for step in query["degraded"]]
        yield Part("conflicts", wording.conflicts, (Entry("", wording.disagree, tone="amber"),) if conflicts else ())
        yield Part("sources", wording.sources, tuple(_sources(alone, link, labels, wording)))
        yield Part("left_out", wording.left_out, tuple(_left_out(steps, wording)))
        yield Part("checked", wording.checked, tuple(_checked(query, link, wording)))
        return
    yield Part("conflicts", wording.conflicts, conflicts)
    yield Part("sources", wording.sources, tuple(_sources(query["citations"], link, labels, wording)))
    closest = wording.closest if query["provider"] != "offline" else wording.closest_unread
    quotes = tuple(_beside(mention, link, wording) for mention in query["mentions"])
    yield Part("closest", closest, (Entry("", quotes=quotes),) if quotes else ())
    yield Part("changes", wording.changes, tuple(_changes(query, wording)))
    yield Part("left_out", wording.left_out, tuple(_left_out(query["degraded"], wording)))
    yield Part("checked", wording.checked, tuple(_checked(query, link, wording)))


def _notes(query: Json, wording: Wording, *, korean: bool) -> Iterator[str]:
    """Yield the notes that people who read the answer elsewhere have to know."""
    calibration: Json | None = query["verification"]["calibration"] if query["verification"] else None
    is_offline = query["provider"] == "offline"
    yield explained(query["signal"], calibration, korean=korean)
    if is_offline and not query["abstained"]:
        yield signal_text(NO_MODEL, korean=korean)
    if note := verifier_note(calibration, korean=korean):
        yield note
    at = datetime.fromisoformat(query["finished_at"])
    model = "" if is_offline else (query["model"] or query["provider"])
    yield wording.answered_by.format(at=at, model=model) if model else wording.answered.format(at=at)
    if query["standing"] and query["standing"]["state"] != "valid":
        reason = wording.told(query["standing"]["reason"] or "")
        yield f"{wording.since[query['standing']['state']]} {reason}".strip()


def _words_of(citation: Json) -> tuple[Any, ...]:
    return citation["number"], citation["document_id"], citation["source_start"], citation["source_end"]


def _labels(citations: Sequence[Json], prefix: str) -> dict[tuple[Any, ...], str]:
    """A label for each quote: `1`, then `1-2` for further words that are cited with the same number."""
    labels: dict[tuple[Any, ...], str] = {}
    counts: dict[int, int] = {}
    for citation in citations:
        if (words := _words_of(citation)) not in labels:
            number = citation["number"]
            counts[number] = counts.get(number, 0) + 1
            labels[words] = f"{prefix}{number}" if counts[number] == 1 else f"{prefix}{number}-{counts[number]}"
    return labels


def _sources(
    citations: Sequence[Json], link: Link, labels: Mapping[tuple[Any, ...], str], wording: Wording
) -> Iterator[Entry]:
    for number in sorted({citation["number"] for citation in citations}):
        cited = {_words_of(citation): citation for citation in reversed(citations) if citation["number"] == number}
        quotes = [
            Quote(
                readable_words(citation["text_span"], citation["document_name"]),
                _place(citation, wording),
                link(citation),
                labels[words],
            )
            for words, citation in reversed(cited.items())
        ]
        yield Entry(f"[{number}]", quotes=tuple(quotes))


def _place(place: Json, wording: Wording) -> str:
    """The place of a quote in words, such as `refund-policy.pdf, page 2, Holiday season (caption of a figure)`."""
    name = place["document_name"] if "document_name" in place else place["document"]
    page = place["page_number"] if "page_number" in place else place["page"]
    cells = cells_in_words(place["cells"]) if place.get("cells") else ""
    where = filter(None, (name, "" if page is None else wording.page.format(page), place["section"], cells))
    notes = "; ".join(
        filter(None, (in_words(place, wording.marks), wording.citations.get(place.get("status", ""), "")))
    )
    return f"{', '.join(where)}{f' ({notes})' if notes else ''}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _conflicts(conflicts: Sequence[Json], link: Link, wording: Wording) -> Iterator[Entry]:
    for conflict in conflicts:
        quotes = [_beside(conflict[side], link, wording) for side in ("stated", "other")]
        replaced = wording.replaced if conflict["in_force"] == "other" else ""
        said = conflict_in_words(conflict, wording.replaces, wording.short_page)
        yield Entry(said, replaced, tuple(quotes), "amber")


def _beside(place: Json, link: Link, wording: Wording) -> Quote:
    return Quote(readable_words(place["quote"], place["document"]), _place(place, wording), link(place))


def _changes(query: Json, wording: Wording) -> Iterator[Entry]:
    told = [edit for edit in query["edits"] if edit["kind"] not in _UNTOLD_EDITS]
    for edit in told:
        number = f" [{edit['number']}]" if edit["kind"] == "removed" and edit["number"] else ""
        before, after = edit.get("before"), edit.get("after")
        changed = [f"“{_one_line(before)}”"] if before else []
        changed += [f"→ “{_one_line(after)}”"] if after else []
        yield Entry(
            f"{wording.edits[edit['kind']]}{number}",
            " ".join([*changed, f"({wording.told(edit['reason'])})"]),
            tone="amber",
        )
    if not told:
        for number in query["removed_citations"]:
            yield Entry(f"{wording.edits['removed']} [{number}]", tone="amber")


def _left_out(degraded: Sequence[Json], wording: Wording) -> Iterator[Entry]:
    for step in degraded:
        name = wording.steps.get(step["step"], step["step"].replace("_", " "))
        yield Entry(name, wording.told(step["reason"]) if step["reason"] else "")


def _checked(query: Json, link: Link, wording: Wording) -> Iterator[Entry]:
    """Yield the verdict on every sentence, with its evidence unless the sources quote that already."""
    quoted = {_one_line(citation["text_span"]) for citation in query["citations"]}
    sentences: Sequence[Json] = (
        query["verification"]["sentences"] if query["verification"] and not query["abstained"] else ()
    )
    for sentence in sentences:
        evidence, source = sentence["evidence"], sentence["source"]
        quotes: tuple[Quote, ...] = ()
        if evidence and source and _one_line(evidence) not in quoted:
            words = readable_words(evidence, source["document_name"])
            quotes = (Quote(words, _place(source, wording), link(source)),)
        reason = sentence["reason"] if sentence["status"] not in ("supported", "no_claim") else ""
        said = _one_line(sentence["text"])
        text = f"{said} ({wording.told(reason)})" if reason else said
        yield Entry(wording.states[sentence["status"]], text, quotes, _TONES.get(sentence["status"], "grey"))


def _origin(query: Json, wording: Wording) -> str:
    parts = [f"Citewell {query['id']}", f"{wording.asked} {query['created_at']}"]
    if query["audit"]:
        parts.append(f"{wording.audit} {query['audit']['head']}")
    return " · ".join(parts)
