"""Accepts a question: checks it, resolves its options, stores it; and returns the requested options of a stored one.
Nothing is computed here.

The requested options are stored beside the resolved ones, which also contain values of the configuration and the
workspace. These may have changed when the question is asked again, and then their new values apply.
"""

import unicodedata
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel
from sqlalchemy.orm import Session

from citewell_verify.answers.refusals import RefusalLanguage
from citewell_verify.errors import BadInput
from citewell_verify.prompting.batched_items import MOST_CHUNKS, MOST_STATEMENTS
from clients.telemetry import tracing
from clients.webhooks.addresses import check_url
from config.settings import Settings
from db.models import Workspace
from db.queries.access.idempotency import Repeatable, reserve_key
from db.queries.access.workspaces import get_open_workspace, require_access
from db.queries.documents.spaces import space_of
from db.queries.runs.queries import add_query
from db.queries.runs.responses import add_response
from db.queries.verifications.external_sources import add_given_sources
from db.session import transaction
from domain.errors.requests import AnswerSchemaInvalid, ModelNotAllowed, QuestionInvalid
from domain.errors.state import EmbeddingsDiffer
from domain.objects.schema import checked_schema
from domain.query.conversation import Turn
from domain.query.options import (
    DocumentFilter,
    GraphMode,
    Preset,
    QueryOptions,
    RunKind,
    WorkspaceSettings,
    parse_mode,
    rules_of,
)
from domain.query.workspace_rules import Instructions, ReviewRules, refusal_of, strictest
from services.core.call_ledger import requester_columns
from services.webhooks.outbox import address_policy

Json = dict[str, Any]
T = TypeVar("T")

_STATEMENTS_PER_TASK = 3 * MOST_STATEMENTS
"""In the `cheap` preset: more statements than fit into one call, so that those about the same source can be grouped."""

_MERGED_TOP_K = 5
"""S3.1: the fewest passages to write from, where several searches are merged."""

_STATEMENTS_APART_PER_TASK = 4
"""In the `standard` preset: each statement has a model call of its own."""


@dataclass(frozen=True, slots=True)
class NewQuery:
    """A submitted question; None means: as configured."""

    question: str
    workspace: str = "default"
    workspaces: tuple[str, ...] = ()
    """All workspaces to search, in place of `workspace`; the settings of the first one apply."""
    mode: str | None = None
    preset: Preset | None = None
    model: str | None = None
    fast_model: str | None = None
    run: RunKind = "structured"
    multi_query: int | None = None
    method: Literal["vector", "hybrid"] | None = None
    graph: GraphMode | None = None
    k: int | None = None
    filter: DocumentFilter | None = None
    context_tokens: int | None = None
    top_k: int | None = None
    enable_verification: bool | None = None
    show_claims: bool | None = None
    citation_confidence: float | None = None
    confidence_threshold: float | None = None
    max_crag_attempts: int | None = None
    repair: Literal["full", "citations", "off"] | None = None
    source_scoring: bool | None = None
    scores_sources: bool = False
    """S5.2: whether source scoring applies where neither the request nor the configuration decides it."""
    max_sources: int | None = None
    min_relevance: float | None = None
    min_excerpt_length: int | None = None
    refusal_language: RefusalLanguage | None = None
    instructions: Instructions = field(default_factory=Instructions)
    """Fields that are set here take precedence over the workspace's."""
    answer_schema: dict[str, Any] | None = None
    """The JSON Schema of the object to answer with; an empty one asks for none, even where the workspace has one."""
    conversation: tuple[Turn, ...] = ()
    """The earlier turns of the conversation."""
    review: ReviewRules = field(default_factory=ReviewRules)
    """The rules of the workspaces; requests cannot set them."""
    sources: tuple[dict[str, Any], ...] = ()
    """The texts that came with the question, from `given_rows`; they are then its only sources."""
    beside: dict[str, Any] | None = None
    """The further fields of a client of the Responses API; the question is then a response, which can be read and
    followed."""
    callback_url: str | None = None
    deadline_s: float | None = None
    max_cost_usd: float | None = None


