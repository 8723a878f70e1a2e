"""Rerankers: a real cross-encoder in ONNX format, made by the tests, and an endpoint behind real HTTP."""

import asyncio
import gzip
import json
import math
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from clients.llm.neural import open_classifier, opening
from clients.reranking import Reranker, RerankFailed, make_reranker
from clients.reranking.endpoint import RerankEndpoint, are_logits, read_scores, relevance
from config.models import RerankSettings
from config.settings import ConfigurationInvalid
from tests.clients.neural_models import NOT_A_NUMBER, THREE_LABELS, TWO_LABELS, save_classifier
from tests.simulators.rerank import Answer, RerankServer

QUESTION = "Within how many days are returns accepted?"
RETURNS = "Returns are accepted within 30 days."
SHIPPING = "Shipping takes five days and costs four euros."
WHALE = "The blue whale is the largest animal that ever lived."
TEXTS = [WHALE, RETURNS, SHIPPING]
WORDS = [QUESTION, *TEXTS]
DOWN = Answer(500, b"out of luck")

T = TypeVar("T")


@pytest.fixture(autouse=True)
def _forgotten() -> Generator[None]:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    open_classifier.cache_clear()
    yield
    open_classifier.cache_clear()


def with_reranker(reranker: Reranker | None, work: Callable[[Reranker], Awaitable[T]]) -> T:
    async def then_close() -> T:
        assert reranker is not None
        try:
            return await work(reranker)
        finally:
            await reranker.aclose()

    return asyncio.run(then_close())


def scored(reranker: Reranker | None, texts: list[str] = TEXTS, question: str = QUESTION) -> list[float | None]:
    return with_reranker(reranker, lambda opened: opened.score(question, texts))


def refused(reranker: Reranker | None, texts: list[str] = TEXTS) -> str:
    with pytest.raises(RerankFailed) as caught:
        scored(reranker, texts)
    return caught.value.reason


def configured(**values: Any) -> Reranker | None:
    return make_reranker(RerankSettings.model_validate(values))


def cross_encoder(folder: Path, **values: Any) -> Reranker | None:
    pytest.importorskip("onnxruntime", reason="there is none for this machine")
    return configured(provider="cross_encoder", model=str(folder), **values)


def endpoint(server: RerankServer, **values: Any) -> RerankEndpoint:
    given: dict[str, Any] = {"backoff_s": 0.001, "timeout_s": 20.0, **values}
    return RerankEndpoint(server.url, **given)


# Cross-encoder


def test_a_cross_encoder_puts_the_passage_that_answers_first(tmp_path: Path) -> None:  # S1.1
    whale, returns, shipping = scored(cross_encoder(save_classifier(tmp_path / "rr", WORDS)))
    # The graph's logit is 12 times the share of the second text's words that are in the first, minus 9.
    assert returns == pytest.approx(1 / (1 + math.exp(-1)))
    assert shipping == pytest.approx(1 / (1 + math.exp(9 - 12 / 8)))
    assert whale == pytest.approx(1 / (1 + math.exp(9)))


def test_a_long_passage_loses_its_end_and_a_long_question_its_own(tmp_path: Path) -> None:  # S1.1
    reranker = cross_encoder(save_classifier(tmp_path / "rr", WORDS))
    good, bad = "returns " * 60, "whale " * 200

    async def ask(opened: Reranker) -> list[list[float | None]]:
        long_passages = await opened.score(QUESTION, [good + bad, bad + good])
        return [long_passages, await opened.score(good + bad, ["returns", "five"])]

    (kept, cut), (asked, other) = with_reranker(reranker, ask)
    assert kept == asked == pytest.approx(1 / (1 + math.exp(-3)))
    assert cut == other == pytest.approx(1 / (1 + math.exp(9)))


def test_the_folder_s_own_format_goes_before_the_usual_one(tmp_path: Path) -> None:  # S1.1
    form = {"order": "source_first", "label": "LABEL_1"}
    folder = save_classifier(tmp_path / "rr", WORDS, tail=TWO_LABELS, labels=["LABEL_0", "LABEL_1"], form=form)
    # Here it is the share of the question's words that are in the passage.
    whole, part = scored(cross_encoder(folder), [f"{QUESTION} {WHALE}", "returns"])
    assert whole is not None
    assert part is not None
    assert whole > 0.9 > 0.1 > part


