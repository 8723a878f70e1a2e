"""The provider behind the wire: accounts, limits, faults, the ledger, and the generation of answers."""

import json
import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.simulators.groq import errors, mind, obeying
from tests.simulators.groq.calls import Call, count_tokens, read_call
from tests.simulators.groq.catalogue import GONE, MODELS, ModelSpec, reasoning_tokens
from tests.simulators.groq.faults import UNBILLED, Fault, FaultKind, FaultPlan, refusal
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.ledger import Entry, Ledger
from tests.simulators.groq.limits import Limits, Meter
from tests.simulators.groq.wire import Answer, request_id

_CACHE_BLOCK = 128
_BARE_VALUE = re.compile(r"(?<=: )(?:true|false|[\d.]+)(?=[,}])")


@dataclass(frozen=True, slots=True)
class Account:
    """The owner of a key, and that organisation's limits for each model."""

    org: str
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Prepared:
    """An answer and the way to spoil it."""

    answer: Answer
    call: Call
    entry: Entry
    fault: Fault | None
    meter: Meter
    reserved: int

    def spoilt_by(self, *kinds: FaultKind) -> bool:
        return self.fault is not None and self.fault.kind in kinds


@dataclass(slots=True)
class Provider:
    """One simulated provider; `cached_tokens` switches on its prompt cache, which serves beginnings of at least
    `least_cached` tokens."""

    accounts: Mapping[str, Account]
    seed: int = 0
    gone: frozenset[str] = GONE
    latency: LatencyModel = field(default_factory=LatencyModel)
    cached_tokens: bool = False
    least_cached: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    plan: FaultPlan = field(init=False)
    peak_in_flight: int = 0
    _in_flight: int = 0
    _meters: dict[tuple[str, str], Meter] = field(default_factory=dict[tuple[str, str], Meter])
    _seen: Counter[str] = field(default_factory=Counter[str])
    _cache: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])

    def __post_init__(self) -> None:
        self.plan = FaultPlan(self.seed)

    @property
    def served(self) -> dict[str, ModelSpec]:
        """The models that currently exist."""
        return {name: spec for name, spec in MODELS.items() if name not in self.gone}

    def reset(self) -> None:
        """Forget every call, fault and reservation."""
        self.ledger.entries.clear()
        self.plan.faults.clear()
        self._meters.clear()
        self._seen.clear()
        self._cache.clear()
        self.peak_in_flight = 0

    def account(self, authorization: str) -> Account:
        """The account of an Authorization header. Raises ApiError 401."""
        account = self.accounts.get(authorization.removeprefix("Bearer "))
        if account is None:
            raise errors.wrong_key()
        return account

    def meter(self, org: Account, model: str) -> Meter:
        """The limits of one organisation for one model."""
        return self._meters.setdefault((org.org, model), Meter(org.org, model, org.limits))

    def enter(self) -> None:
        self._in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self._in_flight)

    def leave(self) -> None:
        self._in_flight -= 1

    def prepare(self, account: Account, raw: bytes) -> Prepared:
        """Decide the whole answer and record it in the ledger. Raises ApiError, which is recorded, too."""
        call = read_call(raw, MODELS)
        self._seen[call.digest] += 1
        rng = random.Random(f"{self.seed}:{call.digest}:{self._seen[call.digest]}")
        entry = Entry(
            id=request_id(rng),
            org=account.org,
            model=call.request.model,
            kind=mind.kind_of(call),
            prompt_hash=call.digest,
            stream=call.request.stream,
            status=200,
            billed=False,
        )
        self.ledger.entries.append(entry)
        try:
            return self._answered(account, call, entry, rng)
        except errors.ApiError as error:
            entry.status = error.status
            error.headers = {"x-request-id": entry.id} | error.headers
            raise

    def _answered(self, account: Account, call: Call, entry: Entry, rng: random.Random) -> Prepared:
        if entry.model in self.gone:
            raise errors.model_not_found(entry.model)
        fault = self.plan.take(entry.kind, entry.model, f"{call.system}\n{call.user}")
        entry.fault = fault.kind if fault else ""
        if fault and (error := refusal(fault, entry.model, account.org)):
            raise error
        meter = self.meter(account, entry.model)
        reserved = call.prompt_tokens + call.max_tokens
        try:
            meter.admit(reserved)
        except errors.ApiError as error:
            error.headers |= meter.headers()
            raise
        try:
            answer = self._answer(account, call, entry, fault, rng)
        except errors.ApiError as error:
            error.headers |= meter.headers()
            meter.settle(reserved, 0)
            raise
        if fault and fault.kind in UNBILLED:
            entry.status = UNBILLED[fault.kind]
        else:
            entry.billed = True
            entry.prompt_tokens, entry.completion_tokens = answer.prompt_tokens, answer.completion_tokens
            entry.cached_tokens, entry.reasoning_tokens = answer.cached_tokens, answer.reasoning_tokens
        return Prepared(answer, call, entry, fault, meter, reserved)

    def _answer(self, account: Account, call: Call, entry: Entry, fault: Fault | None, rng: random.Random) -> Answer:
        kind = fault.kind if fault else None
        text = _spoilt(kind, mind.think(call, lying=kind is FaultKind.LYING))
        if fault and kind is FaultKind.SAYING:
            text = fault.quote
        if fault and kind in (FaultKind.OBEYING, FaultKind.BELIEVING):
            text = obeying.persuaded(text, call, fault.quote, always=kind is FaultKind.BELIEVING)
        thinking = reasoning_tokens(call.spec, call.request.reasoning_effort)
        writing = count_tokens(text)
        room = max(0, call.max_tokens - thinking)
        if kind is FaultKind.LENGTH:
            room = min(room, writing // 2)
        if writing > room:
            if call.schema and kind is not FaultKind.LENGTH:
                raise errors.json_validate_failed("")
            text = text.encode()[: 4 * room].decode(errors="ignore")
        cached = self._cached(account, call)
        return Answer(
            request_id=entry.id,
            model=entry.model,
            text=text,
            reasoning="We look at the sources." if thinking else "",
            finish_reason="length" if writing > room else "stop",
            prompt_tokens=call.prompt_tokens,
            cached_tokens=cached,
            completion_tokens=min(thinking, call.max_tokens) + min(writing, room),
            reasoning_tokens=min(thinking, call.max_tokens),
            timing=self.latency.draw(rng, call.spec, uncached=call.prompt_tokens - cached, reasoning=thinking),
            seed=rng.randrange(2**31),
        )

    def has_read(self, prepared: Prepared) -> None:
        """Cache the beginnings of the prompt: later calls find them, calls already in flight do not."""
        if self.cached_tokens and prepared.call.spec.caches:
            self._cache |= _beginnings(prepared.entry.org, prepared.call)

    def _cached(self, account: Account, call: Call) -> int:
        """Prompt tokens served from the prefix cache: the whole blocks, from the first on, that an earlier call to
        this model also began with."""
        if not self.cached_tokens:
            return 0
        cached = len(_beginnings(account.org, call) & self._cache) * _CACHE_BLOCK
        return cached if cached >= self.least_cached else 0


def _beginnings(org: str, call: Call) -> set[tuple[str, str, str]]:
    return {(org, call.request.model, prefix) for prefix in call.prefixes(_CACHE_BLOCK)}


def _spoilt(kind: FaultKind | None, text: str) -> str:
    if kind is FaultKind.EMPTY:
        return ""
    if kind is FaultKind.WRONG_SCHEMA:
        return '{"verdict": "fine"}'
    if kind is FaultKind.MIXED_UP:
        return _mixed_up(text)
    if kind is FaultKind.NUL:
        # Escaped, in the first text of a reply in JSON; in prose as it is.
        has_text = text.startswith("{") and '": "' in text
        return text.replace('": "', '": "\\u0000', 1) if has_text else f"{text[:9]}\0{text[9:]}"
    if kind is FaultKind.LOOSE:
        return _BARE_VALUE.sub(r'"\g<0>"', text)
    return text


def _mixed_up(text: str) -> str:
    """Mix up replies that list items with ids; others stay as they are."""
    told: dict[str, Any] = json.loads(text)
    for name in told.keys() & {"scores", "verdicts"}:
        items: list[dict[str, Any]] = told[name]
        told[name] = [{**items[0], "id": "none"}, *items[1:2], *items[1:]]
    return json.dumps(told, ensure_ascii=False)
