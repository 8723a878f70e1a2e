"""Any OpenAI-compatible endpoint as an embedder, against a real server."""

import gzip
import json
from collections.abc import Generator

import numpy as np
import pytest

from clients.embeddings import configured_embedder, default_embedder, embedder_of
from clients.embeddings.openai_compatible import ATTEMPTS, EndpointEmbedder
from config.settings import ConfigurationInvalid, settings
from domain.errors import EmbeddingRejected, EmbeddingUnavailable
from tests.simulators.embeddings import KEY, EmbeddingServer, vector_of


@pytest.fixture
def server() -> Generator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


@pytest.fixture(autouse=True)
def fresh_settings() -> Generator[None]:
    settings.cache_clear()
    yield
    settings.cache_clear()


def embedder(server: EmbeddingServer, name: str = "tiny-16", **over: object) -> EndpointEmbedder:
    return EndpointEmbedder(server.model(name, **over), backoff_s=0.001)


def test_many_texts_come_back_in_order_normalised_and_in_batches(server: EmbeddingServer) -> None:  # S1.1
    texts = [f"text {number}" for number in range(23)]
    vectors = embedder(server, batch=5, concurrency=3).encode_documents(texts)
    expected = np.array([vector_of(text, 16) for text in texts], dtype=np.float32) / 2
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    asked = [request["input"] for request in server.requests if request["input"] != ["dimension"]]
    assert sorted(map(len, asked)) == [3, 5, 5, 5, 5]
    assert all("dimensions" not in request for request in server.requests)


def test_the_dimension_is_asked_for_or_found_out_once(server: EmbeddingServer) -> None:
    assert embedder(server, dimension=8).encode_queries(["a"]).shape == (1, 8)
    assert server.requests[-1]["dimensions"] == 8
    found = embedder(server, "tiny-32")
    assert (found.dimension, found.dimension) == (32, 32)
    assert len(server.requests) == 2
    assert found.encode_queries([]).shape == (0, 32)


def test_questions_and_documents_get_their_prefixes(server: EmbeddingServer) -> None:
    e5 = embedder(server, query_prefix="query: ", document_prefix="passage: ", dimension=8)
    e5.encode_queries(["why"])
    e5.encode_documents(["because"])
    assert server.texts == ["query: why", "passage: because"]
    assert e5.name != embedder(server, dimension=8).name


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(server: EmbeddingServer, status: int) -> None:  # A5
    server.fail(status, retry_after="0")
    server.fail(status)
    assert embedder(server, dimension=4).encode_queries(["a"]).shape == (1, 4)


def test_an_endpoint_that_stays_away_is_unavailable(server: EmbeddingServer) -> None:
    for _ in range(ATTEMPTS):
        server.fail(503)
    with pytest.raises(EmbeddingUnavailable, match=r"tiny-16 at http://127.* answered 503") as raised:
        embedder(server, dimension=4).encode_queries(["a"])
    assert raised.value.code == "embedding_unavailable"
    assert not server.failures


def test_nobody_listening_is_unavailable() -> None:
    with EmbeddingServer() as gone:
        model = embedder(gone, dimension=4)
    with pytest.raises(EmbeddingUnavailable, match="does not answer"):
        model.encode_queries(["a"])


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (400, b'{"error": "input too long"}', "input too long"),
        (404, b"no such model", "no such model"),
        (200, b"<html>", "none of OpenAI's"),
        (200, b'{"data": []}', "0 vectors for 1 texts"),
        (200, json.dumps({"data": [{"index": 1, "embedding": [1.0]}]}).encode(), "1 vectors for 1 texts"),
        (200, json.dumps({"data": [{"index": 0, "embedding": [0.0, 0.0, 0.0, 0.0]}]}).encode(), "no direction"),
        (200, json.dumps({"data": [{"index": 0, "embedding": [1.0, 0.0]}]}).encode(), "2 components instead of 4"),
    ],
)
def test_what_is_no_vectors_is_refused_at_once(server: EmbeddingServer, status: int, body: bytes, said: str) -> None:
    server.fail(status, body)
    with pytest.raises(EmbeddingRejected, match=said):
        embedder(server, dimension=4).encode_queries(["a"])
    assert server.requests == []