def test_a_cross_encoder_is_called_by_its_folder_and_its_weights(tmp_path: Path) -> None:  # S1.1, N8
    reranker = cross_encoder(save_classifier(tmp_path / "rr", WORDS))
    assert reranker is not None
    assert reranker.name == "cross_encoder/rr"
    name, _, digits = reranker.version().partition("@")
    assert (name, len(digits)) == ("cross_encoder/rr", 12)
    open_classifier.cache_clear()
    gone = cross_encoder(tmp_path / "rr")
    (tmp_path / "rr" / "model.onnx").unlink()
    assert gone is not None
    assert gone.version() == "cross_encoder/rr"


def test_the_event_loop_goes_on_while_a_cross_encoder_works(tmp_path: Path) -> None:  # S1.1
    reranker = cross_encoder(save_classifier(tmp_path / "rr", WORDS))

    async def ask(opened: Reranker) -> int:
        turns, work = 0, asyncio.ensure_future(opened.score(QUESTION, TEXTS * 200))
        while not work.done():
            await asyncio.sleep(0)
            turns += 1
        assert len(await work) == 600
        return turns

    assert with_reranker(reranker, ask) > 3


def test_numbers_that_are_none_fail_with_a_reason(tmp_path: Path) -> None:  # S3.1
    assert "NaN" in refused(cross_encoder(save_classifier(tmp_path / "rr", WORDS, tail=NOT_A_NUMBER)))


def test_weights_that_went_away_fail_with_a_reason(tmp_path: Path) -> None:  # S3.1
    reranker = cross_encoder(save_classifier(tmp_path / "rr", WORDS))
    (tmp_path / "rr" / "model.onnx").write_bytes(b"no graph")
    assert refused(reranker).startswith("rr could not be loaded: ")


def test_a_cross_encoder_that_takes_too_long_fails_with_a_reason(tmp_path: Path) -> None:  # S3.1
    reason = refused(cross_encoder(save_classifier(tmp_path / "rr", WORDS), timeout_s=1e-9), TEXTS * 200)
    assert reason == "cross_encoder/rr gave no scores in 1e-09 s (rerank.timeout_s)"


def test_a_cross_encoder_that_cannot_be_used_is_told_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # S1.1
    with pytest.raises(ConfigurationInvalid, match=r"rerank\.model is not set"):
        configured(provider="cross_encoder")
    with pytest.raises(ConfigurationInvalid, match=r"^rerank\.model: there is no folder /nowhere/rr"):
        configured(provider="cross_encoder", model="/nowhere/rr")
    three = save_classifier(tmp_path / "three", WORDS, tail=THREE_LABELS, labels=["a", "b", "c"])
    with pytest.raises(ConfigurationInvalid, match=r"^rerank\.model: .*set \"label\" in its citewell\.json to one of"):
        configured(provider="cross_encoder", model=str(three))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationInvalid, match=r"see docs/reranking\.md"):
        configured(provider="cross_encoder", model=str(tmp_path / "empty"))

    def nothing_found(_: str) -> None: ...

    monkeypatch.setattr(opening, "find_spec", nothing_found)
    with pytest.raises(ConfigurationInvalid, match=r'rerank\.model: rr needs .*pip install "citewell\[neural\]"'):
        configured(provider="cross_encoder", model=str(save_classifier(tmp_path / "rr", WORDS)))


def test_without_the_setting_there_is_no_reranker_and_nothing_is_imported() -> None:  # S1.1
    assert configured() is None
    extras = "{'huggingface_hub', 'onnxruntime', 'tokenizers', 'torch', 'transformers'}"
    code = f"import sys, clients.reranking; print(sorted({extras} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


# Endpoint


