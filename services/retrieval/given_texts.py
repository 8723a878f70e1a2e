"""Searches the texts that came with a question (N9), which are in no index: by their words, and the best of these also
by their meaning."""

from collections.abc import Sequence

from citewell_verify.evidence.passages import Passage
from domain.errors.service import EmbeddingUnavailable
from domain.retrieval.lexemes import lexemes, words_order
from domain.retrieval.ranking import fuse
from services.core.context import StepContext

_COMPARED = 60
"""The most passages that get vectors for one question: each costs some 13 ms of a processor."""

Found = list[tuple[int, float | None]]


def search_given(context: StepContext, queries: Sequence[str], k: int) -> tuple[Found, bool]:
    """Return (passage key, cosine similarity), best first, at most `k` for each of `queries`, and whether only words
    counted because no vectors can be made. Further searches of a question use words alone."""
    passages = context.given_passages()
    texts = {passage.key: _searched(passage) for passage in passages}
    said = {key: lexemes(text) for key, text in texts.items()}
    rankings = [words_order(query, said) for query in queries]
    best, similarity, by_words_only = fuse([*rankings, list(texts)]), dict[int, float](), False
    if len(best) > k and not context.round and context.outcome("select") is None:
        compared = best[:_COMPARED]
        try:
            embedder = context.tools.embedder
            vectors = embedder.encode_documents([texts[key] for key in compared])
            for scores in (vectors @ embedder.encode_queries(list(queries)).T).T.tolist():
                near = dict(zip(compared, scores, strict=True))
                rankings.append(sorted(near, key=near.__getitem__, reverse=True))
                similarity |= {key: max(score, similarity.get(key, score)) for key, score in near.items()}
            best = fuse([*rankings, compared])
        except EmbeddingUnavailable:
            by_words_only = True
    return [(key, similarity.get(key)) for key in best[: k * len(queries)]], by_words_only


def _searched(passage: Passage) -> str:
    return f"{passage.filename}\n{passage.indexed}"
