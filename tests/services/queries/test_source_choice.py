"""The choice of an answer's sources when they are scored as in S5 (S5.2)."""

from dataclasses import replace
from typing import Any

import pytest

from config.settings import Settings
from db.session import transaction
from services.queries.submission import NewQuery, resolve_options
from services.retrieval.reranking import select
from tests.factories import make_chunk, make_document
from tests.services.story import Story
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("database")

LONG = "Returns are accepted within 30 days of purchase, when the receipt is shown at the counter. " * 3


def scored(story: Story, scores: dict[int, float | None], links: dict[str, Any] | None = None) -> list[int]:
    """Select from passages with these scores, retrieved in this order."""
    candidates = [(key, 0.5) for key in scores]
    story.set("retrieve", {"status": "found", "candidates": candidates, "links": links or {}})
    for key, score in scores.items():
        outcome = {"status": "scored" if score is not None else "unreadable", "score": score, "reason": "unreadable"}
        story.set("score_chunks", outcome, str(key))
    return story.run("select", select)["selected"]


def pages_of(story: Story, filename: str, *pages: tuple[int, str]) -> list[int]:
    """Store a document with one chunk for each (page, text); return the chunks' keys."""
    text = "".join(words for _, words in pages)
    with transaction() as session:
        number = len(story.documents)
        document = make_document(session, text, workspace=story.workspace, filename=filename, number=number)
        keys: list[int] = []
        for index, (page, words) in enumerate(pages):
            start = sum(len(each) for _, each in pages[:index])
            chunk = make_chunk(session, document, start, start + len(words), index=index, page=page)
            keys.append(chunk.id)
            story.documents[chunk.id] = document.id
        return keys


def test_up_to_five_sources_are_chosen_from_all_that_is_evidence() -> None:  # S5.2
    story = Story(source_scoring=True, top_k=3)
    keys = [story.add(f"{number}.md", f"{number} {LONG}") for number in range(8)]
    chosen = scored(story, {key: 0.9 - place / 20 for place, key in enumerate(keys)})
    assert chosen == keys[:5]  # not top_k: the seed's own limit


def test_what_is_no_evidence_takes_no_further_place() -> None:  # S5.2, S3.5
    story = Story(source_scoring=True, min_evidence_score=0.2, top_k=1)
    keys = [story.add(f"{number}.md", f"{number} {LONG}") for number in range(4)]
    assert scored(story, dict(zip(keys, [0.9, 0.1, None, 0.2], strict=True))) == [keys[0], keys[3], keys[2]]


def test_a_page_of_a_file_is_one_source_and_another_page_takes_the_place() -> None:  # S5.2
    story = Story(source_scoring=True, max_sources=2)
    first, same_page, other_page = pages_of(story, "a.pdf", (1, LONG), (1, LONG + "More."), (2, LONG + "Other."))
    assert scored(story, {first: 0.9, same_page: 0.8, other_page: 0.7}) == [first, other_page]


def test_equal_pages_of_two_documents_are_two_sources() -> None:  # S5.2
    story = Story(source_scoring=True)
    (one,), (other,) = pages_of(story, "a.pdf", (1, LONG)), pages_of(story, "b.pdf", (1, LONG))
    assert scored(story, {one: 0.9, other: 0.8}) == [one, other]


@for_all_rows(
    ("options", "kept"),
    [
        ({}, ["long", "short"]),
        ({"max_sources": 1}, ["long"]),
        ({"min_relevance": 0.6}, ["long"]),
        ({"min_excerpt_length": 150}, ["long"]),
        ({"min_excerpt_length": 0, "min_relevance": 0.0}, ["long", "short", "tiny"]),
    ],
)
def test_each_parameter_of_the_scoring_counts(options: dict[str, Any], kept: list[str]) -> None:  # S5.2
    story = Story(source_scoring=True, **options)
    names = {
        story.add("long.md", LONG): "long",
        story.add("short.md", "Returns within 30 days, with receipts. " * 3): "short",
    }
    names[story.add("tiny.md", "30 days.")] = "tiny"
    assert [names[key] for key in scored(story, dict.fromkeys(names, 0.9))] == kept


def test_where_all_passages_are_short_the_longest_is_the_measure() -> None:  # S5.2
    story = Story(source_scoring=True)
    keys = [story.add(f"{number}.md", f"Room {number} has {number + 10} seats.") for number in range(6)]
    assert scored(story, dict.fromkeys(keys, 0.9)) == keys[:5]


def test_a_passage_is_kept_only_with_the_one_that_leads_to_it() -> None:  # S5.2, S5.1
    story = Story(source_scoring=True, max_sources=2)
    far, near, bridge = (
        story.add(f"{name}.md", text) for name, text in (("far", LONG), ("near", LONG), ("b", "Short."))
    )
    links = {str(far): {"bridge": bridge, "connection": "Acme belongs to Zenith."}}
    story.set("retrieve", {})
    for_far = {"status": "scored", "score": 0.1, "linked": 0.9, "reason": ""}
    story.set("score_chunks", for_far, str(far))
    candidates = [(far, 0.5), (near, 0.5), (bridge, 0.5)]
    story.set("retrieve", {"status": "found", "candidates": candidates, "links": links})
    for key, score in ((near, 0.8), (bridge, 0.3)):
        story.set("score_chunks", {"status": "scored", "score": score, "reason": ""}, str(key))
    assert story.run("select", select)["selected"] == [bridge, far]


@pytest.mark.parametrize(
    "asked", [NewQuery("?", max_sources=1), NewQuery("?", min_relevance=0.0), NewQuery("?", min_excerpt_length=0)]
)
def test_a_parameter_of_the_scoring_asks_for_it(asked: NewQuery) -> None:  # S5.2
    assert resolve_options(asked, Settings()).source_scoring
    assert not resolve_options(replace(asked, source_scoring=False), Settings()).source_scoring


def test_a_requested_number_of_passages_is_the_number_of_sources() -> None:  # S5.2
    assert resolve_options(NewQuery("?", top_k=2), Settings()).max_sources == 2
    assert resolve_options(NewQuery("?", top_k=2, max_sources=4), Settings()).max_sources == 4
