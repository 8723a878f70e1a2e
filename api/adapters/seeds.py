"""Converts a finished query (`services.queries.results.read_query`) to the format of each seed. Nothing is decided
here."""

from collections.abc import Mapping, Sequence
from typing import Any

from api.adapters.texts import with_daggers, with_references

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
