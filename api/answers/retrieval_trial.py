"""Runs a trial of retrieval in the API's process. Imported on demand, because it loads the models of a worker."""

from threading import BoundedSemaphore

from domain.errors.service import Overloaded
from services.core.model_choice import current_settings
from services.queries.retrieval_trial import RetrievalTrial, try_retrieval
from services.queries.submission import NewQuery
from workers.processes.runtime import run, tools_of

_AT_A_TIME = 4
"""The most trials that wait for models at the same time; each of them occupies a thread of the API, which other
requests need, too.
"""
_RETRY_AFTER_S = 5
_places = BoundedSemaphore(_AT_A_TIME)


def tried(asked: NewQuery, *, reranks: bool, limit: int) -> dict[str, object]:
    """Run a trial of retrieval. Raises Overloaded, and the errors of `try_retrieval`."""
    if not _places.acquire(blocking=False):
        raise Overloaded("Many searches are being tried; try again in a few seconds.", _RETRY_AFTER_S)
    try:
        current = current_settings()
        return try_retrieval(RetrievalTrial(asked, reranks, limit), current, tools_of(current.model_choice), run)
    finally:
        _places.release()
