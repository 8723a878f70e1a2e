"""Answers LiteLLM's Generic Guardrail API.

LiteLLM sends the messages of a request before the model is called, and afterwards the model's answer without the
messages. So the sources are stored in between, by the id of the call. During a stream LiteLLM repeatedly asks about the
whole text so far, so the decisions on its complete sentences are stored, too.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from api.answers.guarding import NO_SOURCES, Guard, Unverifiable
from api.schemas.formats.guard import GuardParameters, GuardrailAsked
from citewell_verify.answers.refusals import refusal_for
from clients.kept_sources import KeptSources, KeptUnavailable
from config.settings import Settings, settings
from db.session import current_tenant
from domain.answers.guarded_text import ClosedText, Policy, passed
from domain.answers.offered_sources import Offered, offered_sources, storable
from services.operations.workspaces import workspace_to_work_in

_ENDS = ".!?…。！？\"'”’)]`*|"
_NOT_KEPT = (
    "Citewell does not know the request's sources, or no longer: the guardrail's mode has to be [pre_call, post_call]."
)
_AWAY = "The sources of the request cannot be kept: the broker is away."
_NOTHING: Mapping[str, Any] = {"action": "NONE"}


async def asked_by_gateway(request: Request, asked: GuardrailAsked) -> Mapping[str, Any]:
    """Return the decision on the request or the answer, as GuardrailAnswered. Raises WorkspaceForbidden,
    WorkspaceNotFound."""
    named = asked.additional_provider_specific_params or GuardParameters()
    # Before the model is called, and whatever the policy: no answer may pass because there is no workspace to check it
    # in.
    home = await run_in_threadpool(workspace_to_work_in, named.workspace)
    policy = policy_of(settings(), named)
    # The id of the call comes from the gateway, so the key is made unique: no gateway finds the sources of another.
    gateway = f"{current_tenant()}:{getattr(request.state, 'key_id', '')}"
    kept = KeptSources(settings().redis_url.get_secret_value(), gateway, settings().guard.keep_s)
    tools = settings().guard.source_tools if named.source_tools is None else named.source_tools
    attached = settings().guard.attached_texts if named.attached_texts is None else named.attached_texts
    sources = offered_sources(asked.structured_messages or [], tools=tools, attached=attached)
    try:
        if asked.input_type == "request":
            if asked.litellm_call_id:
                told = {"sources": [offered.as_json() for offered in sources], "passed": dict[str, list[str]]()}
                await kept.keep(asked.litellm_call_id, told)
            return _NOTHING
        if not asked.texts:
            return _NOTHING
        read = await kept.read(asked.litellm_call_id) if asked.litellm_call_id else None
        if read is None and not sources and named.workspace is None:
            return _blocked(_NOT_KEPT) if policy.on_unchecked == "block" else _NOTHING
        state = read or {"sources": [], "passed": {}}
        guard = Guard(
            request,
            home,
            [*(Offered(**offered) for offered in state["sources"]), *sources],
            policy,
            named.workspace,
            asked.litellm_call_id,
        )
        return await _answer(guard, asked, kept, state)
    except Unverifiable as error:
        return _blocked(str(error))
    except KeptUnavailable:
        return _blocked(_AWAY) if policy.on_unchecked == "block" else _NOTHING


def policy_of(configured: Settings, named: GuardParameters | None = None) -> Policy:
    guard = configured.guard
    policy = Policy(guard.on_failure, guard.on_unchecked, guard.without_sources)
    asked = (
        named.model_dump(include={"on_failure", "on_unchecked", "without_sources"}, exclude_none=True) if named else {}
    )
    return replace(policy, **asked)


async def _answer(guard: Guard, asked: GuardrailAsked, kept: KeptSources, state: dict[str, Any]) -> Mapping[str, Any]:
    texts = [storable(text) for text in asked.texts or []]
    if guard.lets_all_through:
        return _NOTHING
    if not guard.sources and guard.workspace is None:
        return _blocked(NO_SOURCES)
    rounds = await asyncio.gather(
        *(_Round(guard, text, state["passed"].get(str(number))).run() for number, text in enumerate(texts))
    )
    if reason := next((ended.blocked for ended in rounds if ended.blocked), None):
        return _blocked(reason)
    if asked.litellm_call_id and any(ended.closed[0] for ended in rounds):
        state["passed"] = {str(number): ended.closed for number, ended in enumerate(rounds)}
        await kept.keep(asked.litellm_call_id, state)
    changed = [ended.text for ended in rounds] != list(asked.texts or [])
    return {
        "action": "GUARDRAIL_INTERVENED" if changed else "NONE",
        "texts": [ended.text for ended in rounds],
        "stream_holdback_chars": [ended.held for ended in rounds],
    }


class _Round:
    """One text as far as the model has written it: the part of it that passes, and how much of that may still
    change."""

    def __init__(self, guard: Guard, given: str, before: list[str] | None) -> None:
        self._guard, self._given = guard, given
        self.closed: list[str] = before if before and given.startswith(before[0]) else ["", ""]
        """The sentences that more text does not change, as given and as passed."""
        self.text, self.held = "", 0
        self.blocked: str | None = None

    async def run(self) -> "_Round":
        read, before = self.closed
        rest = self._given[len(read) :]
        pieces = await self._guard.check(rest)
        end = ClosedText(max(1, len(self._guard.sources))).read(rest)
        closed = [piece for piece in pieces if piece.end <= end]
        tail = pieces[len(closed) :]
        self.blocked = next((piece.blocked for piece in closed if piece.blocked), None)
        # The rest of a sentence may still change its meaning, so an unfinished sentence is held back and not blocked.
        if self.blocked is None and rest.rstrip().endswith(tuple(_ENDS)):
            self.blocked = next((piece.blocked for piece in tail if piece.blocked), None)
        if closed:
            self.closed = [read + rest[: closed[-1].end], before + passed(closed)]
        text = self.closed[1] + passed(tail)
        self.held = len(passed(tail))
        if not any(map(str.isalnum, text)) and any(map(str.isalnum, self._given)):
            text = refusal_for(self._given)
            self.held = len(text)
        self.text = text
        return self


def _blocked(reason: str) -> Mapping[str, Any]:
    return {"action": "BLOCKED", "blocked_reason": reason}
