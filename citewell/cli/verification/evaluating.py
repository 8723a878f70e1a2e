"""The work of `citewell evaluate`: reads the data, asks, measures, shows and stores."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Coroutine, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from citewell.cli.console import complain, emit, err, out, say
from citewell.cli.database import database
from citewell.cli.errors import FAILED, CommandFailed
from citewell.cli.show.evaluation import retrieval_view, runs_view, verification_view
from clients.embeddings import configured_embedder
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallRecord, ChatModel
from clients.reranking import Reranker, make_reranker
from config.settings import Settings, settings
from db.queries.access.keys import get_tenant
from db.session import acting_for, system_transaction
from domain.query.options import Preset
from domain.verdicts.calibration import Calibration
from services.core.context import Tools
from services.core.verifier import reranker_version, verifier_version
from services.evaluation.feedback_pairs import feedback_pairs
from services.evaluation.labelled_data import LabelledPairs, QuestionSet, read_pairs, read_question_sets
from services.evaluation.retrieval import AskedQuestion, ask_questions, measured_questions, temporary_collection
from services.evaluation.runs import FinishedRun, list_runs, store_run
from services.evaluation.statements import JudgedPair, calibration_for, judge_pairs, macro, measured, usage_of, worst

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the command; `provider` and `preset` None mean as configured, `limit` None everything."""

    provider: str | None
    preset: Preset | None
    limit: int | None
    as_json: bool
    store: bool
    verdicts: Path | None = None
    """Where every verdict is written, a line for each pair."""


@dataclass(frozen=True, slots=True)
class _Judges:
    """The models of this run, with the settings in force, including the command's options."""

    settings: Settings
    model: ChatModel
    gateway: ModelGateway
    reranker: Reranker | None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        async def then_close() -> T:
            try:
                return await work
            finally:
                if self.reranker is not None:
                    await self.reranker.aclose()
                await self.model.aclose()

        return asyncio.run(then_close())


def evaluate_verification(paths: Sequence[Path], wanted: Wanted) -> None:
    """Check every labelled pair and print the measured accuracy. Raises EvaluationDataInvalid, CommandFailed."""
    labelled = read_pairs(paths, wanted.limit)
    with ExitStack() as stack:
        if wanted.store:
            stack.enter_context(database())
        _evaluate_pairs(labelled, wanted)


def evaluate_from_feedback(tenant: str, workspace: str | None, wanted: Wanted) -> None:
    """The same with the verdicts of people on answers of a tenant. Raises TenantNotFound, EvaluationDataInvalid."""
    with database():
        with system_transaction() as session:
            tenant_id = get_tenant(session, tenant)
        with acting_for(tenant_id):
            labelled = feedback_pairs(workspace, wanted.limit)
        _evaluate_pairs(labelled, wanted)


def _evaluate_pairs(labelled: LabelledPairs, wanted: Wanted) -> None:
    judges = _judges(wanted)
    with _written(wanted.verdicts) as verdicts:
        started = time.monotonic()
        judged = _judge(labelled, judges, wanted)
        if verdicts is not None:
            verdicts.writelines(f"{json.dumps(line, ensure_ascii=False)}\n" for line in _lines(labelled, judged))
    sets = measured(judged)
    verifier = verifier_version(judges.gateway, judges.settings, judges.settings.sharing)
    calibration = calibration_for(judged, verifier)
    printed = {"macro": macro(sets), "worst": worst(sets), "sets": sets, "verifier": verifier}
    pairs = [pair for members in judged.values() for pair in members]
    usage = _usage(judges, [call for pair in pairs for call in pair.calls])
    run = FinishedRun(
        "verification",
        verifier,
        judges.gateway.provider,
        labelled.files,
        len(pairs),
        {**printed, "usage": usage, **_calibration_fields(calibration)},
    )
    _show(run, printed, wanted, time.monotonic() - started)
    _store(run, wanted)
    _report_failures([pair.reason for pair in pairs if pair.score is None], len(pairs), "checks")


@contextmanager
def _written(path: Path | None) -> Generator[TextIO | None]:
    """The file, opened before anything is paid for. Raises CommandFailed."""
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise CommandFailed(
            f"{path} cannot be written ({error.strerror}); name a file in a folder that you may write to"
        ) from None
    with file:
        yield file


def _lines(labelled: LabelledPairs, judged: Mapping[str, Sequence[JudgedPair]]) -> Iterator[dict[str, object]]:
    for name, pairs in labelled.sets.items():
        for pair, found in zip(pairs, judged[name], strict=True):
            said: dict[str, object] = {"dataset": name, "claim": pair.claim, "label": pair.label}
            yield said | {"score": found.score, "uncertain": found.uncertain, "reason": found.reason}


