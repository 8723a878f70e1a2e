"""Converts a finished query (`services.queries.results.read_query`) to OpenAI's format. Nothing is decided here."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from api.schemas.formats.completions import CONVERSATION
from domain.answers.continuous_text import LINKED_MARKER, Link, linked_references, no_link
from domain.errors.state import AnswerHeld
from domain.quality.summary_line import verification_line
from domain.query.options import is_korean
from domain.query.workspace_rules import HELD_KOREAN
from services.queries.workspaces import AskedModel

Json = Mapping[str, Any]
_REFERENCE = re.compile(r"\[(\d+)\] (.+)")
_NUMBER = re.compile(r"\[\d+\] ")
_BRACKET = re.compile(r"[\[\]]")
_PIECE = re.compile(r"\s*\S+|\s+")


def completion(query: Json, model: str, content: str | None, link: Link = no_link) -> dict[str, Any]:
    """Build OpenAI's `chat.completion` with the additional member `citewell`."""
    said = message(content, annotations_of(query, link), refusal_of(query))
    return {
        **completion_of(head_of(query, model, "chat.completion"), said),
        "usage": usage_of(query),
        "citewell": proof_of(query),
        **metadata_of(query),
    }


HELD_REASON = "content_filter"
"""The `finish_reason` of an answer that is held back."""


def notice_of(query: Json) -> str:
    """Return the text that a client reads in place of an answer that a person has to release."""
    return HELD_KOREAN if in_korean(query) else AnswerHeld().message


def held_completion(query: Json, model: str) -> dict[str, Any]:
    made = completion_of(head_of(query, model, "chat.completion"), message(notice_of(query), []))
    made["choices"][0]["finish_reason"] = HELD_REASON
    return {**made, "usage": usage_of(query), "citewell": None, **metadata_of(query)}


def completion_of(head: Json, message: Json) -> dict[str, Any]:
    return {**head, "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}]}


def message(content: str | None, annotations: Sequence[Json], refusal: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "refusal": refusal, "annotations": annotations}


def refusal_of(query: Json) -> str | None:
    """Return why no object follows the requested schema; OpenAI has a member for it."""
    made = query["answer_object"]
    return made["withheld"] if made else None


def annotations_of(query: Json, link: Link) -> list[dict[str, Any]]:
    """Return OpenAI's `url_citation` for each linked citation of the answer. `query` is in the form that the content
    shows, which begins with the answer.

    An answer that is an object has none, because its content is no text that offsets could point into.
    """
    if query["answer_object"]:
        return []
    # Other links in the text of an answer are not citations.
    own = tuple({place.partition("#")[0] for citation in query["citations"] if (place := link(citation))})
    names = names_of(query)
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": match.start(),
                "end_index": match.end(),
                "title": names.get(match[1], match[1]),
                "url": match[2],
            },
        }
        for match in LINKED_MARKER.finditer(query["answer"])
        if match[2].startswith(own)
    ]


def names_of(query: Json) -> dict[str, str]:
    """Return the name of each source in the references, by its number: `refund-policy.pdf, p.2`."""
    return {match[1]: match[2] for reference in query["references"] if (match := _REFERENCE.match(reference))}


def chunk(head: Json, delta: Json, finish_reason: str | None = None) -> dict[str, Any]:
    return {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}]}


def head_of(query: Json, model: str, object_: str) -> dict[str, Any]:
    created = datetime.fromisoformat(query["created_at"])
    return {"id": f"chatcmpl-{query['id']}", "object": object_, "created": int(created.timestamp()), "model": model}


def content_of(query: Json, append: str, link: Link = no_link) -> str:
    if append == "none":
        return query["answer"]
    if query["abstained"]:
        return "\n\n".join(part for part in (query["answer"], _texts_read(query)) if part)
    references = "\n".join(f"- {reference}" for reference in linked_references(query, link, _literal))
    line = ""
    if append == "full":
        checked: Sequence[Json] = query["verification"]["sentences"] if query["verification"] else ()
        states = [sentence["status"] for sentence in checked]
        line = verification_line(query["signal"], states, len(query["removed_citations"]), korean=in_korean(query))
    return "\n\n".join(part for part in (query["answer"], references, line) if part)


def _literal(reference: str) -> str:
    """Return the reference with escaped brackets, so that its names do not become links; only its number keeps its
    brackets."""
    number = match[0] if (match := _NUMBER.match(reference)) else ""
    return number + _BRACKET.sub(r"\\\g<0>", reference[len(number) :])


def _texts_read(query: Json) -> str:
    """Return the sentence of a refusal that names the texts that came with the question; "" without any."""
    names = _literal(", ".join(query["attached_texts"]))
    if not names:
        return ""
    return f"읽은 첨부 텍스트: {names}." if in_korean(query) else f"The texts read were those attached: {names}."


def object_of(query: Json, link: Link) -> str:
    citations: Sequence[Json] = query["citations"]
    sentences: Sequence[Json] = query["verification"]["sentences"] if query["verification"] else ()
    answered: dict[str, Any] = {
        "answer": query["answer"],
        "abstained": query["abstained"],
        "sentences": [
            {
                "text": sentence["text"],
                "status": sentence["status"],
                "citations": sorted(
                    {
                        citation["number"]
                        for citation in citations
                        if citation["answer_start"] < sentence["end"] and sentence["start"] < citation["answer_end"]
                    }
                ),
            }
            for sentence in sentences
        ],
        "citations": [
            {
                "number": citation["number"],
                "document": citation["document_name"],
                "page": citation["page_number"],
                "quote": citation["text_span"],
                "url": link(citation),
            }
            for citation in citations
        ],
    }
    return json.dumps(answered, ensure_ascii=False)


def filled_object(query: Json) -> str | None:
    """Return the object that follows the requested schema, if there is one."""
    value = query["answer_object"]["value"]
    return None if value is None else json.dumps(value, ensure_ascii=False)


def pieces_of(content: str) -> list[str]:
    """`content` word by word, as a stream sends it; joined, the pieces give `content` again."""
    return _PIECE.findall(content)


def usage_of(query: Json) -> dict[str, int]:
    prompt, completion_ = query["usage"]["prompt_tokens"], query["usage"]["completion_tokens"]
    return {"prompt_tokens": prompt, "completion_tokens": completion_, "total_tokens": prompt + completion_}


def proof_of(query: Json) -> dict[str, Any]:
    here = f"/v1/queries/{query['id']}"
    fields = [
        "restated_question",
        "attached_texts",
        "conversation_id",
        "citations",
        "references",
        "verification",
        "signal",
        "answer_object",
        "removed_citations",
        "abstained",
    ]
    return {
        "query_id": query["id"],
        **{name: query[name] for name in fields},
        "links": {"self": here, "events": f"{here}/events", "verifications": f"{here}/verifications"},
    }


def metadata_of(query: Json) -> dict[str, Any]:
    conversation = query["conversation_id"]
    return {"metadata": {CONVERSATION: conversation}} if conversation else {}


def in_korean(query: Json) -> bool:
    return is_korean(query["restated_question"] or query["question"])


def places_at(url: str) -> Link:
    def link(source: Json) -> str | None:
        if not source.get("document_id"):
            return None
        return f"{url}/#/document/{source['document_id']}?start={source['source_start']}&end={source['source_end']}"

    return link


def model_read(model: AskedModel) -> dict[str, Any]:
    created = int(model.created_at.timestamp())
    return {"id": model.name, "object": "model", "created": created, "owned_by": "citewell"}
