"""Converts a query (`services.queries.results.read_query`) to OpenAI's `response`. Nothing is decided here."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from api.adapters.completions import HELD_REASON, names_of, notice_of, proof_of, refusal_of, usage_of
from api.schemas.formats.responses import ResponseRead, response_id
from domain.answers.continuous_text import LINKED_MARKER, Link, cited_places

Json = Mapping[str, Any]
_STATUS = {"queued": "queued", "running": "in_progress", "succeeded": "completed", "held": "incomplete"}


def response(query: Json, beside: Json, content: str | None, place: Link) -> dict[str, Any]:
    """Return the response at the end of its query, whose answer is shown as `content`; `beside` has the other fields of
    the request."""
    made = output_message(query, content_parts(query, content, place, is_json=beside["is_json"]))
    return _dumped(
        unanswered(query, beside)
        | {
            "output": [made],
            "usage": usage(query),
            "citewell": proof_of(query),
        }
    )


def unanswered(query: Json, beside: Json) -> dict[str, Any]:
    """Return the response of a query without an answer; if a person has to release the answer, the response says so."""
    error = query["error"]
    finished = query["finished_at"]
    conversation = query.get("conversation_id")
    form = "json_object" if beside["is_json"] else "text"
    is_held = query["status"] == "held"
    notice = [output_text(notice_of(query), [])] if is_held else []
    return {
        "id": response_id(query["id"]),
        "object": "response",
        "created_at": _seconds(query["created_at"]),
        "completed_at": _seconds(finished) if finished else None,
        "status": _STATUS.get(query["status"], query["status"]),
        "background": beside["background"],
        "error": {"code": "server_error", "message": error["message"]} if error else None,
        "incomplete_details": {"reason": HELD_REASON} if is_held else None,
        "instructions": beside["instructions"],
        "max_output_tokens": None,
        "model": beside["model"],
        "output": [output_message(query, notice, "incomplete")] if is_held else [],
        "parallel_tool_calls": True,
        "previous_response_id": beside["previous_response_id"],
        "conversation": {"id": conversation} if conversation else None,
        "store": beside["store"],
        "temperature": None,
        "text": {"format": {"type": form}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "truncation": "disabled",
        "usage": None,
        "metadata": beside["metadata"],
        "citewell": None,
    }


def output_message(query: Json, content: list[dict[str, Any]], status: str = "completed") -> dict[str, Any]:
    id_ = f"msg_{query['id']}"
    return {"id": id_, "type": "message", "status": status, "role": "assistant", "content": content}


def content_parts(query: Json, content: str | None, place: Link, *, is_json: bool) -> list[dict[str, Any]]:
    if (refusal := refusal_of(query)) is not None:
        return [{"type": "refusal", "refusal": refusal}]
    is_object = is_json or query["answer_object"]
    annotations = [] if is_object else list(_annotations(query, place))
    return [output_text(content or "", annotations)]


def output_text(text: str, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}


def usage(query: Json) -> dict[str, Any]:
    tokens = usage_of(query)
    return {
        "input_tokens": tokens["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": tokens["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens["total_tokens"],
    }


def _annotations(query: Json, place: Link) -> Iterator[dict[str, Any]]:
    names = names_of(query)
    for start, end, citation in cited_places(query["answer"], query["citations"]):
        linked = LINKED_MARKER.match(query["answer"], start - 1) if start else None
        address = linked[2] if linked else place(citation)
        if address is None:
            continue
        number = str(citation["number"])
        yield {
            "type": "url_citation",
            "start_index": linked.start() if linked else start,
            "end_index": linked.end() if linked else end,
            "title": names.get(number, number),
            "url": address,
            "document_id": citation["document_id"],
            "document_name": citation["document_name"],
            "page_number": citation["page_number"],
            "text_span": citation["text_span"],
        }


def _dumped(made: dict[str, Any]) -> dict[str, Any]:
    return ResponseRead.model_validate(made).model_dump(mode="json", exclude_unset=True)


def _seconds(written: str) -> int:
    return int(datetime.fromisoformat(written).timestamp())