def evaluate_retrieval(folder: Path, wanted: Wanted) -> None:
    """Search for every question and print how often the right passage was found. Raises EvaluationDataInvalid."""
    found = read_question_sets(folder, wanted.limit)
    judges = _judges(wanted)
    started = time.monotonic()
    with database():
        asked = judges.run(_ask_sets(found.sets, judges, wanted))
        printed = {"sets": {name: measured_questions(questions) for name, questions in asked.items()}}
        questions = [question for members in asked.values() for question in members]
        usage = _usage(judges, [call for question in questions for call in question.calls])
        run = FinishedRun(
            "retrieval",
            reranker_version(judges.gateway, judges.settings, judges.reranker, judges.settings.sharing),
            judges.gateway.provider,
            found.files,
            len(questions),
            {**printed, "usage": usage},
        )
        _show(run, printed, wanted, time.monotonic() - started)
        _store(run, wanted)
    _report_failures([each.reason for each in questions if each.evidence is None], len(questions), "questions")


def list_earlier(limit: int, as_json: bool) -> None:
    with database():
        runs = list_runs(limit)
    if not as_json:
        out.print(runs_view(runs))
        return
    for run in runs:
        emit(run)


def _judge(labelled: LabelledPairs, judges: _Judges, wanted: Wanted) -> dict[str, list[JudgedPair]]:
    pairs = [pair for members in labelled.sets.values() for pair in members]
    chosen = judges.settings
    with _bar(wanted) as bar:
        task = bar.add_task("checking", total=len(pairs))
        judged = judges.run(
            judge_pairs(
                judges.gateway,
                pairs,
                concurrency=chosen.models.concurrency,
                uncertain_below=chosen.verification.citation_confidence,
                on_done=lambda: bar.advance(task),
                preset=chosen.sharing,
            )
        )
    each = iter(judged)
    return {name: [next(each) for _ in members] for name, members in labelled.sets.items()}


async def _ask_sets(sets: Sequence[QuestionSet], judges: _Judges, wanted: Wanted) -> dict[str, list[AskedQuestion]]:
    tools = Tools(models=judges.gateway, embedder=configured_embedder(), reranker=judges.reranker)
    asked: dict[str, list[AskedQuestion]] = {}
    with _bar(wanted) as bar:
        for each in sets:
            ingesting = bar.add_task(f"{each.name}: passages", total=len(each.passages))
            asking = bar.add_task(f"{each.name}: questions", total=len(each.questions))
            with temporary_collection(
                each.passages, tools.embedder, lambda done, task=ingesting: bar.advance(task, done)
            ) as collection:
                asked[each.name] = await ask_questions(
                    collection,
                    each.questions,
                    tools,
                    settings=judges.settings.retrieval,
                    concurrency=judges.settings.models.concurrency,
                    on_done=lambda task=asking: bar.advance(task),
                    preset=judges.settings.sharing,
                )
    return asked


def _judges(wanted: Wanted) -> _Judges:
    chosen = settings()
    if wanted.provider is not None:
        chosen = chosen.model_copy(update={"models": chosen.models.model_copy(update={"provider": wanted.provider})})
    if wanted.preset is not None:
        chosen = chosen.model_copy(update={"preset": wanted.preset})
    # Before the model, which may hold connections.
    reranker = make_reranker(chosen.rerank)
    model = make_model(chosen)
    return _Judges(chosen, model, ModelGateway(model, chosen.models), reranker)


def _usage(judges: _Judges, calls: Sequence[CallRecord]) -> dict[str, object]:
    return usage_of(calls, judges.settings.models.catalogue)


def _show(run: FinishedRun, printed: dict[str, Any], wanted: Wanted, seconds: float) -> None:
    if wanted.as_json:
        emit(printed)
        return
    out.print(verification_view(run.results) if run.kind == "verification" else retrieval_view(run.results))
    usage = run.results["usage"]
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    calls = sum(usage["calls"].values())
    spent = f" · model calls: {calls:,} · {tokens:,} tokens · ${usage['cost_usd']:.4f}" if tokens else ""
    say(f"{run.verifier} · {run.n:,} in {seconds:.0f} s{spent}")
    if calibration := run.results.get("calibration"):
        say(f"verification.calibration that would fit: {json.dumps(calibration)}")


def _calibration_fields(calibration: Calibration | None) -> dict[str, Any]:
    return {"calibration": asdict(calibration)} if calibration else {}


def _store(run: FinishedRun, wanted: Wanted) -> None:
    if wanted.store:
        store_run(run)


def _report_failures(reasons: Sequence[str], total: int, what: str) -> None:
    if not reasons:
        return
    most, count = Counter(reasons).most_common(1)[0]
    message = f"{len(reasons):,} of {total:,} {what} could not be judged, {count:,} of them because: {most}"
    if len(reasons) == total:
        raise CommandFailed(message, FAILED)
    complain(message)


def _bar(wanted: Wanted) -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal or (wanted.as_json and not out.is_terminal),
    )
