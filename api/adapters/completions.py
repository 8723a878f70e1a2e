"""Converts a finished query (`services.queries.results.read_query`) to OpenAI's format. Nothing is decided here."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from api.schemas.formats.completions import CONVERSATION
from domain.correction.continuous_text import Link, linked_references, no_link
from domain.query.modes import is_korean
from domain.verdicts.summary_line import verification_line
from services.queries.workspaces import AskedModel

Json = Mapping[str, Any]
_PIECE = re.compile(r"\s*\S+|\s+")


def completion(query: Json, model: str, content: str) -> dict[str, Any]:
    """Build OpenAI's `chat.completion` with the additional member `citewell`."""
    message = {"role": "assistant", "content": content, "refusal": None}
    return {
        **head_of(query, model, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage_of(query),
        "citewell": proof_of(query),
        **metadata_of(query),
    }


def chunk(head: Json, delta: Json, finish_reason: str | None = None) -> dict[str, Any]:
    """One `chat.completion.chunk`; `head` is that of the stream."""
    return {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}]}


def head_of(query: Json, model: str, object_: str) -> dict[str, Any]:
    """The leading fields of a completion and of each of its chunks; the query need not be finished."""
    created = datetime.fromisoformat(query["created_at"])
    return {"id": f"chatcmpl-{query['id']}", "object": object_, "created": int(created.timestamp()), "model": model}


def content_of(query: Json, append: str, link: Link = no_link) -> str:
    """The checked answer and what follows it, as lines of text; a refusal stands alone."""
    if query["abstained"] or append == "none":
        return query["answer"]
    references = "\n".join(f"- {reference}" for reference in linked_references(query, link))
    line = _verification_line(query) if append == "full" else ""
    return "\n\n".join(part for part in (query["answer"], references, line) if part)


def pieces_of(content: str) -> list[str]:
    """`content` word by word, as a stream sends it; joined, the pieces give `content` again."""
    return _PIECE.findall(content)


def usage_of(query: Json) -> dict[str, int]:
    prompt, completion_ = query["usage"]["prompt_tokens"], query["usage"]["completion_tokens"]
    return {"prompt_tokens": prompt, "completion_tokens": completion_, "total_tokens": prompt + completion_}


def proof_of(query: Json) -> dict[str, Any]:
    """The member `citewell`: how the answer is proven."""
    here = f"/v1/queries/{query['id']}"
    fields = [
        "restated_question",
        "conversation_id",
        "citations",
        "references",
        "verification",
        "removed_citations",
        "abstained",
    ]
    return {
        "query_id": query["id"],
        **{name: query[name] for name in fields},
        "links": {"self": here, "events": f"{here}/events", "verifications": f"{here}/verifications"},
    }


def metadata_of(query: Json) -> dict[str, Any]:
    """OpenAI's `metadata`, for a question that is a turn of a conversation."""
    conversation = query["conversation_id"]
    return {"metadata": {CONVERSATION: conversation}} if conversation else {}


def in_korean(query: Json) -> bool:
    return is_korean(query["restated_question"] or query["question"])


def places_at(url: str) -> Link:
    """Links to the page at `url`, which opens a document and marks the cited words."""

    def link(source: Json) -> str | None:
        if not source.get("document_id"):
            return None
        return f"{url}/#/document/{source['document_id']}?start={source['source_start']}&end={source['source_end']}"

    return link


def model_read(model: AskedModel) -> dict[str, Any]:
    created = int(model.created_at.timestamp())
    return {"id": model.name, "object": "model", "created": created, "owned_by": "citewell"}


def _verification_line(query: Json) -> str:
    found = query["verification"]
    states = [sentence["status"] for sentence in found["sentences"]] if found else None
    return verification_line(states, len(query["removed_citations"]), korean=in_korean(query))
