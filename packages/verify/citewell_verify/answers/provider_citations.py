"""Reads the citation objects that providers' APIs return beside an answer (N2).

OpenAI: `start_index` and `end_index`, or `index`, in characters; the source by `url`, `filename`, `file_id`, `title`.
Anthropic: the text block that has the `citations`; the source by `document_index` or `search_result_index` from 0, else
by `url`, `source` or title. Cohere: `start` and `end` in characters; the source by `sources[].id` or `document_ids`,
where `doc_0` is the first if no source has that id. Gemini: `segment.startIndex` and `endIndex` in bytes of UTF-8; the
source by `groundingChunkIndices` from 0, or by the `uri` of that chunk.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from citewell_verify.answers.external_citations import GivenCitation
from citewell_verify.errors import CitationUnreadable
from citewell_verify.markers.citable import Citable

_NUMBERED_ID = re.compile(r"(?:doc|document|source|search_result)?[_:]?(\d{1,4})")
_INDEXES = ("document_index", "search_result_index")
_NAMES = ("file_id", "url", "uri", "source", "filename", "document_title", "title", "id")
_LAST_WORD = re.compile(r"\w\W*$")


def is_provider_citation(given: Mapping[str, Any]) -> bool:
    """Return whether the keys are those of a provider's citation; `{start, end, source}` is Citewell's own form."""
    is_spanned = {"start_index", "url_citation", "file_citation", "segment", "groundingSupports", "grounding_supports"}
    is_cohere = {"start", "end"} <= given.keys() and bool({"sources", "document_ids", "documents"} & given.keys())
    is_block = "text" in given and isinstance(given.get("citations"), list)
    is_filed = "index" in given and bool({"file_id", "filename"} & given.keys())
    is_anthropic = "cited_text" in given
    return bool(is_spanned & given.keys()) or is_cohere or is_block or is_filed or is_anthropic


class ProviderCitations:
    """Reads the citation objects of one answer in order: each text block is searched behind the previous one."""

    def __init__(self, answer: str, sources: Citable) -> None:
        self._answer, self._sources = answer, sources
        self._position = 0

    def read(self, given: Mapping[str, Any]) -> list[GivenCitation]:
        """The citations in one object of a provider. Raises CitationUnreadable."""
        if supports := given.get("groundingSupports") or given.get("grounding_supports"):
            chunks = given.get("groundingChunks") or given.get("grounding_chunks") or ()
            return [cited for support in _list(supports) for cited in self._gemini(_fields(support), _list(chunks))]
        if "segment" in given:
            return list(self._gemini(given, ()))
        if isinstance(given.get("citations"), list):
            return list(self._anthropic(given))
        if "sources" in given or "document_ids" in given or "documents" in given:
            return list(self._cohere(given))
        if "cited_text" in given and "start_index" not in given:
            raise CitationUnreadable(
                "send the text block with its citations, which says what part of the answer cites."
            )
        return [self._openai(given)]

    def _openai(self, given: Mapping[str, Any]) -> GivenCitation:
        nested = _fields(given.get("url_citation") or given.get("file_citation") or {})
        fields: Mapping[str, Any] = {**given, **nested}
        index = fields.get("index")
        start, end = self._span(fields.get("start_index", index), fields.get("end_index", index))
        if not self._answer[start:end][:1].isalnum() and (word := _LAST_WORD.search(self._answer[:start])):
            start = word.start()  # the span is that of a marker, which cites for the words in front of it
        return GivenCitation(start, max(end, start + 1), self._named(fields))

    def _anthropic(self, block: Mapping[str, Any]) -> Iterator[GivenCitation]:
        text = str(block.get("text", "")).strip()
        start = self._answer.find(text, self._position)
        if not text or start < 0:
            raise CitationUnreadable("the answer does not have the text of this block.")
        self._position = start + len(text)
        for cited in _list(block["citations"]):
            yield GivenCitation(start, start + len(text), self._named(_fields(cited)))

    def _cohere(self, given: Mapping[str, Any]) -> Iterator[GivenCitation]:
        start, end = self._span(given.get("start"), given.get("end"))
        for cited in _list(given.get("sources") or given.get("document_ids") or given.get("documents") or ()):
            yield GivenCitation(
                start, end, self._named(_fields(cited) if isinstance(cited, Mapping) else {"id": cited})
            )

    def _gemini(self, support: Mapping[str, Any], chunks: Sequence[Mapping[str, Any]]) -> Iterator[GivenCitation]:
        segment = _fields(support.get("segment") or {})
        encoded = self._answer.encode()
        first, last = (
            segment.get(camel, segment.get(snake, default))
            for camel, snake, default in (("startIndex", "start_index", 0), ("endIndex", "end_index", None))
        )
        if not isinstance(first, int) or not isinstance(last, int) or not 0 <= first < last <= len(encoded):
            raise CitationUnreadable("its segment is not within the answer; indexes count bytes of UTF-8.")
        start, end = (len(encoded[:place].decode(errors="ignore")) for place in (first, last))
        for index in _list(support.get("groundingChunkIndices") or support.get("grounding_chunk_indices") or ()):
            chunk = _fields(chunks[index] if isinstance(index, int) and 0 <= index < len(chunks) else {})
            place = _fields(chunk.get("web") or chunk.get("retrievedContext") or chunk.get("retrieved_context") or {})
            yield GivenCitation(start, end, self._named({"document_index": None if place else index, **place}))

    def _span(self, start: object, end: object) -> tuple[int, int]:
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end <= len(self._answer):
            raise CitationUnreadable("its start and end are not within the answer; they count characters.")
        return start, end

    def _named(self, cited: Mapping[str, Any]) -> int:
        for key in _INDEXES:
            if isinstance(index := cited.get(key), int) and not isinstance(index, bool) and index + 1 in self._sources:
                return index + 1
        document = cited.get("document")
        fields: Mapping[str, Any] = {**(_fields(document) if isinstance(document, Mapping) else {}), **cited}
        names = [str(fields[key]) for key in _NAMES if fields.get(key) is not None]
        for name in names:
            if numbers := self._sources.named(name):
                return numbers[0]
        numbered = _NUMBERED_ID.fullmatch(str(fields.get("id", "")))
        if numbered and len(names) < 2 and int(numbered[1]) + 1 in self._sources:
            return int(numbered[1]) + 1
        raise CitationUnreadable(f"it points to none of the sources ({', '.join(names) or 'it names none'}).")


def _fields(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise CitationUnreadable("a part of it is no object with fields.")
    return cast("Mapping[str, Any]", value)


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise CitationUnreadable("a part of it is no list.")
    return cast("Sequence[Any]", value)
