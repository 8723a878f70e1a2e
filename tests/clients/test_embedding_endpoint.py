"""Any OpenAI-compatible endpoint as an embedder, against a real server."""

import base64
import gzip
import json
import struct
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest
from structlog.testing import capture_logs

from citewell_verify.embeddings.wheel import default_embedder
from clients.embeddings.factory import configured_embedder, embedder_of
from clients.embeddings.openai_compatible import ATTEMPTS, EndpointEmbedder
from config.settings import ConfigurationInvalid, settings
from domain.errors.service import EmbeddingRejected, EmbeddingUnavailable
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
    server.fail(503, b"still loading the model")
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


Rows = list[dict[str, Any]]


def numbered(number: Callable[[int], int | None]) -> Callable[[Rows], Rows]:
    """Rows in the order of the texts with these numbers instead of their own; None leaves it out."""

    def rewritten(rows: Rows) -> Rows:
        ordered = sorted(rows, key=lambda row: row["index"])
        return [
            {"embedding": row["embedding"], **({} if (told := number(at)) is None else {"index": told})}
            for at, row in enumerate(ordered)
        ]

    return rewritten


def packed(rows: Rows) -> Rows:
    pack = [base64.b64encode(struct.pack(f"<{len(row['embedding'])}f", *row["embedding"])).decode() for row in rows]
    return [{**row, "embedding": text} for row, text in zip(rows, pack, strict=True)]


def packed_without_zero(rows: Rows) -> Rows:
    return packed(without_zero(rows))


def one_more(rows: Rows) -> Rows:
    return [*rows, rows[0]]


def one_less(rows: Rows) -> Rows:
    return rows[:-1]


def without_zero(rows: Rows) -> Rows:
    return [row if row["index"] else {"embedding": row["embedding"]} for row in rows]


@pytest.mark.parametrize(
    "rewrites",
    [
        numbered(lambda _: None),
        numbered(lambda _: 0),
        numbered(lambda at: at or None),
        numbered(lambda at: at if at % 2 else None),
        without_zero,
        packed,
        packed_without_zero,
    ],
    ids=["none", "zeros", "no zero", "some", "no zero, reversed", "base64", "base64 without zero"],
)
def test_vectors_whose_numbers_are_left_out_belong_to_the_texts_in_order(
    server: EmbeddingServer, rewrites: Callable[[Rows], Rows]
) -> None:
    texts = [f"passage {'x' * number}" for number in range(7)]
    expected = embedder(server).encode_documents(texts)
    server.rewrites = rewrites
    np.testing.assert_allclose(embedder(server).encode_documents(texts), expected, atol=1e-6)


@pytest.mark.parametrize(
    "rewrites",
    [
        numbered(lambda at: at + 1),
        numbered(lambda at: 1 if at == 2 else at),
        numbered(lambda at: at // 2),
        one_more,
        one_less,
    ],
    ids=["from one", "twice", "pairs", "one more", "one less"],
)
def test_vectors_whose_numbers_contradict_each_other_are_refused(
    server: EmbeddingServer, rewrites: Callable[[Rows], Rows]
) -> None:
    server.rewrites = rewrites
    with pytest.raises(EmbeddingRejected, match=r"vectors for 4 texts"):
        embedder(server, dimension=16).encode_documents(["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b'{"error": "json: unsupported value: NaN"}'),
        (500, b'{"error": {"message": "input is too large to process"}}'),
        (503, b"worker died"),
        (400, b'{"error": {"message": "maximum context length is 512 tokens"}}'),
        (413, b"payload too large"),
        (422, b'{"detail": "inputs must have less than 512 tokens"}'),
    ],
)
@pytest.mark.parametrize("place", [0, 29, 63])
def test_a_text_that_is_never_embedded_is_named_with_the_servers_words(
    server: EmbeddingServer, status: int, body: bytes, place: int
) -> None:
    server.refuses = lambda texts: (status, body) if any("poison" in text for text in texts) else None
    texts = [f"text {number}" for number in range(64)]
    texts[place] = "this is poison"
    waiting = embedder(server, dimension=16)
    said = body.decode()
    with pytest.raises(EmbeddingRejected) as raised:
        waiting.encode_documents(texts)
    assert f"answered {status}: {said}, for the text that begins with 'this is poison'" in str(raised.value)
    assert len(server.asked) <= 2 * 6 + 2 * (ATTEMPTS + 2)
    # The batch was not at fault.
    server.asked.clear()
    waiting.encode_documents(["fine"] * 64)
    assert [len(texts) for texts in server.asked] == [64]


@pytest.mark.parametrize("status", [400, 413, 422, 500])
@pytest.mark.parametrize("most", [1, 10, 50])
def test_a_smaller_batch_is_found_and_kept(server: EmbeddingServer, status: int, most: int) -> None:
    said = b"batch size is invalid, it should not be larger than that"
    server.refuses = lambda texts: (status, said) if len(texts) > most else None
    texts = [f"text {number}" for number in range(70)]
    smaller = embedder(server, dimension=16, concurrency=1)
    expected = np.array([vector_of(text, 16) for text in texts], dtype=np.float32) / 2
    with capture_logs() as logs:
        np.testing.assert_allclose(smaller.encode_documents(texts), expected, atol=1e-6)
    assert {(entry["event"], entry["setting"]) for entry in logs} == {("embedding_batch_too_large", "embeddings.batch")}
    assert logs[-1]["works"] <= most
    server.asked.clear()
    smaller.encode_documents(texts)
    assert max(map(len, server.asked)) <= most


@pytest.mark.parametrize("status", [400, 401, 404, 422, 429, 500, 503])
def test_an_endpoint_that_serves_nothing_blames_no_text(server: EmbeddingServer, status: int) -> None:
    server.refuses = lambda _: (status, b"closed today")
    error = EmbeddingUnavailable if status == 429 or status >= 500 else EmbeddingRejected
    with pytest.raises(error, match=f"answered {status}: closed today.$"):
        embedder(server, dimension=16).encode_documents([f"text {number}" for number in range(64)])
    assert len(server.asked) <= ATTEMPTS + 1


@pytest.mark.parametrize("bad", [float("nan"), None, 0.0])
def test_the_text_of_a_vector_without_direction_is_named(server: EmbeddingServer, bad: float | None) -> None:
    def spoiled(rows: Rows) -> Rows:
        return [{**row, "embedding": [bad] * 16} if row["index"] == 2 else row for row in rows]

    server.rewrites = spoiled
    with pytest.raises(EmbeddingRejected, match="no direction, for the text that begins with 'third'"):
        embedder(server, dimension=16).encode_documents(["first", "second", "third"])
