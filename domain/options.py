"""The settings that shape one result, as a snapshot: stored with the query, so a worker needs no other settings."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

GraphMode = Literal["naive", "local", "global", "hybrid", "mix"]
"""S5.1: passages by their own words (`naive`), from what the question names (`local`), from the connections that it is
about (`global`), from both (`hybrid`), from all three (`mix`)."""


class QueryOptions(BaseModel):
    """Resolved once, at submission: request beats environment beats file beats default (S1.7, S2.4)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = None
    """The main model asked for by the request (S2.5), or None for the configured one."""
    retrieval_method: Literal["vector", "hybrid"]
    k: int
    top_k: int
    rerank_batch: int
    min_evidence_score: float
    verify_answer: bool
    """Answerability check (S3.4); False in mode `low`."""
    verification: bool
    check_batch: int
    weight_alignment: float
    weight_coverage: float
    weight_facts: float
    alignment_threshold: float
    coverage_threshold: float
    facts_threshold: float
    citation_confidence: float
    span_min_chars: int
    span_max_chars: int
    show_claims: bool
    confidence_threshold: float = 0.7
    """S2.3: an answer with less confidence gets another round, of which there are at most `max_crag_attempts`."""
    max_crag_attempts: int = 2
    repair: Literal["full", "citations", "off"] = "full"
    """N5: mend failing statements, only take wrong citations away (S5.5), or leave the text alone (N2)."""
    second_pass_k: int = 8
    """S3.5: passages per search of a corrective round or a repair."""
    source_scoring: bool = False
    """S5.2: keep the sources that its formula keeps."""
    merged_top_k: int = 5
    """S3.1: passages to write from when several searches are merged."""
    graph_mode: GraphMode = "naive"
    """S5.1: how the knowledge graph takes part; the numbers bound what one search follows in it."""
    graph_entities: int = 10
    graph_relations: int = 20
