"""Runs a trial of retrieval in the API's process. Imported on demand, because it loads the models of a worker."""

from config.settings import settings
from services.queries.retrieval_trial import RetrievalTrial, try_retrieval
from services.queries.submission import NewQuery
from workers.processes.runtime import run, tools


def tried(asked: NewQuery, *, reranks: bool, limit: int) -> dict[str, object]:
    """Raises what `try_retrieval` raises."""
    return try_retrieval(RetrievalTrial(asked, reranks, limit), settings(), tools(), run)