def test_an_endpoint_is_asked_once_for_all_texts(subtests: pytest.Subtests) -> None:  # S1.1
    with RerankServer() as server:
        values = {"provider": "endpoint", "base_url": server.url, "model": "rerank-3", "api_key": " k-1 "}
        for given in (server.url, f"{server.url}/", f"{server.url}/rerank"):
            with subtests.test(given):
                reranker = configured(**{**values, "base_url": given})
                assert scored(reranker) == pytest.approx([0, 5 / 7, 1 / 7])
                assert reranker is not None
                assert reranker.name == reranker.version() == "endpoint/rerank-3"
        assert server.bodies[0] == {
            "model": "rerank-3",
            "query": QUESTION,
            "documents": TEXTS,
            "top_n": 3,
            "return_documents": False,
        }
        assert (server.keys, server.paths) == (["Bearer k-1"] * 3, ["/v1/rerank"] * 3)


def test_without_model_and_key_none_is_sent() -> None:  # S1.1
    with RerankServer() as server:
        reranker = configured(provider="endpoint", base_url=server.url)
        assert reranker is not None
        assert reranker.name == "endpoint/127.0.0.1"
        scored(reranker)
        assert server.keys == [None]
        assert "model" not in server.bodies[0]
        assert scored(endpoint(server), []) == []
        assert len(server.bodies) == 1


def test_text_embeddings_inference_is_understood_and_remembered() -> None:  # S1.1
    with RerankServer(tei=True) as server:

        async def twice(opened: Reranker) -> list[float | None]:
            assert await opened.score(QUESTION, TEXTS) == await opened.score(QUESTION, TEXTS)
            return await opened.score(QUESTION, [RETURNS])

        assert with_reranker(endpoint(server), twice) == pytest.approx([5 / 7])
        assert [set(body) for body in server.bodies[1:]] == [{"query", "texts", "truncate"}] * 3
        assert "documents" in server.bodies[0]


def test_logits_become_relevance_and_stay_logits_for_good() -> None:  # S1.1
    with RerankServer(slope=14, offset=-9) as server:

        async def ask(opened: Reranker) -> list[float | None]:
            found = await opened.score(QUESTION, TEXTS)
            return [*found, *await opened.score("returns takes five", ["returns takes"])]

        expected = [1 / (1 + math.exp(-logit)) for logit in (-9, 1, -7, 14 * 2 / 3 - 9)]
        assert with_reranker(endpoint(server), ask) == pytest.approx(expected)


def test_the_scale_can_be_set() -> None:  # S1.1
    with RerankServer() as server:
        assert scored(endpoint(server, scale="logits"), [WHALE]) == [0.5]
    with RerankServer(slope=14) as server:
        assert scored(endpoint(server, scale="probabilities")) == [0, None, None]


@pytest.mark.parametrize(
    ("fault", "times"),
    [(DOWN, 2), (Answer(cut=True), 2), (Answer(429), 4), (Answer(503, headers={"Retry-After": "0"}), 4)],
)
def test_what_may_pass_is_tried_again(fault: Answer, times: int) -> None:  # S1.1
    with RerankServer(*[fault] * times) as server:
        assert scored(endpoint(server)) == pytest.approx([0, 5 / 7, 1 / 7])
        assert len(server.bodies) == times + 1


def test_a_wait_that_is_too_long_is_not_begun() -> None:  # S3.1
    with RerankServer(Answer(429, b"slow down", {"Retry-After": "3600"})) as server:
        assert refused(endpoint(server)) == "endpoint/127.0.0.1: HTTP 429: slow down"
        assert len(server.bodies) == 1


def test_the_wait_that_the_endpoint_names_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:  # S1.1
    waits = list[float]()
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    with RerankServer(Answer(429, headers={"Retry-After": "7"})) as server:
        reranker = endpoint(server)
        monkeypatch.setattr(asyncio, "sleep", noted)
        assert len(scored(reranker)) == 3
    assert [wait for wait in waits if wait >= 7] == [pytest.approx(7, abs=0.01)]


@pytest.mark.parametrize(
    ("answer", "tries", "reason"),
    [
        (DOWN, 3, "HTTP 500: out of luck"),
        (Answer(401, b"no such key: k-1"), 1, "HTTP 401: no such key: …"),
        (Answer(404), 1, "HTTP 404"),
        (Answer(302, headers={"Location": "http://127.0.0.1:9/"}), 1, "HTTP 302"),
        (Answer(200, b"<html>"), 1, "the reply is no JSON"),
        (Answer(200, b"[" * 100_000), 1, "the reply is no JSON"),
        (Answer(200, b'{"data": []}'), 1, "the reply has no list of results"),
        (Answer(200, b"7"), 1, "the reply has no list of results"),
    ],
)
def test_what_will_not_pass_is_told(answer: Answer, tries: int, reason: str) -> None:  # S3.1
    with RerankServer(*[answer] * 9) as server:
        assert refused(endpoint(server, model="m", api_key="k-1")) == f"endpoint/m: {reason}"
        assert len(server.bodies) == tries


