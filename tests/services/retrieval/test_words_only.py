"""A question that cannot be embedded is searched for by its words, and the result says so."""

from typing import Any

import pytest

from clients.embeddings.openai_compatible import ATTEMPTS, EndpointEmbedder
from domain.errors.service import EmbeddingUnavailable
from services.retrieval.candidates import BY_WORDS_ONLY, retrieve
from tests.services.core.test_embedding_spaces import RULES, add
from tests.services.story import Story
from tests.simulators.embeddings import EmbeddingServer

pytestmark = pytest.mark.usefixtures("database")


def with_the_endpoint_away(server: EmbeddingServer, **options: Any) -> Story:
    story = Story("Within how many days may goods of kind 3 be returned?", **options)
    story.embedder = EndpointEmbedder(server.model("tiny-16"), backoff_s=0.0)
    add(story.embedder, RULES, workspace=story.workspace)
    for _ in range(2 * ATTEMPTS):
        server.fail(503)
    return story


def test_a_hybrid_question_goes_on_by_words() -> None:  # A5, N4
    with EmbeddingServer() as server:
        story = with_the_endpoint_away(server)
        story.retrieve()
        found = story.outcome("retrieve")
        assert found["status"] == "found"
        assert {similarity for _, similarity in found["candidates"]} == {None}
        assert found["issues"][0].startswith(BY_WORDS_ONLY)
        assert found["issues"][0] in story.outcome("select")["issues"]


def test_a_question_by_similarity_alone_cannot() -> None:  # N4
    with EmbeddingServer() as server, pytest.raises(EmbeddingUnavailable):
        with_the_endpoint_away(server, retrieval_method="vector").run("retrieve", retrieve)
