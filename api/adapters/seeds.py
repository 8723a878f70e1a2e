"""Converts a finished query (`services.queries.results.read_query`) to the format of each seed. Nothing is decided
here."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from citewell_verify.markers.parser import cited_markers
from citewell_verify.markers.places import encloses, protected_regions

_DAGGER = "[†1]"
_LONGEST_WORD = 500
_ONE_PAIR = re.compile(r"\[[^\[\]]*+\]")
_OPENING, _CLOSING = re.compile(r"\[\s?\Z"), re.compile(r"\s?\]")
_ADDRESS_BEGINS = re.compile(r"://|www\.")

Json = Mapping[str, Any]

_RAG_FIELDS = (
    "overall_score answer_source_alignment citation_coverage fact_verification_score issues verified_sources "
    "unverified_claims"
).split()
_CHAT_FIELDS = "confidence is_grounded claims_checked claims_supported crag_attempts".split()
_METADATA_FIELDS = "chunk_id doc_id chunk_index start_index filename source timestamp".split()
_LOG_FIELDS = "citation_number statement source_file source_page is_accurate confidence explanation status".split()
# S3.3: passages without an id are told apart by a prefix of this length.
_PREFIX_CHARS = 120
_MOST_CITATIONS = 5


def rag_answer(query: Json) -> dict[str, Any]:
    """S1.8: the answer, the sources, and the seven fields of the verification if there is one."""
    return {
        "answer": query["answer"],
        "sources": query["sources"],
        **({"verification": _only(query["verification"], _RAG_FIELDS)} if query["verification"] else {}),
    }


def chat_reply(query: Json) -> dict[str, Any]:
    """S2.4: content, model, workspace, and the block of the verification if there is one."""
    block: dict[str, Any] = {}
    if verification := query["verification"]:
        shown = [*_CHAT_FIELDS, *(["claims"] if "claims" in verification else [])]
        # S2.2: the seed's confidence is Citewell's score of the claims.
        block["verification"] = _only({**verification, "confidence": verification["claims_score"]}, shown)
    return {
        "content": query["answer"],
        "model": query["model"],
        "workspace": query["workspace"],
        **block,
    }


def agent_answer(query: Json) -> dict[str, Any]:
    """S3.6: the answer with the passages that it was written from, each once; a refusal cites nothing."""
    used: Sequence[Json] = [] if query["abstained"] else query["sources"]
    return {"answer": query["answer"], "citations": [_citation(source) for source in _each_once(used)]}


def researched_answer(query: Json) -> dict[str, Any]:
    """S3.6: the answer of a run with several searches: at most five passages, those that the answer cites first."""
    cited = {citation["chunk_id"] for citation in query["citations"]}
    sources = sorted(query["sources"], key=lambda source: source["chunk_id"] not in cited)
    answer = agent_answer({**query, "sources": sources})
    return {**answer, "citations": answer["citations"][:_MOST_CITATIONS]}


def streamed_answer(query: Json) -> dict[str, Any]:
    """S4.3: the last event of a stream; its citations have the fields of S4.2 and more."""
    return {"type": "final", "data": query["answer"], **_only(query, ["sources", "citations"])}


def verified_answer(query: Json, checks: Sequence[Json], mode: str) -> dict[str, Any]:
    """S5.6; `checks` are those of the original answer (`services.queries.results.read_citation_checks`)."""
    verification: Json = query["verification"] or {}
    return {
        "original_answer": with_daggers(query["original_answer"]),
        "corrected_answer": with_references(
            with_daggers(query["answer"], len(query["references"])), query["references"]
        ),
        "mode": mode,
        "sources": [{"number": number, **source} for number, source in enumerate(query["sources"], start=1)],
        "removed_citations": query["removed_citations"],
        "accuracy_rate": verification.get("accuracy_rate"),
        "verification_log": [_only(check, _LOG_FIELDS) for check in checks],
        "processing_time_ms": query["timings"]["total"],
    }


def _each_once(sources: Sequence[Json]) -> list[Json]:
    first: dict[str, Json] = {}
    for source in sources:
        first.setdefault(source["chunk_id"] or source["text"][:_PREFIX_CHARS], source)
    return list(first.values())


def _citation(source: Json) -> dict[str, Any]:
    return {
        **_only(source, ["text", "chunk_id", "doc_id", "start_index"]),
        "metadata": _only(source, _METADATA_FIELDS),
    }


def _only(values: Json, names: Sequence[str]) -> dict[str, Any]:
    return {name: values[name] for name in names}


def with_daggers(answer: str, sources: int | None = None) -> str:
    """Return `answer` with every citation marker as `[†N]`; code, links, names and years in brackets stay unchanged.

    `sources` is the number of the answer's sources, if known. If a dagger would make brackets cite something else, as
    in `[SOURCE:[][[1]]]`, the answer stays unchanged.
    """
    told = _daggered(answer, sources)
    is_same = _numbers(told, sources) == _numbers(answer, sources) and _daggered(told, sources) == told
    return told if is_same else answer


def _numbers(answer: str, sources: int | None) -> list[int]:
    return [number for marker in cited_markers(answer, sources) for number in marker.numbers]


def _daggered(answer: str, sources: int | None) -> str:
    pieces: list[str] = []
    position = 0
    for marker in cited_markers(answer, sources):
        is_link = answer[marker.start] == "[" and answer[marker.end - 1] == ")"
        if is_link or marker.missing:
            continue
        start, end = _with_brackets_around(answer, position, marker.start, marker.end)
        pieces.append(answer[position:start])
        if _joins_address(answer, start, end):
            pieces.append(" ")
        pieces.append("".join(f"[†{number}]" for number in marker.numbers))
        if answer[end : end + 1] in ("(", ":") and not _ONE_PAIR.fullmatch(answer, start, end):
            pieces.append(" ")  # otherwise it would read as a Markdown link
        position = end
    return "".join([*pieces, answer[position:]])


def with_references(answer: str, references: Sequence[str]) -> str:
    if not references:
        return answer
    lines = [f"- {reference.replace('[', '[†', 1)}" for reference in references]
    return "\n".join([f"{answer}\n", "### References", *lines])


def _with_brackets_around(answer: str, position: int, start: int, end: int) -> tuple[int, int]:
    """Extend the marker at `start:end` to the square brackets around it, which would otherwise become part of the
    citation."""
    while (opening := _OPENING.search(answer, max(position, start - 2), start)) and (
        closing := _CLOSING.match(answer, end)
    ):
        start, end = opening.start(), closing.end()
    return start, end


def _joins_address(answer: str, start: int, end: int) -> bool:
    before = answer[max(0, start - _LONGEST_WORD) : start]
    word = before.split()[-1] if before and not before[-1].isspace() else ""
    if not _ADDRESS_BEGINS.search(word):
        return False
    changed = f"{word}{_DAGGER}{answer[end : end + 1]}"
    return encloses(protected_regions(changed), len(word), len(word) + len(_DAGGER))
