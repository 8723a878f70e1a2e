"""The simulated provider obeys the provider's rules: otherwise tests against it would prove nothing."""

import json
import random
import signal
import statistics
import subprocess
import sys
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import groq
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulators.groq.catalogue import MODELS
from tests.simulators.groq.errors import ApiError
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.limits import Bucket, Limits, Meter, go_duration
from tests.simulators.groq.provider import Account
from tests.simulators.groq.schema import blank, conforms
from tests.simulators.groq.server import KEY, GroqSimulator
from verify_material.rows import for_all_rows

FAST = "openai/gpt-oss-20b"
HELLO: dict[str, Any] = {"model": FAST, "messages": [{"role": "user", "content": "Say hello as JSON."}]}
SCORE = {
    "type": "object",
    "properties": {"score": {"type": "number"}},
    "required": ["score"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def sim() -> Generator[GroqSimulator]:
    """One simulator for the whole file."""
    with GroqSimulator() as simulator:
        yield simulator


@pytest.fixture(scope="module")
def kept(sim: GroqSimulator) -> Generator[httpx.Client]:
    """Plain HTTP with the right key."""
    with httpx.Client(base_url=sim.base_url, headers={"authorization": f"Bearer {KEY}"}) as client:
        yield client


@pytest.fixture
def client(sim: GroqSimulator, kept: httpx.Client) -> httpx.Client:
    """Plain HTTP with the right key, and an empty ledger."""
    sim.reset()
    return kept


def post(client: httpx.Client, **change: object) -> httpx.Response:
    return client.post("/openai/v1/chat/completions", json=HELLO | change)


def complaint(response: httpx.Response) -> str:
    """The message of an error answer with status 400."""
    assert response.status_code == 400
    return response.json()["error"]["message"]


# Limit, used, requested and the wait in seconds, as the provider told them.
@for_all_rows(
    ("limit", "used", "requested", "window_s", "wait_s"),
    [
        (6000, 3513, 3166, 60, 6.79),
        (5000, 5747, 4251, 60, 59.976),
        (6000, 5914, 1822, 60, 17.36),
        (7000, 0, 12903, 60, 50.597),
        (100_000, 97_050, 3619, 86_400, 578.016),
    ],
)
def test_waits_are_those_of_real_answers(limit: int, used: int, requested: int, window_s: float, wait_s: float) -> None:
    bucket = Bucket("tokens per minute (TPM)", "tokens", limit, window_s, level=used)
    assert bucket.wait_s(requested) == pytest.approx(wait_s, abs=0.01)


@for_all_rows(
    ("seconds", "text"), [(86.4, "1m26.4s"), (36.27, "36.27s"), (0.001, "1ms"), (578.016, "9m38.016s"), (0, "0ms")]
)
def test_durations_are_printed_as_in_real_headers(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text


@given(
    st.lists(st.tuples(st.floats(0, 5), st.integers(1, 900), st.floats(0, 1)), max_size=60),
    st.integers(1000, 5000),
)
def test_admitted_tokens_never_exceed_the_law_and_a_wait_as_told_is_enough(
    calls: list[tuple[float, int, float]], tpm: int
) -> None:
    now = 0.0
    meter = Meter("org", FAST, Limits(rpm=None, rpd=None, tpm=tpm), clock=lambda: now)
    spent = 0.0
    for pause, tokens, share in calls:
        now += pause
        try:
            meter.admit(tokens)
        except ApiError as error:
            now += float(error.headers["retry-after"])  # which a 413 would not have
            meter.admit(tokens)
        used = int(tokens * share)
        meter.settle(tokens, used)
        spent += used
        assert spent <= tpm + tpm * now / 60 + 1


def test_limits_hold_per_organisation_and_model_and_are_told_in_headers(kept: httpx.Client) -> None:
    limits = Limits(rpm=1, rpd=1000, tpm=8000)
    small, main = {"max_completion_tokens": 500}, {"max_completion_tokens": 500, "model": "openai/gpt-oss-120b"}
    with GroqSimulator(accounts={"a": Account("org_a", limits), "b": Account("org_b", limits)}) as sim:

        def ask(key: str, change: Mapping[str, object]) -> httpx.Response:
            url = f"{sim.base_url}/openai/v1/chat/completions"
            return kept.post(url, json={**HELLO, **change}, headers={"authorization": f"Bearer {key}"})

        first, again, other_model, other_org = ask("a", small), ask("a", small), ask("a", main), ask("b", small)
        too_large = ask("b", {"max_completion_tokens": 8000})
    assert [r.status_code for r in (first, again, other_model, other_org, too_large)] == [200, 429, 200, 200, 413]
    assert first.headers["x-ratelimit-limit-requests"] == "1000"  # a day, not a minute
    assert first.headers["x-ratelimit-reset-requests"] == "1m26.4s"
    assert first.headers["x-ratelimit-limit-tokens"] == "8000"
    assert int(first.headers["x-ratelimit-remaining-tokens"]) < 7500  # prompt and max_completion_tokens are reserved
    assert 40 <= int(again.headers["retry-after"]) <= 60  # less what went by meanwhile
    assert "on requests per minute (RPM): Limit 1, Used 1, Requested 1. Please try again in" in again.text
    assert too_large.json()["error"]["message"].startswith(f"Request too large for model `{FAST}`")


def test_what_was_reserved_and_not_used_is_given_back(client: httpx.Client) -> None:
    post(client, max_completion_tokens=60_000)
    remaining = int(post(client, max_completion_tokens=1).headers["x-ratelimit-remaining-tokens"])
    assert remaining > 240_000


@pytest.mark.parametrize("key", ["Bearer wrong", "", KEY])
def test_a_wrong_key_is_401(client: httpx.Client, key: str) -> None:
    for response in (
        client.post("/openai/v1/chat/completions", json=HELLO, headers={"authorization": key}),
        client.get("/openai/v1/models", headers={"authorization": key}),
    ):
        assert response.status_code == (200 if key == KEY else 401)


def test_the_doubled_path_of_the_sdk_is_refused_loudly(sim: GroqSimulator) -> None:
    with (
        groq.Groq(api_key=KEY, base_url=f"{sim.base_url}/openai/v1", max_retries=0) as client,
        pytest.raises(groq.NotFoundError, match="Unknown request URL: GET /openai/v1/openai/v1/models"),
    ):
        client.models.list()


def test_models_are_listed_without_those_that_are_gone(client: httpx.Client) -> None:
    listed = {model["id"] for model in client.get("/openai/v1/models").json()["data"]}
    assert listed == MODELS.keys() - {"llama-3.1-8b-instant"}
    assert client.get(f"/openai/v1/models/{FAST}").json()["context_window"] == 131_072
    gone = client.get("/openai/v1/models/llama-3.1-8b-instant")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "model_not_found")


def schema(**change: object) -> dict[str, object]:
    """A response format, with changes to its schema."""
    return {"type": "json_schema", "json_schema": {"name": "Score", "strict": True, "schema": SCORE | change}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"documents": []}, "property 'documents' is unsupported"),
        ({"n": 2}, "'n'"),
        ({"model": "qwen/qwen3.6-27b", "reasoning_effort": "low"}, "`reasoning_effort` must be one of"),
        ({"model": "qwen/qwen3.6-27b", "response_format": schema()}, "does not support response format `json_schema`"),
        ({"response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "Hi"}]}, "word 'json'"),
        ({"response_format": schema(), "stream": True}, "not supported with streaming"),
        ({"response_format": schema(required=[])}, "`required` must name every property, `score` is missing"),
        ({"response_format": schema(additionalProperties=True)}, "`additionalProperties:false` must be set"),
        ({"response_format": schema(properties={"score": {"type": "array", "minItems": 1}})}, "minItems is not"),
        ({"max_completion_tokens": 70_000}, "`max_completion_tokens` must be less than or equal to `65536`"),
        ({"messages": [{"role": "user", "content": "x" * 600_000}]}, "reduce the length of the messages"),
    ],
)
def test_what_the_provider_does_not_take_is_refused(
    client: httpx.Client, change: dict[str, object], message: str
) -> None:
    assert message in complaint(post(client, **change))


def test_too_little_room_ends_prose_early_and_fails_strict_json(client: httpx.Client) -> None:
    prose = post(client, max_completion_tokens=82).json()  # 80 of them are reasoning
    assert prose["choices"][0]["finish_reason"] == "length"
    assert prose["usage"]["completion_tokens"] == 82
    strict = post(client, max_completion_tokens=81, response_format=schema())
    assert strict.json()["error"]["code"] == "json_validate_failed"


def test_an_unknown_task_gets_the_blank_of_its_schema(client: httpx.Client) -> None:
    properties = {"colour": {"enum": ["red"]}, "tags": {"type": "array", "items": {"type": "string"}}}
    reply = post(client, response_format=schema(properties=properties, required=["colour", "tags"])).json()
    assert json.loads(reply["choices"][0]["message"]["content"]) == {"colour": "red", "tags": []}


json_schemas = st.recursive(
    st.sampled_from([{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"enum": ["a", "b"]}]),
    lambda inner: (
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(
            lambda properties: {"type": "object", "properties": properties, "required": list(properties)}
        )
        | inner.map(lambda items: {"type": "array", "items": items})
    ),
)


@given(json_schemas)
def test_the_blank_of_a_schema_conforms_to_it(of: dict[str, Any]) -> None:
    assert conforms(blank(of, of), of, of)
    assert not conforms(None, of, of)


def test_the_same_seed_gives_the_same_answers_and_another_seed_others() -> None:
    def stream(seed: int) -> list[str]:
        with GroqSimulator(seed=seed) as sim, httpx.Client(headers={"authorization": f"Bearer {KEY}"}) as http:
            text = http.post(f"{sim.base_url}/openai/v1/chat/completions", json=HELLO | {"stream": True}).text
        return [json.loads(line[6:])["x_groq"]["id"] for line in text.splitlines() if '"x_groq"' in line]

    assert stream(1) == stream(1) != stream(2)


def test_times_are_those_of_real_usage_blocks() -> None:
    rng, model = random.Random(7), LatencyModel()
    drawn = [model.draw(rng, MODELS["openai/gpt-oss-120b"], uncached=1600, reasoning=60) for _ in range(2000)]
    assert statistics.median(timing.queue_s for timing in drawn) == pytest.approx(0.22, rel=0.05)
    assert statistics.median(1 / timing.per_token_s for timing in drawn) == pytest.approx(479)
    assert statistics.median(timing.prompt_s for timing in drawn) == pytest.approx(0.084, abs=0.005)
    assert 5 <= sum(timing.queue_s > 0.6 for timing in drawn) <= 40


def test_time_scale_stretches_an_answer() -> None:
    latency = LatencyModel(network_s=0, queue_s=0.2, spread=0, tail=0)
    with GroqSimulator(time_scale=1, latency=latency) as sim, httpx.Client() as http:
        reply = http.post(
            f"{sim.base_url}/openai/v1/chat/completions", json=HELLO, headers={"authorization": f"Bearer {KEY}"}
        )
    # 0.2 s in the queue, 80 tokens of reasoning, a few of text.
    assert 0.3 < reply.elapsed.total_seconds() < 10


@pytest.mark.slow
def test_it_runs_as_a_process_with_its_ledger_and_faults_over_http(kept: httpx.Client) -> None:
    command = [sys.executable, "-m", "tests.simulators.groq", "--time-scale", "0", "--key", "k", "--unlimited"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url, headers = process.stdout.readline().strip(), {"authorization": "Bearer k"}
        kept.post(f"{url}/__faults", json=[{"kind": "unavailable", "match": "hello"}]).raise_for_status()
        statuses = [
            kept.post(f"{url}/openai/v1/chat/completions", json=HELLO, headers=headers).status_code for _ in range(2)
        ]
        ledger = kept.get(f"{url}/__ledger").json()
        kept.post(f"{url}/__reset").raise_for_status()
        empty = kept.get(f"{url}/__ledger").json()
        process.send_signal(signal.SIGTERM)
    assert statuses == [entry["status"] for entry in ledger] == [503, 200]
    assert [entry["billed"] for entry in ledger] == [False, True]
    assert (empty, process.returncode) == ([], 0)


def test_the_prefix_cache_serves_the_longest_beginning_that_was_sent_before_in_whole_blocks() -> None:
    sources, words = "Returns must be made within 60 days. " * 40, "You check statements. " * 20

    def cached(http: httpx.Client, model: str, system: str, user: str) -> int:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        usage = post(http, model=model, messages=messages).json()["usage"]
        return (usage.get("prompt_tokens_details") or {"cached_tokens": 0})["cached_tokens"]

    with (
        GroqSimulator(cached_tokens=True) as simulator,
        httpx.Client(base_url=simulator.base_url, headers={"authorization": f"Bearer {KEY}"}) as http,
    ):
        assert cached(http, FAST, words, sources + "first") == 0
        # System (440 bytes) and sources (1,480): 480 tokens and a bit, of which three blocks of 128 are whole.
        assert cached(http, FAST, words, sources + "second") == 384
        assert cached(http, FAST, words, "other " * 300) == 0
        assert cached(http, FAST, "Other. " + words, sources + "first") == 0
        assert cached(http, "openai/gpt-oss-120b", words, sources + "first") == 0


def test_calls_that_come_together_find_nothing_in_the_prefix_cache_of_each_other() -> None:
    latency = LatencyModel(network_s=0, queue_s=0.3, spread=0, tail=0)
    body = HELLO | {"messages": [{"role": "user", "content": "Returns must be made within 60 days. " * 20}]}

    def cached(http: httpx.Client) -> int:
        return (post(http, **body).json()["usage"].get("prompt_tokens_details") or {"cached_tokens": 0})[
            "cached_tokens"
        ]

    with (
        GroqSimulator(time_scale=1, latency=latency, cached_tokens=True) as simulator,
        httpx.Client(base_url=simulator.base_url, headers={"authorization": f"Bearer {KEY}"}) as http,
        ThreadPoolExecutor(2) as pool,
    ):
        assert [*pool.map(cached, [http, http])] == [0, 0]
        assert cached(http) == 128


def test_a_beginning_that_is_too_short_is_not_served() -> None:
    body = HELLO | {"messages": [{"role": "user", "content": "Returns must be made within 60 days. " * 20}]}
    with (
        GroqSimulator(cached_tokens=True, least_cached=1_024) as simulator,
        httpx.Client(base_url=simulator.base_url, headers={"authorization": f"Bearer {KEY}"}) as http,
    ):
        for _ in range(2):
            assert "prompt_tokens_details" not in post(http, **body).json()["usage"]
