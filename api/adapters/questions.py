"""Converts the seeds' requests to Citewell's questions; their "I don't know" is the seeds' English sentence (S3.4)."""

from typing import cast, get_args

from api.schemas.formats.citations import StreamAsk
from api.schemas.formats.seeds import AgentAsk, ChatAsk, RagAsk, VerifiedAsk
from domain.errors.requests import ModeUnknown
from domain.query.options import GraphMode, Mode, RunKind, parse_mode
from services.queries.submission import NewQuery

_GRAPH_MODES: tuple[str, ...] = get_args(GraphMode)


def of_rag(asked: RagAsk) -> NewQuery:
    """S1.7, S1.8."""
    return NewQuery(
        asked.query,
        workspace=asked.workspace,
        enable_verification=asked.enable_verification,
        refusal_language="en",
    )


def of_chat(asked: ChatAsk) -> NewQuery:
    """S2.4: without corrective retrieval there are no rounds, whatever number of rounds the request allows."""
    return NewQuery(
        asked.prompt,
        workspace=asked.workspace,
        model=asked.model,
        enable_verification=asked.enable_verification,
        show_claims=asked.show_claims,
        confidence_threshold=asked.confidence_threshold,
        max_crag_attempts=0 if asked.enable_crag is False else asked.max_crag_attempts,
        refusal_language="en",
    )


def of_agent(asked: AgentAsk, run: RunKind = "structured") -> NewQuery:
    """S3.5, S3.6."""
    return NewQuery(
        asked.question, workspace=asked.workspace, mode=asked.inference_mode, run=run, refusal_language="en"
    )


def of_stream(asked: StreamAsk) -> NewQuery:
    """S4.3; S4.5: retrieve 20 passages and show the model the best 10 of them that fit into the budget."""
    return NewQuery(asked.query, workspace=asked.workspace, k=20, top_k=10, refusal_language="en")


def of_verified(asked: VerifiedAsk) -> NewQuery:
    """S5.6: `mode` is either a graph mode (S5.1) or the evidence that an answer needs (S3.5); in the latter case the
    graph mode is the default one. `naive` means vector similarity alone. Raises ModeUnknown.

    The endpoint itself asks for verification. Its sources are scored (S5.2) unless the configuration says otherwise.
    """
    named = asked.mode.strip().lower()
    strictness = parse_mode(named) if named in set(Mode) else None
    graph = "hybrid" if strictness else named
    if graph not in _GRAPH_MODES:
        raise ModeUnknown(f"The mode is not known; use {', '.join(_GRAPH_MODES)}, or low, balanced, high.")
    return NewQuery(
        asked.question,
        workspace=asked.workspace,
        mode=strictness or Mode.BALANCED,
        graph=cast("GraphMode", graph),
        method="vector" if graph == "naive" else None,
        enable_verification=True,
        citation_confidence=asked.confidence_threshold,
        scores_sources=True,
        max_sources=asked.max_sources,
        min_relevance=asked.min_relevance,
        min_excerpt_length=asked.min_excerpt_length,
        refusal_language="en",
    )
