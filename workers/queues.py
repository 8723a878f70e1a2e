"""One queue per worker pool (A1), named after its work, so that each pool scales independently."""

from enum import StrEnum


class Queue(StrEnum):
    """The queues. A pool in the settings must consume each of them; a test checks this."""

    RETRIEVAL = "retrieval"
    """Embeds the question and searches: computes for some milliseconds."""
    RERANKING = "reranking"
    """Waits for the fast model, one call per chunk."""
    CITATIONS = "citations"
    """Waits for the fast model: extraction of citations, beside generation."""
    GENERATION = "generation"
    """Waits for the main model."""
    VERIFICATION = "verification"
    """Waits for the fast model, one call per statement; concludes and publishes."""
    GRAPH = "graph"
    """Waits for the fast model, one call per chunk of a document; no question waits for it."""
    INGESTION = "ingestion"
    """Reads and embeds documents: computes for seconds to minutes."""
    WEBHOOKS = "webhooks"
    """Waits for others on the internet, some of them dead or slow: receivers, and sources of documents."""
    MAINTENANCE = "maintenance"
    """Has no messages: the processes that serve it look for stalled work (workers.background.reconciler)."""
