"""The work of `citewell evaluate`: reads the data, asks the models and computes the measures."""

import json
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from citewell.cli.console import output_all
from citewell.cli.database import database
from citewell.cli.errors import CommandFailed
from citewell.cli.verification.evaluation_run import (
    Judges,
    Wanted,
    open_judges,
    progress_bar,
    report_failures,
    runs_view,
    show_run,
    store,
    usage,
)
from clients.embeddings.factory import configured_embedder
from db.queries.access.keys import get_tenant
from db.session import acting_for, system_transaction
from services.core.context import Tools
from services.core.verifier import reranker_version, verifier_version
from services.evaluation.feedback_pairs import feedback_pairs
from services.evaluation.labelled_data import LabelledPairs, QuestionSet, read_pairs, read_question_sets
from services.evaluation.retrieval import AskedQuestion, ask_questions, measured_questions, temporary_collection
from services.evaluation.runs import FinishedRun, list_runs
from services.evaluation.statements import JudgedPair, calibration_for, judge_pairs, macro, measured, worst


def evaluate_verification(paths: Sequence[Path], wanted: Wanted) -> None:
    """Check every labelled pair and print the measured accuracy. Raises EvaluationDataInvalid, CommandFailed."""
    labelled = read_pairs(paths, wanted.limit)
    with ExitStack() as stack:
        if wanted.store:
            stack.enter_context(database())
        _evaluate_pairs(labelled, wanted)


def evaluate_from_feedback(tenant: str, workspace: str | None, wanted: Wanted) -> None:
    """Check the statements that people judged in answers of a tenant, and print the accuracy measured by their
    verdicts. Raises TenantNotFound, EvaluationDataInvalid.
    """
    with database():
        with system_transaction() as session:
            tenant_id = get_tenant(session, tenant)
        with acting_for(tenant_id):
            labelled = feedback_pairs(workspace, wanted.limit)
        _evaluate_pairs(labelled, wanted)


def _evaluate_pairs(labelled: LabelledPairs, wanted: Wanted) -> None:
    judges = open_judges(wanted)
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
    spent = usage(judges, [call for pair in pairs for call in pair.calls])
    run = FinishedRun(
        "verification",
        verifier,
        judges.gateway.provider,
        labelled.files,
        len(pairs),
        {**printed, "usage": spent, **({"calibration": asdict(calibration)} if calibration else {})},
    )
    show_run(run, printed, wanted, time.monotonic() - started)
    store(run, wanted)
    report_failures([pair.reason for pair in pairs if pair.score is None], len(pairs), "checks")


@contextmanager
def _written(path: Path | None) -> Generator[TextIO | None]:
    """Open the file of verdicts, before anything is paid for. Raises CommandFailed."""
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
        for pair, judgement in zip(pairs, judged[name], strict=True):
            said: dict[str, object] = {"dataset": name, "claim": pair.claim, "label": pair.label}
            yield said | {"score": judgement.score, "uncertain": judgement.uncertain, "reason": judgement.reason}


def evaluate_retrieval(folder: Path, wanted: Wanted) -> None:
    """Search for every question and print how often the right passage was found. Raises EvaluationDataInvalid."""
    read = read_question_sets(folder, wanted.limit)
    judges = open_judges(wanted)
    started = time.monotonic()
    with database():
        asked = judges.run(_ask_sets(read.sets, judges, wanted))
        printed = {"sets": {name: measured_questions(questions) for name, questions in asked.items()}}
        questions = [question for members in asked.values() for question in members]
        spent = usage(judges, [call for question in questions for call in question.calls])
        run = FinishedRun(
            "retrieval",
            reranker_version(judges.gateway, judges.settings, judges.reranker, judges.settings.sharing),
            judges.gateway.provider,
            read.files,
            len(questions),
            {**printed, "usage": spent},
        )
        show_run(run, printed, wanted, time.monotonic() - started)
        store(run, wanted)
    report_failures(
        [question.reason for question in questions if question.evidence is None], len(questions), "questions"
    )


def list_earlier(limit: int, as_json: bool) -> None:
    with database():
        runs = list_runs(limit)
    output_all(runs, runs_view, as_json=as_json)


def _judge(labelled: LabelledPairs, judges: Judges, wanted: Wanted) -> dict[str, list[JudgedPair]]:
    pairs = [pair for members in labelled.sets.values() for pair in members]
    chosen = judges.settings
    with progress_bar(wanted) as bar:
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
    results = iter(judged)
    return {name: [next(results) for _ in members] for name, members in labelled.sets.items()}


async def _ask_sets(sets: Sequence[QuestionSet], judges: Judges, wanted: Wanted) -> dict[str, list[AskedQuestion]]:
    tools = Tools(models=judges.gateway, embedder=configured_embedder(), reranker=judges.reranker)
    asked: dict[str, list[AskedQuestion]] = {}
    with progress_bar(wanted) as bar:
        for question_set in sets:
            ingesting = bar.add_task(f"{question_set.name}: passages", total=len(question_set.passages))
            asking = bar.add_task(f"{question_set.name}: questions", total=len(question_set.questions))
            with temporary_collection(
                question_set.passages, tools.embedder, lambda done, task=ingesting: bar.advance(task, done)
            ) as collection:
                asked[question_set.name] = await ask_questions(
                    collection,
                    question_set.questions,
                    tools,
                    settings=judges.settings.retrieval,
                    concurrency=judges.settings.models.concurrency,
                    on_done=lambda task=asking: bar.advance(task),
                    preset=judges.settings.sharing,
                )
    return asked