def test_a_wrong_key_is_refused_and_not_repeated_in_the_message(server: EmbeddingServer) -> None:  # A8
    with pytest.raises(EmbeddingRejected, match="401") as raised:
        embedder(server, dimension=4, api_key="sk-secret").encode_queries(["a"])
    assert "sk-secret" not in str(raised.value)
    assert KEY not in repr(server.model("tiny-4"))


def test_the_configuration_says_which_model(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configured_embedder() is default_embedder()
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__PROVIDER", "openai_compatible")
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__MODEL", "tiny-16")
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__BASE_URL", server.base_url)
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__API_KEY", KEY)
    earlier = [{"provider": "openai_compatible", "model": "old-8", "base_url": server.base_url, "api_key": KEY}]
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__EARLIER", json.dumps(earlier))
    settings.cache_clear()
    configured = configured_embedder()
    assert (configured.name, configured.dimension) == ("tiny-16", 16)
    assert configured_embedder() is configured
    # Stored vectors stay searchable: by the configured model, by an earlier one, by the program's own.
    assert embedder_of("tiny-16", 16) is configured
    assert (old := embedder_of("old-8", 8)) is not None
    assert old.encode_queries(["a"]).shape == (1, 8)
    assert embedder_of("use-multilingual-v3", 512) is default_embedder()
    assert embedder_of("tiny-16", 15) is None
    assert embedder_of("unknown", 8) is None


@pytest.mark.parametrize(
    ("variable", "value", "said"), [("MODEL", "", "embeddings.model"), ("BASE_URL", "example.com", "base_url")]
)
def test_an_endpoint_that_cannot_be_asked_is_told(
    variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__PROVIDER", "openai_compatible")
    monkeypatch.setenv("CITEWELL_EMBEDDINGS__MODEL", "m")
    monkeypatch.setenv(f"CITEWELL_EMBEDDINGS__{variable}", value)
    settings.cache_clear()
    with pytest.raises(ConfigurationInvalid, match=said):
        configured_embedder()


ROW = {"index": 0, "embedding": [1.0, 0.0, 0.0, 0.0]}


def test_no_more_is_read_than_what_was_asked_for_takes(server: EmbeddingServer) -> None:  # F5
    blanks = json.dumps({"data": [ROW]}).encode() + b" " * 10_000_000
    server.fail(200, blanks)
    with pytest.raises(
        EmbeddingRejected, match="sent more than the 65,256 bytes that a reply to this request can have"
    ):
        embedder(server, dimension=4).encode_queries(["a"])
    server.fail(200, blanks)
    with pytest.raises(EmbeddingRejected, match=r"1 texts of at most 16,384 components \(embeddings.dimension\)"):
        _ = embedder(server).dimension
    server.fail(400, b"no " * 1_000_000)
    with pytest.raises(EmbeddingRejected, match="answered 400: no no") as raised:
        embedder(server, dimension=4).encode_queries(["a"])
    assert len(str(raised.value)) < 400


def test_the_longest_spelling_of_what_was_asked_for_is_read(server: EmbeddingServer) -> None:  # F5
    rows = [{"object": "embedding", "index": at, "embedding": [-1.2345678901234567e-05] * 4_000} for at in range(8)]
    server.fail(200, json.dumps({"data": rows}, indent=8).encode())
    assert embedder(server, dimension=4_000).encode_queries(["a"] * 8).shape == (8, 4_000)


def test_a_packed_reply_that_nobody_asked_for_is_not_unpacked(server: EmbeddingServer) -> None:  # F5
    server.fail(200, gzip.compress(json.dumps({"data": [ROW]}).encode() + b" " * 10_000_000), content_encoding="gzip")
    with pytest.raises(EmbeddingRejected, match="sent a packed reply"):
        embedder(server, dimension=4).encode_queries(["a"])