def test_an_endpoint_that_is_not_there_or_never_answers_is_told() -> None:  # S3.1
    nowhere = RerankEndpoint("http://127.0.0.1:9", backoff_s=0.001)
    assert refused(nowhere).startswith("endpoint/127.0.0.1: cannot be reached: ConnectError: ")
    with RerankServer() as server:
        reason = refused(endpoint(server, timeout_s=1e-9))
        assert reason == "endpoint/127.0.0.1 gave no answer in 1e-09 s (rerank.timeout_s)"


def test_no_more_is_read_than_what_was_asked_for_takes() -> None:  # F5
    results = b'{"results": []}' + b" " * 10_000_000
    packed = Answer(200, gzip.compress(results), {"Content-Encoding": "gzip"})
    with RerankServer(Answer(200, results), packed, Answer(400, b"no " * 1_000_000)) as server:
        reason = refused(endpoint(server, model="m"))
        assert re.fullmatch(
            r"endpoint/m: it sent more than the 20\d,\d{3} bytes that a reply .* can have, 3 passages", reason
        )
        assert refused(endpoint(server, model="m")).startswith("endpoint/m: it sent a packed reply")
        assert refused(endpoint(server, model="m")).startswith("endpoint/m: HTTP 400: no no")
        assert len(server.bodies) == 3


def test_passages_that_an_endpoint_sends_back_are_read() -> None:  # F5
    texts = ["한" * 20_000, "b" * 20_000]
    sent = [{"index": at, "relevance_score": 0.5, "document": {"text": text}} for at, text in enumerate(texts)]
    with RerankServer(Answer.results(*sent)) as server:
        assert scored(endpoint(server), texts) == [0.5, 0.5]


@pytest.mark.parametrize(
    ("results", "scores"),
    [
        ([(0, 0.5)], [0.5, None]),
        ([(0, 0.5), (1, 0.2), (0, 0.9)], [None, 0.2]),
        ([(0, 0.5), (1, math.nan)], [0.5, None]),
        ([(0, math.inf), (1, "0.3")], [None, None]),
        ([(2, 0.5), (-1, 0.4), (1, 0)], [None, 0.0]),
        ([(True, 0.5), ("0", 0.4), (None, 0.1)], [None, None]),
        ([(0, True), (1, 10**400)], [None, None]),
    ],
)
def test_what_cannot_be_read_of_a_reply_is_left_open(
    results: list[tuple[Any, Any]], scores: list[float | None]
) -> None:  # S3.1
    named = [{"index": index, "relevance_score": score} for index, score in results]
    assert read_scores(json.dumps({"results": named}).encode(), 2) == scores
    plain = [{"index": index, "score": score} for index, score in results]
    assert read_scores(json.dumps([*plain, 7, None]).encode(), 2) == scores


def test_rounding_is_no_logit() -> None:  # S1.1
    assert not are_logits([1.0005, -0.0005, None])
    assert [relevance(each, logits=False) for each in (1.0005, -0.0005, 1.01)] == [1.0, 0.0, None]
    assert [relevance(each, logits=True) for each in (-1e9, 0.0, 1e9)] == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "rerank.base_url is not set"),
        ({"base_url": "api.jina.ai/v1"}, "it must be like https://api.jina.ai/v1"),
        ({"base_url": "http://[::1"}, "it must be like"),
        ({"base_url": "http://localhost/?a=b"}, "it must be like"),
        ({"base_url": "http://localhost", "api_key": "비밀"}, "rerank.api_key has characters that no key has"),
    ],
)
def test_an_endpoint_that_cannot_be_used_is_told_at_the_start(values: dict[str, str], says: str) -> None:  # S1.1
    with pytest.raises(ConfigurationInvalid) as caught:
        configured(provider="endpoint", **values)
    assert says in str(caught.value)
