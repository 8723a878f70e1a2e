"""Answers in the provider's wire format."""

import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.simulators.groq.latency import Timing

_ULID = "0123456789abcdefghjkmnpqrstvwxyz"


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything decided about an answer before its first byte leaves."""

    request_id: str
    model: str
    text: str
    reasoning: str
    finish_reason: str
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    timing: Timing
    seed: int

    def usage(self) -> dict[str, Any]:
        """The usage block; details are absent if there are none."""
        decoding = self.completion_tokens * self.timing.per_token_s
        block: dict[str, Any] = {
            "queue_time": self.timing.queue_s,
            "prompt_tokens": self.prompt_tokens,
            "prompt_time": self.timing.prompt_s,
            "completion_tokens": self.completion_tokens,
            "completion_time": decoding,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "total_time": self.timing.prompt_s + decoding,
        }
        if self.cached_tokens:
            block["prompt_tokens_details"] = {"cached_tokens": self.cached_tokens}
        if self.reasoning_tokens:
            block["completion_tokens_details"] = {"reasoning_tokens": self.reasoning_tokens}
        return block

    def _frame(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self.request_id[4:]}",
            "object": kind,
            "created": int(time.time()),
            "model": self.model,
            "system_fingerprint": "fp_simulated",
        }

    def completion(self) -> dict[str, Any]:
        """The body of an answer that is not streamed."""
        message = {"role": "assistant", "content": self.text}
        if self.reasoning:
            message["reasoning"] = self.reasoning
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}
        return self._frame("chat.completion") | {
            "choices": [choice],
            "usage": self.usage(),
            "usage_breakdown": None,
            "x_groq": {"id": self.request_id, "seed": self.seed},
            "service_tier": "on_demand",
        }

    def chunks(self, *, include_usage: bool, usage_in_x_groq: bool) -> Iterator[tuple[int, dict[str, Any]]]:
        """The chunks of a stream, each with the number of content tokens in it."""
        x_groq = {"id": self.request_id}
        yield 0, self._chunk({"role": "assistant", "content": ""}, x_groq=x_groq)
        if self.reasoning:
            yield 0, self._chunk({"reasoning": self.reasoning, "channel": "analysis"})
        rng, at = random.Random(self.seed), 0
        while at < len(self.text):
            count = rng.randint(1, 4)
            yield count, self._chunk({"content": self.text[at : at + 4 * count]})
            at += 4 * count
        last = x_groq | {"usage": self.usage()} if usage_in_x_groq else x_groq
        yield 0, self._chunk({}, finish_reason=self.finish_reason, x_groq=last)
        if include_usage:
            frame = self._frame("chat.completion.chunk")
            yield 0, frame | {"choices": [], "usage": self.usage(), "service_tier": "on_demand"}

    def stopped_chunk(self) -> dict[str, Any]:
        """The chunk sent when the provider gives up in the middle of a stream."""
        return self._chunk({}, x_groq={"id": self.request_id, "error": "over_capacity"})

    def _chunk(
        self, delta: dict[str, str], *, finish_reason: str | None = None, x_groq: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        extra = {"x_groq": x_groq} if x_groq else {}
        return self._frame("chat.completion.chunk") | {"choices": [choice]} | extra


def event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def request_id(rng: random.Random) -> str:
    """`req_` and a ULID."""
    return "req_01" + "".join(rng.choices(_ULID, k=24))
