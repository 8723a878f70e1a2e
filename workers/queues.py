"""One queue per worker pool (A1): named after the work, so that each pool scales by itself."""

from enum import StrEnum


class Queue(StrEnum):
    """Every queue must be consumed by some pool in the settings; a test keeps it so."""

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
    """Waits for receivers on the internet, of which some are dead or slow."""
    MAINTENANCE = "maintenance"
    """Ends what failed. The processes that serve it also look for work that stopped (workers.reconciler)."""