# The options of a request by name, and those of its groups; the fields of `NewQuery` have the same names.
_AT_THE_TOP = (
    *("mode", "preset", "model", "run", "enable_verification", "refusal_language", "instructions", "answer_schema"),
    *("deadline_s", "max_cost_usd"),
)
_BELOW = {
    "retrieval": ("method", "k", "filter", "multi_query", "graph"),
    "rerank": ("top_k", "context_tokens", "source_scoring", "max_sources", "min_relevance", "min_excerpt_length"),
    "verification": ("show_claims", "confidence_threshold", "max_crag_attempts", "repair"),
}


def as_request(new: NewQuery) -> Json:
    """Return the requested options of `POST /v1/queries`, without the question, its place and its callback."""

    def plain(name: str) -> Any:
        value = getattr(new, name)
        return value.model_dump(mode="json", exclude_unset=True) if isinstance(value, BaseModel) else value

    said = {name: plain(name) for name in _AT_THE_TOP}
    said |= {group: _said({name: plain(name) for name in names}) for group, names in _BELOW.items()}
    return {name: value for name, value in _said(said).items() if value != {} or name == "answer_schema"}


def _said(values: Json) -> Json:
    return {name: value for name, value in values.items() if value is not None}


class Submitted(NamedTuple):
    """The stored query; `repeated` when an earlier request with the same Idempotency-Key had stored it."""

    query_id: uuid.UUID
    repeated: bool


def submit_query(new: NewQuery, settings: Settings) -> uuid.UUID:
    """Store the query and return its id; the caller then publishes it.

    Raises QuestionInvalid, ModeUnknown, ModelNotAllowed, AnswerSchemaInvalid, WebhookUrlInvalid, AddressForbidden,
    WorkspaceNotFound, WorkspaceForbidden, WorkspaceDeleting, DatabaseUnavailable.
    """
    return submit_once(new, settings, None).query_id


def submit_once(new: NewQuery, settings: Settings, request: Repeatable | None) -> Submitted:
    """Store the query as `submit_query` does, once for all requests with one Idempotency-Key.

    Raises the errors of `submit_query`, and IdempotencyKeyReused.
    """
    checked = check(new, settings)
    query_id = uuid.uuid4()
    with transaction() as session:
        require_access(session, asked_workspaces(checked))
        if request is not None and (first := reserve_key(session, request, query_id)) != query_id:
            return Submitted(first, repeated=True)
        store(session, query_id, checked, settings)
    return Submitted(query_id, repeated=False)


def check(new: NewQuery, settings: Settings) -> NewQuery:
    """Return the question as it is stored. Raises the errors of `submit_query`, except for those that only the database
    shows."""
    question = checked_question(new.question, settings.question_max_chars)
    parse_mode(new.mode)
    check_models((new.model, new.fast_model), settings)
    if new.callback_url is not None:
        check_url(new.callback_url, address_policy(settings.webhooks))
    return replace(new, question=question)


def store(
    session: Session, query_id: uuid.UUID, checked: NewQuery, settings: Settings, *, is_thread: bool = True
) -> None:
    """Accept a checked question within the caller's transaction; options that it leaves open are taken from its
    workspace. A question in a conversation is no thread of its own.

    Raises WorkspaceNotFound, WorkspaceForbidden, WorkspaceDeleting, EmbeddingsDiffer, ModelNotAllowed.
    """
    workspace, *others = open_workspaces(session, asked_workspaces(checked))
    configured = [WorkspaceSettings.stored(space.settings) for space in (workspace, *others)]
    asked = replace(with_defaults(checked, configured[0]), review=strictest(space.review for space in configured))
    options = options_over([workspace.id, *(searched.id for searched in others)], asked, settings)
    add_query(
        session,
        workspace.id,
        query_id=query_id,
        question=asked.question,
        mode=parse_mode(asked.mode).value,
        provider=settings.provider,
        options=options.model_copy(update={"request": as_request(checked)}).model_dump(mode="json"),
        callback_url=asked.callback_url,
        traceparent=tracing.traceparent(),
        is_thread=is_thread,
        **requester_columns(session),
    )
    if checked.sources:
        add_given_sources(session, [{**row, "query_id": query_id} for row in checked.sources])
    if checked.beside is not None:
        add_response(session, query_id, checked.beside)


