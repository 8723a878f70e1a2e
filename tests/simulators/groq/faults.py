"""Faults on demand: scripted in sequence, by probability, or for matching prompts."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from tests.simulators.groq import errors


class FaultKind(StrEnum):
    """The possible faults of a call."""

    RATE_LIMITED = "rate_limited"
    OUTPUT_TOO_LARGE = "output_too_large"
    TOO_LARGE = "too_large"
    CAPACITY = "capacity"
    CANCELLED = "cancelled"
    UNAVAILABLE = "unavailable"
    SERVER_ERROR = "server_error"
    JSON_VALIDATE_FAILED = "json_validate_failed"
    HALLUCINATION = "hallucination"
    MODEL_NOT_FOUND = "model_not_found"
    MODEL_DECOMMISSIONED = "model_decommissioned"
    FORBIDDEN = "forbidden"
    SPEND_CAP = "spend_cap"
    NO_CREDIT = "no_credit"  # OpenAI's, which is a 429
    BAD_GATEWAY = "bad_gateway"  # a proxy's HTML page with status 502
    HTML = "html"  # the same with status 200
    HANG = "hang"
    DRIP = "drip"  # a byte now and then, for ever
    RESET = "reset"  # RST in the middle
    CUT = "cut"  # the stream, or the connection, ends cleanly in the middle
    BAD_JSON = "bad_json"  # half of the body, with status 200 and the right length
    NO_CHOICES = "no_choices"
    STREAM_ERROR = "stream_error"  # x_groq.error
    ERROR_EVENT = "error_event"  # a data chunk with `error`
    LENGTH = "length"
    EMPTY = "empty"
    WRONG_SCHEMA = "wrong_schema"
    LOOSE = "loose"  # truth values and numbers as strings
    NUL = "nul"  # a NUL character in the text
    LYING = "lying"  # fits the schema, but quotes and verdicts are wrong
    MIXED_UP = "mixed_up"  # of several items in one reply the first has an unknown id, and the second comes twice
    OBEYING = "obeying"  # says "supported", with `quote`, whenever a source tells it to
    BELIEVING = "believing"  # the same, regardless of the sources
    ECHO = "echo"  # 400 whose message is `quote`
    ECHO_500 = "echo_500"
    TELLING = "telling"  # a good reply with `usage` as its usage, or with `headers`
    HUGE = "huge"  # a good reply, and 10 MB of blanks, which both JSON and text may end with
    ENDLESS = "endless"  # the same without an end
    SAYING = "saying"  # says `quote`; when streamed, up to its middle, and the rest when it is told to go on


UNBILLED = {FaultKind.HTML: 200, FaultKind.BAD_GATEWAY: 502}
"""A proxy's answers with their status; the model never saw the call."""


class Fault(BaseModel):
    """Hits a call whose prompt kind, model id or text contains `match`, with `probability`, at most `times` times."""

    model_config = ConfigDict(extra="forbid")

    kind: FaultKind
    match: str = ""
    probability: float = 1.0
    times: int | None = 1
    retry_after: float | None = None
    usage: Any = None
    headers: dict[str, str] = {}
    pause_s: float = 0.02  # between two bytes of a drip
    quote: str = (
        ""  # what an obeying or believing model quotes: see `obeying.quoted`; what a saying or refused one says
    )


@dataclass(slots=True)
class FaultPlan:
    """The faults in force; each call gets the first that matches."""

    seed: int
    faults: list[Fault] = field(default_factory=list[Fault])
    _rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    def take(self, kind: str, model: str, text: str) -> Fault | None:
        """Use up and return the fault for this call, if any."""
        for fault in self.faults:
            hit = fault.times != 0 and fault.match in f"{model}\n{kind}\n{text}"
            if hit and self._rng.random() < fault.probability:
                fault.times = None if fault.times is None else fault.times - 1
                return fault
        return None


def refusal(fault: Fault, model: str, org: str) -> errors.ApiError | None:
    """The error answer of `fault`, or None if it spoils the answer in another way."""
    if fault.kind is FaultKind.RATE_LIMITED:
        after = None if fault.retry_after is None else f"{fault.retry_after:g}"
        message = f"Rate limit reached for model `{model}` in organization `{org}` on tokens per minute (TPM)."
        return errors.rate_limited(message, "tokens", after)
    if fault.kind in (FaultKind.ECHO, FaultKind.ECHO_500):
        return errors.ApiError(400 if fault.kind is FaultKind.ECHO else 500, fault.quote, failed_generation=fault.quote)
    if fault.kind is FaultKind.JSON_VALIDATE_FAILED:
        return errors.json_validate_failed(fault.quote)
    make = _REFUSALS.get(fault.kind)
    return make(model, org) if make else None


_REFUSALS: dict[FaultKind, Callable[[str, str], errors.ApiError]] = {
    FaultKind.OUTPUT_TOO_LARGE: lambda model, org: errors.output_too_large(model, org, 1000, 2000),
    FaultKind.TOO_LARGE: lambda model, org: errors.too_large(model, org, "tokens per minute (TPM)", 8000, 8590),
    FaultKind.CAPACITY: lambda _model, _org: errors.capacity_exceeded(),
    FaultKind.CANCELLED: lambda _model, _org: errors.cancelled(),
    FaultKind.UNAVAILABLE: lambda _model, _org: errors.unavailable(),
    FaultKind.SERVER_ERROR: lambda _model, _org: errors.internal(),
    FaultKind.HALLUCINATION: lambda _model, _org: errors.hallucination(),
    FaultKind.MODEL_NOT_FOUND: lambda model, _org: errors.model_not_found(model),
    FaultKind.MODEL_DECOMMISSIONED: lambda model, _org: errors.model_decommissioned(model),
    FaultKind.FORBIDDEN: lambda model, _org: errors.forbidden(model),
    FaultKind.SPEND_CAP: lambda _model, _org: errors.spend_cap(),
    FaultKind.NO_CREDIT: lambda _model, _org: errors.no_credit(),
}
