"""The seeds' requests as questions of ours."""

from typing import Literal

from api.schemas.seed_stream import StreamAsk
from api.schemas.seeds import AgentAsk, ChatAsk, RagAsk, VerifiedAsk
from domain.errors import GraphModeUnavailable, ModeUnknown
from domain.options import RunKind
from services.submission import NewQuery

_METHODS: dict[str, Literal["vector", "hybrid"]] = {"naive": "vector", "hybrid": "hybrid"}
_GRAPH_MODES = frozenset({"local", "global", "mix"})


def of_rag(asked: RagAsk) -> NewQuery:
    """S1.7, S1.8."""
    return NewQuery(asked.query, workspace=asked.workspace, enable_verification=asked.enable_verification)


def of_chat(asked: ChatAsk) -> NewQuery:
    """S2.4: without corrective retrieval there are no rounds, however many are allowed."""
    return NewQuery(
        asked.prompt,
        workspace=asked.workspace,
        model=asked.model,
        enable_verification=asked.enable_verification,
        show_claims=asked.show_claims,
        confidence_threshold=asked.confidence_threshold,
        max_crag_attempts=asked.max_crag_attempts if asked.enable_crag else 0,
    )


def of_agent(asked: AgentAsk, run: RunKind = "structured") -> NewQuery:
    """S3.5, S3.6."""
    return NewQuery(asked.question, workspace=asked.workspace, mode=asked.inference_mode, run=run)


def of_stream(asked: StreamAsk) -> NewQuery:
    """S4.3; S4.5: 20 passages are retrieved, the best 10 of them that fit into the budget are shown to the model."""
    return NewQuery(asked.query, workspace=asked.workspace, k=20, top_k=10)


def of_verified(asked: VerifiedAsk) -> NewQuery:
    """S5.6. Raises GraphModeUnavailable, ModeUnknown."""
    return NewQuery(
        asked.question,
        workspace=asked.workspace,
        retrieval_method=_method(asked.mode),
        enable_verification=True,
        citation_confidence=asked.confidence_threshold,
    )


def _method(mode: str) -> Literal["vector", "hybrid"]:
    if mode in _GRAPH_MODES:
        raise GraphModeUnavailable
    if mode not in _METHODS:
        raise ModeUnknown("The mode is not known; use hybrid or naive.")
    return _METHODS[mode]
