"""The work of `citewell doctor`: makes all checks, asks the models, prints a line for each, and says what to do."""

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

import httpx
import typer
from rich.text import Text

from citewell.cli.connection import provider_chosen_on_page
from citewell.cli.console import emit, err, out, plain
from citewell.cli.errors import FAILED
from citewell.cli.installation.checks import Check, of_this_machine, versions
from citewell.supervisor.home import home_at
from citewell.supervisor.servers.endpoints import running_broker
from clients.embeddings.factory import configured_embedder
from clients.llm.completions.adaptations import settings_for, told
from clients.llm.completions.learned_parameters import read_learned
from clients.llm.factory import check_provider
from clients.llm.neural import open_classifier
from clients.llm.servers import ask_provider, missing_models
from clients.llm.trial import look_at_model
from clients.reranking import make_reranker
from config.settings import ConfigurationInvalid, Settings, settings

_STYLES = {"ok": "green", "warn": "yellow", "error": "bold red"}
_INDENT = " " * 18


def examine(as_json: bool) -> None:
    """Print each check once it is made. Raises typer.Exit(1) when one of them is an error."""
    failed = False
    with err.status("looking …"):
        for check in _checks():
            failed = failed or check.state == "error"
            if as_json:
                emit({"check": check.name, "state": check.state, "found": check.found, "advice": check.advice or None})
            else:
                head = Text(f"{check.state:<6}", _STYLES[check.state])
                line = Text.assemble(head, f"{check.name:<12}", plain(check.found))
                if check.advice:
                    line.append(f"\n{_INDENT}-> ").append_text(plain(check.advice))
                out.print(line, soft_wrap=True)
    if failed:
        raise typer.Exit(FAILED)


def _checks() -> Iterator[Check]:
    yield from versions()
    try:
        configured = settings()
    except ConfigurationInvalid as error:
        # Nothing else can be checked without settings.
        yield Check("settings", "error", str(error), "correct it, then look again")
        return
    for examination in of_this_machine(configured):
        yield from examination()
    yield from provider(configured)
    yield from others(configured)


_TRY_FOR_S = 120.0
"""The longest time for one question: a person waits, but a model on this machine may have to be loaded first."""
_CHOOSE = "`citewell models use groq|ollama|llamacpp|URL` or the page (#/models) sets one up"


def provider(settings: Settings) -> Iterator[Check]:
    if chosen := provider_chosen_on_page():
        yield Check("model", "ok", f"{chosen}, chosen on the page, which has its trial and can repeat it (#/models)")
        return
    if settings.provider == "offline":
        yield Check("model", "warn", "none: answers are sentences of your documents, checked by rules", _CHOOSE)
        return
    try:
        check_provider(settings)
    except ConfigurationInvalid as error:
        yield Check("model", "error", str(error), _CHOOSE)
        return
    answer = ask_provider(settings)
    wanted = tuple(dict.fromkeys((settings.models.main, settings.models.fast)))
    if answer is None or answer.state in ("unclear", "forbidden"):
        yield Check("provider", "warn", answer.detail if answer else "", "asking the models tells more")
    elif answer.state == "key_refused":
        yield Check("provider", "error", answer.detail, f"correct the key in {settings.provider_key_name}")
        return
    elif answer.state == "unreachable":
        yield Check("provider", "error", answer.detail, f"start the server, or check its address; {_CHOOSE}")
        return
    elif missing := missing_models(answer, wanted):
        problem = f"it does not have {' and '.join(missing)}; it has {', '.join(answer.models[:8])}"
        yield Check("provider", "error", problem, _CHOOSE)
        return
    else:
        key = f", {settings.provider_key_name} is accepted" if settings.provider_key else ", no key is sent"
        yield Check("provider", "ok", f"{settings.provider} answers{key}")
    yield from (_model(settings, name) for name in wanted)
    yield from _learned(settings, wanted)


def others(settings: Settings) -> Iterator[Check]:
    if settings.embeddings.provider != "wheel":
        advice, asked = "check embeddings.base_url and its key", ["How long may a product be returned?"]
        yield _timed(
            "embeddings", settings.embeddings.model, advice, lambda: configured_embedder().encode_queries(asked)
        )
    if settings.rerank.provider != "llm":
        yield _timed(
            "reranker", settings.rerank.model or "", "docs/reranking.md", lambda: make_reranker(settings.rerank)
        )
    if judge := settings.models.judge:
        label = settings.models.judge_label
        yield _timed("judge", judge, "docs/internals/neural-judge.md", lambda: open_classifier(judge, label))


def _model(settings: Settings, name: str) -> Check:
    limit = min(_TRY_FOR_S, settings.models.call_timeout_s)
    own: dict[str, Any] = {"call_timeout_s": limit, "deadline_s": limit, "fallbacks": {}, "hedge_share": 0.0}
    limited = settings.model_copy(update={"models": settings.models.model_copy(update=own)})
    judges = name == settings.models.fast and not settings.judges_offline
    trials = look_at_model(limited, name, writes=name == settings.models.main, judges=judges)
    if trials.problem:
        return Check("model", "error", f"{name}: {trials.problem}", _CHOOSE)
    answered = f"{name} answered a short question in {trials.rows[0].seconds:.1f} s"
    if trials.slowest_s > limit / 4 and settings.preset != "small":
        advice = "`preset: small` makes fewer, shorter calls (docs/models.md); or raise models.call_timeout_s"
        return Check("model", "warn", answered, advice)
    return Check("model", "ok", answered)


def _learned(settings: Settings, models: Sequence[str]) -> Iterator[Check]:
    own_broker = None if "redis_url" in settings.model_fields_set else running_broker(home_at(settings.home))
    stored = read_learned(own_broker or settings.redis_url.get_secret_value(), settings.provider_url, models)
    for model, learned in stored.items():
        server = httpx.URL(settings.provider_url).copy_with(userinfo=b"", query=None)
        set_for_good = f"; set for good in models.catalogue with {fixes}" if (fixes := settings_for(learned)) else ""
        yield Check("parameters", "ok", f"{model} at {server}: {told(learned)}{set_for_good}")


def _timed(name: str, model: str, advice: str, work: Callable[[], object]) -> Check:
    began = perf_counter()
    try:
        work()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with it is the finding
        return Check(name, "error", f"{model}: {error}", advice)
    return Check(name, "ok", f"{model} is ready in {perf_counter() - began:.1f} s")