def asked_workspaces(new: NewQuery) -> tuple[str, ...]:
    return new.workspaces or (new.workspace,)


def open_workspaces(session: Session, names: Iterable[str]) -> list[Workspace]:
    """Return the workspaces with these names, each once. Raises EmbeddingsDiffer when they cannot be searched
    together."""
    workspaces = [get_open_workspace(session, name) for name in dict.fromkeys(names)]
    spaces = (
        {workspace.name: space_of(session, workspace.id) for workspace in workspaces} if len(workspaces) > 1 else {}
    )
    models = {name: f"{space.model} ({space.dimension})" for name, space in spaces.items() if space is not None}
    if len(set(models.values())) > 1:
        conflicting = ", ".join(f"{name} those of {model}" for name, model in models.items())
        raise EmbeddingsDiffer(
            f"These workspaces cannot be searched together, because they have vectors of different embedding models: "
            f"{conflicting}. `citewell reembed` changes the model of a workspace."
        )
    return workspaces


def options_over(workspaces: Sequence[int], asked: NewQuery, settings: Settings) -> QueryOptions:
    options = resolve_options(asked, settings)
    if asked.sources:
        named = tuple(row["title"] for row in asked.sources)
        return options.model_copy(update={"given_sources": named, "graph_mode": "naive"})
    if len(workspaces) == 1:
        return options
    if asked.graph not in (None, "naive"):
        raise BadInput("The knowledge graph is of one workspace; ask one, or leave out `retrieval.graph`.")
    return options.model_copy(update={"workspaces": tuple(workspaces), "graph_mode": "naive"})


def with_defaults(new: NewQuery, workspace: WorkspaceSettings) -> NewQuery:
    given = new.instructions.model_dump(exclude_unset=True)
    return replace(
        new,
        mode=new.mode or workspace.mode,
        preset=new.preset or workspace.preset,
        model=new.model or workspace.models.main,
        fast_model=new.fast_model or workspace.models.fast,
        instructions=workspace.instructions.model_copy(update=given),
        answer_schema=workspace.answer_schema if new.answer_schema is None else new.answer_schema,
        review=workspace.review,
    )


def checked_question(question: str, max_chars: int) -> str:
    """Return the question without surrounding space. Raises QuestionInvalid, which says what to change."""
    text = unicodedata.normalize("NFC", question).strip()
    if not any(character.isalnum() for character in text):
        raise QuestionInvalid
    if len(text) > max_chars:
        raise QuestionInvalid(f"The question has {len(text)} characters; the limit is {max_chars}. Ask a shorter one.")
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t\r" for character in text):
        raise QuestionInvalid("The question contains control characters; send plain text.")
    return text


