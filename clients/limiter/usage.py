"""Reads the used part of the shared allowance without changing it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from clients.limiter.request import KINDS, Kind, configured
from clients.limiter.shared import account_of, key_of
from config.settings import Settings

_TIMEOUT_S = 1.0

_LOOK = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local found = {}
for nth, key in ipairs(KEYS) do
  local packed = redis.call('GET', key)
  if packed then
    local state = cmsgpack.unpack(packed)
    local waiting, held = 0, 0
    for _, place in pairs(state.line) do if place.alive > now then waiting = waiting + 1 end end
    for _, lease in pairs(state.held) do if lease.ends > now then held = held + 1 end end
    found[#found + 1] = {nth = nth, level = state.level, told = state.told, for_s = now - state.at, waiting = waiting,
                         held = held, refusing = state.not_before > now}
  end
end
return cjson.encode(found)
"""


@dataclass(frozen=True, slots=True)
class Use:
    """Use of one model: the used share of each limit (1 is all of it), the limits, and the numbers of waiting calls and
    of calls in flight.

    `refusing`: the server has refused a call, and nothing is sent for the time that it named.
    """

    model: str
    used: Mapping[Kind, float]
    limits: Mapping[Kind, float]
    waiting: int
    in_flight: int
    refusing: bool


def read_uses(settings: Settings) -> Sequence[Use]:
    """The use of every model of the catalogue that was called lately; empty without limits, and when Redis is down."""
    if settings.provider == "offline":
        return ()
    models: list[str] = sorted(settings.models.catalogue)
    account = account_of(settings.provider_key, settings.provider_url)
    keys = [key_of(account, model) for model in models]
    url = settings.redis_url.get_secret_value()
    try:
        with Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, socket_connect_timeout=_TIMEOUT_S, socket_timeout=_TIMEOUT_S
        ) as redis:
            reply: Any = redis.eval(_LOOK, len(keys), *keys)  # pyright: ignore[reportUnknownMemberType]
    except (RedisError, OSError):
        return ()
    # An empty Lua table is encoded as an empty object.
    states: list[dict[str, Any]] = json.loads(reply) or []
    return [_use(models[int(state["nth"]) - 1], state, settings) for state in states]


def _use(model: str, state: Mapping[str, Any], settings: Settings) -> Use:
    limits: dict[Kind, float] = {**configured(settings.models.catalogue[model].limits), **dict(state["told"] or {})}
    used: dict[Kind, float] = {
        kind: max(0.0, state["level"].get(kind, 0.0) - state["for_s"] * limit / KINDS[kind]) / limit
        for kind, limit in limits.items()
        if limit
    }
    return Use(model, used, limits, state["waiting"], state["held"], state["refusing"])
