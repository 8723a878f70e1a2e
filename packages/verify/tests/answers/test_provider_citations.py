"""Citation objects of providers' APIs are read in the units of each (N2)."""

from typing import Any

import pytest

from citewell_verify.answers.external_citations import GivenCitation
from citewell_verify.answers.provider_citations import ProviderCitations, is_provider_citation
from citewell_verify.errors import CitationUnreadable
from citewell_verify.markers.citable import citable_sources
from verify_material.rows import for_all_rows

ANSWER = "환불은 30일입니다. Shipping is free ([shop.example](https://shop.example/ship))."
FIRST = (0, 11)
START = ANSWER.index("Shipping")
SOURCES = citable_sources(
    [
        {"title": "refund.md", "id": "file-1", "url": "https://shop.example/refund"},
        {"title": "shipping.md", "url": "https://shop.example/ship"},
    ]
)
OPENAI_SPAN = {"start_index": ANSWER.index("(["), "end_index": len(ANSWER) - 1}
_BYTES = len(ANSWER[:START].encode())

FORMS: dict[str, tuple[dict[str, Any], tuple[int, int, int]]] = {
    "OpenAI": (
        {"type": "url_citation", "url": "https://shop.example/ship?utm_source=openai", "title": "Ship", **OPENAI_SPAN},
        (START + len("Shipping is fre"), len(ANSWER) - 1, 2),
    ),
    "OpenAI, chat": (
        {
            "type": "url_citation",
            "url_citation": {"url": "https://shop.example/refund", "start_index": 0, "end_index": 5},
        },
        (0, 5, 1),
    ),
    "OpenAI, file": ({"type": "file_citation", "index": 11, "file_id": "file-1", "filename": "x.md"}, (9, 11, 1)),
    "OpenAI, file name": (
        {"type": "file_citation", "index": 5, "file_id": "f-9", "filename": "shipping.md"},
        (4, 5, 2),
    ),
    "Anthropic": (
        {
            "type": "text",
            "text": "환불은 30일입니다.",
            "citations": [{"type": "char_location", "cited_text": "30", "document_index": 0, "start_char_index": 4}],
        },
        (*FIRST, 1),
    ),
    "Anthropic, search": (
        {
            "type": "text",
            "text": "Shipping is free",
            "citations": [
                {"type": "web_search_result_location", "cited_text": "x", "url": "https://shop.example/ship"}
            ],
        },
        (START, START + len("Shipping is free"), 2),
    ),
    "Cohere": ({"start": 0, "end": 5, "text": "환불은 3", "sources": [{"type": "document", "id": "doc:1"}]}, (0, 5, 2)),
    "Cohere, ids": ({"start": 0, "end": 5, "text": "환불은 3", "document_ids": ["file-1"]}, (0, 5, 1)),
    "Gemini": (
        {"segment": {"startIndex": _BYTES, "endIndex": _BYTES + 8, "text": "Shipping"}, "groundingChunkIndices": [1]},
        (START, START + 8, 2),
    ),
    "Gemini, whole": (
        {
            "groundingSupports": [{"segment": {"endIndex": len("환불은".encode())}, "groundingChunkIndices": [0]}],
            "groundingChunks": [{"web": {"uri": "https://shop.example/ship", "title": "shop.example"}}],
        },
        (0, 3, 2),
    ),
}


@for_all_rows("form", FORMS)
def test_a_providers_citation_is_a_span_of_the_answer_and_a_source(form: str) -> None:  # N2
    given, (start, end, number) = FORMS[form]
    assert is_provider_citation(given)
    assert ProviderCitations(ANSWER, SOURCES).read(given) == [GivenCitation(start, end, number)]


@for_all_rows(
    "given",
    [
        {"type": "url_citation", "url": "https://else.example", "start_index": 0, "end_index": 5},
        {"start": 0, "end": 5, "document_ids": ["doc:7"]},
        {"segment": {"startIndex": 0, "endIndex": 4000}, "groundingChunkIndices": [0]},
        {"segment": {"startIndex": 0, "endIndex": 4}, "groundingChunkIndices": [9]},
        {"type": "char_location", "cited_text": "30", "document_index": 0},
        {"type": "text", "text": "not there", "citations": [{"document_index": 0}]},
    ],
)
def test_a_citation_of_no_source_or_place_is_refused(given: dict[str, Any]) -> None:  # N2
    with pytest.raises(CitationUnreadable):
        ProviderCitations(ANSWER, SOURCES).read(given)


def test_our_own_form_is_no_providers() -> None:  # N2
    assert not is_provider_citation({"start": 0, "end": 5, "source": "file-1"})
