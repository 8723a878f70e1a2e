"""What a question asked for, as a request says it: sent again, with changes, it asks the same question otherwise.

Kept beside the resolved options, which also hold what the configuration and the workspace gave; those may have changed
when it is asked again, and then count as they are.
"""

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from services.queries.submission import NewQuery

Json = dict[str, Any]

_AT_THE_TOP = (
    "mode",
    "preset",
    "model",
    "run",
    "enable_verification",
    "refusal_language",
    "instructions",
    "answer_schema",
    "deadline_s",
    "max_cost_usd",
)
_BELOW: dict[str, dict[str, str]] = {
    "retrieval": {
        "method": "retrieval_method",
        "k": "k",
        "filter": "filter",
        "multi_query": "multi_query",
        "graph": "graph",
    },
    "rerank": {
        "top_k": "top_k",
        "context_tokens": "context_tokens",
        "source_scoring": "source_scoring",
        "max_sources": "max_sources",
        "min_relevance": "min_relevance",
        "min_excerpt_length": "min_excerpt_length",
    },
    "verification": {
        "show_claims": "show_claims",
        "confidence_threshold": "confidence_threshold",
        "max_crag_attempts": "max_crag_attempts",
        "repair": "repair",
    },
}


def as_request(new: "NewQuery") -> Json:
    """The options of `POST /v1/queries` that were asked for, without the question, its place and its callback."""
    asked = {name: _plain(getattr(new, name)) for name in _AT_THE_TOP}
    nested = {
        group: {name: _plain(getattr(new, source)) for name, source in names.items()} for group, names in _BELOW.items()
    }
    said = {**asked, **{group: _said(values) for group, values in nested.items()}}
    return {name: value for name, value in _said(said).items() if value != {} or name == "answer_schema"}


def _said(values: Json) -> Json:
    return {name: value for name, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_unset=True) if isinstance(value, BaseModel) else value