def resolve_options(new: NewQuery, settings: Settings) -> QueryOptions:
    """Resolve every setting that shapes the result: request beats environment beats file beats default."""
    rules = rules_of(parse_mode(new.mode))
    check_models((new.model, new.fast_model), settings)
    checks = settings.verification
    verification = _or(new.enable_verification, settings.verification_enabled)
    preset = new.preset or settings.sharing
    # S5.2: a request that sets one of the parameters wants the scoring that they belong to.
    is_parametrised = any(value is not None for value in (new.max_sources, new.min_relevance, new.min_excerpt_length))
    source_scoring = True if new.source_scoring is None and is_parametrised else new.source_scoring
    # A call can be shared only within a task.
    chunks, statements = (MOST_CHUNKS, _STATEMENTS_PER_TASK) if preset == "cheap" else (1, 1)
    return QueryOptions(
        preset=preset,
        model=new.model,
        # The offline provider has no models to choose from, and its verdicts have the name of its own rules.
        judge_model=None if settings.provider == "offline" else new.fast_model,
        model_choice=settings.model_choice,
        retrieval_method=new.method or settings.retrieval.method,
        k=new.k or settings.retrieval.k,
        filter=new.filter,
        dense_weight=settings.retrieval.dense_weight,
        context_tokens=new.context_tokens or settings.rerank.context_tokens,
        top_k=new.top_k or settings.rerank.top_k,
        rerank_batch=max(settings.rerank.batch, chunks),
        min_evidence_score=checks.min_evidence_score,
        verify_answer=rules.verify_answer and verification,
        verification=verification,
        check_batch=max(_STATEMENTS_APART_PER_TASK, statements),
        weight_alignment=checks.weight_alignment,
        weight_coverage=checks.weight_coverage,
        weight_facts=checks.weight_facts,
        alignment_threshold=checks.alignment_threshold,
        coverage_threshold=checks.coverage_threshold,
        facts_threshold=checks.facts_threshold,
        citation_confidence=_or(new.citation_confidence, checks.citation_confidence),
        span_min_chars=checks.span_min_chars,
        span_max_chars=checks.span_max_chars,
        show_claims=_or(new.show_claims, checks.show_claims),
        confidence_threshold=_or(new.confidence_threshold, checks.confidence_threshold),
        max_crag_attempts=_or(new.max_crag_attempts, checks.max_crag_attempts),
        repair=new.repair or checks.repair,
        source_scoring=_or(source_scoring, _or(settings.rerank.source_scoring, new.scores_sources)),
        max_sources=new.max_sources or new.top_k or settings.rerank.max_sources,
        min_relevance=_or(new.min_relevance, settings.rerank.min_relevance),
        min_excerpt_length=_or(new.min_excerpt_length, settings.rerank.min_excerpt_length),
        second_pass_k=rules.second_pass_k,
        graph_mode=new.graph or settings.retrieval.graph,
        merged_top_k=max(_MERGED_TOP_K, new.top_k or settings.rerank.top_k),
        run=new.run,
        multi_query=_or(new.multi_query, settings.retrieval.multi_query),
        refusal_language=new.refusal_language or checks.refusal_language,
        refusal=None if new.refusal_language else refusal_of(new.instructions),
        instructions=new.instructions,
        answer_schema=_answer_schema(new.answer_schema, settings, verification=verification),
        conversation=new.conversation,
        review=new.review,
        max_searches=settings.agentic.max_searches,
        deadline_s=_or(new.deadline_s, settings.budget.deadline_s),
        max_cost_usd=_or(new.max_cost_usd, settings.budget.max_cost_usd),
    )


def _answer_schema(schema: dict[str, Any] | None, settings: Settings, *, verification: bool) -> dict[str, Any] | None:
    if not schema:
        return None
    check_answer_schema(schema, settings)
    if not verification:
        raise AnswerSchemaInvalid("An answer by a schema is made from verified sentences; leave the verification on.")
    return schema


def check_answer_schema(schema: dict[str, Any] | None, settings: Settings) -> None:
    """Raise AnswerSchemaInvalid for a schema that no answer can follow."""
    if schema and settings.provider == "offline":
        raise AnswerSchemaInvalid(
            "An answer by a schema needs a language model, and the provider is `offline`. `citewell models use` sets "
            "one up; `json_object` in chat completions works without."
        )
    if schema:
        checked_schema(schema)


def check_models(names: Iterable[str | None], settings: Settings) -> None:
    """Raise ModelNotAllowed for a model that is not configured."""
    catalogue = settings.models.catalogue
    if unknown := next((name for name in names if name is not None and name not in catalogue), None):
        allowed = ", ".join(sorted(catalogue))
        raise ModelNotAllowed(f"The model {unknown!r} is not configured; use one of {allowed}.")


def _or(asked: T | None, configured: T) -> T:
    return configured if asked is None else asked
