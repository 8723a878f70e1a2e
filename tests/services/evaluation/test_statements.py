"""Evaluations: labelled data read strictly, checks as scores, retrieval measured in a temporary workspace."""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import func, select

import citewell
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.judging.statement import Checked
from clients.llm.gateway import ModelGateway
from clients.llm.offline import OfflineModel
from config.models import BreakerSettings, ModelSettings
from config.settings import RetrievalSettings, Settings
from db.models import Chunk, Document, Workspace
from db.session import reading
from domain.query.options import Preset
from services.core import verifier
from services.core.context import Tools
from services.core.verifier import reranker_version, verifier_version
from services.evaluation.labelled_data import (
    EvaluationDataInvalid,
    LabelledPair,
    LabelledPassage,
    LabelledQuestion,
    read_pairs,
    read_question_sets,
    spread,
)
from services.evaluation.retrieval import ask_questions, measured_questions, temporary_collection
from services.evaluation.runs import FinishedRun, list_runs, store_run
from services.evaluation.statements import (
    JudgedPair,
    Measures,
    judge_pairs,
    judged_pair,
    macro,
    measured,
    usage_of,
    worst,
)
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.slow

# A model that fails is soon tried again: what is tested is what becomes of the pairs.
QUICK = ModelSettings(call_timeout_s=10, deadline_s=20, breaker=BreakerSettings(open_s=0.05, longest_s=0.05))
POLICY = "Returns are accepted within 30 days of the purchase date."
PAIRS = [
    LabelledPair("policy", POLICY, POLICY, 1),
    LabelledPair("policy", POLICY, "Returns are accepted within 90 days of the purchase date.", 0),
]


def write(folder: Path, name: str, *lines: object) -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def pair(**over: Any) -> dict[str, Any]:
    return {"source": "s", "claim": "c", "label": 1, **over}


# Reading


def test_a_set_is_the_dataset_of_its_lines_or_the_name_of_its_file(tmp_path: Path) -> None:  # N8
    write(tmp_path, "mixed.jsonl", pair(dataset="a"), "", pair(dataset="b", label=0), pair(), pair(dataset=None))
    write(tmp_path, "more.jsonl", "\ufeff" + json.dumps(pair(dataset="a", extra={"any": "thing"}, label=True)))
    write(tmp_path, "notes.txt", "not read")
    found = read_pairs([tmp_path, tmp_path / "more.jsonl"])
    assert {name: len(pairs) for name, pairs in found.sets.items()} == {"a": 2, "b": 1, "mixed": 2}
    assert [file["name"] for file in found.files] == ["mixed.jsonl", "more.jsonl"]
    assert all(len(str(file["sha256"])) == 64 for file in found.files)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ("[" * 100_000, "not JSON"),
        ("null", "not a JSON object"),
        (pair(label=2), '"label" must be 1 (supported) or 0 (not supported)'),
        (pair(label="1"), '"label" must be'),
        (pair(label=None), '"label" must be'),
        ({"source": "s", "label": 1}, '"claim" must be a text that is not empty'),
        (pair(source=" \n"), '"source" must be a text'),
        (pair(source=["s"]), '"source" must be a text'),
        (pair(dataset=7), '"dataset" must be a text'),
        (pair(claim="a\0b"), "NUL"),
        ('{"source": "s", "claim": "\\ud800", "label": 1}', "half of a pair"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_with_what_to_do(tmp_path: Path, line: object, told: str) -> None:  # N8, A8
    path = write(tmp_path, "bad.jsonl", pair(), "", line)
    with pytest.raises(EvaluationDataInvalid) as refused:
        read_pairs([path])
    assert refused.value.message.startswith(f"{path}:3: ")
    assert told in refused.value.message


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:  # A8
    (tmp_path / "latin.jsonl").write_bytes(b'{"source": "caf\xe9"}')
    (tmp_path / "empty.jsonl").write_bytes(b"\n")
    (tmp_path / "folder").mkdir()
    for name, told in {
        "latin.jsonl": "UTF-8",
        "empty.jsonl": "is empty",
        "missing.jsonl": "cannot be read",
        "folder": "no .jsonl file",
    }.items():
        with pytest.raises(EvaluationDataInvalid, match=told):
            read_pairs([tmp_path / name])


def test_a_limit_takes_pairs_from_the_whole_of_a_set() -> None:  # N8
    assert spread(range(10), 5) == [0, 2, 4, 6, 8]
    assert spread(range(3), 5) == spread(range(3), None) == [0, 1, 2]


def test_passages_and_questions_belong_together_by_name(tmp_path: Path) -> None:  # N8
    write(tmp_path, "a_passages.jsonl", {"id": "p1", "text": "t"}, {"id": "p2", "text": "t", "doc": "d", "page": 3})
    write(tmp_path, "a_questions.jsonl", {"question": "q?", "gold": ["p1"]}, {"question": "r?", "answerable": False})
    (found,) = read_question_sets(tmp_path).sets
    assert found.name == "a"
    assert [(each.doc, each.page) for each in found.passages] == [("p1", None), ("d", 3)]
    assert [(each.answerable, each.gold) for each in found.questions] == [(True, ("p1",)), (False, ())]


@pytest.mark.parametrize(
    ("passages", "questions", "told"),
    [
        ([{"id": "p", "text": "t"}], None, "a_questions.jsonl cannot be read"),
        (None, [{"question": "q?", "gold": ["p"]}], "a_passages.jsonl cannot be read"),
        ([{"id": "p", "text": "t"}] * 2, [{"question": "q?", "gold": ["p"]}], "two passages with the same id"),
        ([{"id": "p"}], [{"question": "q?", "gold": ["p"]}], 'a_passages.jsonl:1: "text" must be'),
        ([{"id": "p", "text": "t"}], [{"question": "q?", "gold": ["x"]}], "a_questions.jsonl:1: \"gold\" names 'x'"),
        ([{"id": "p", "text": "t"}], [{"question": "q?"}], 'a_questions.jsonl:1: "gold" must list'),
        ([{"id": "p", "text": "t"}], [{"question": "q?", "gold": ["p"], "answerable": 1}], '"answerable" must be'),
        (None, None, "has no NAME_passages.jsonl"),
    ],
)
def test_question_sets_that_do_not_fit_are_refused(
    tmp_path: Path, passages: list[object] | None, questions: list[object] | None, told: str
) -> None:  # A8
    if passages is not None:
        write(tmp_path, "a_passages.jsonl", *passages)
    if questions is not None:
        write(tmp_path, "a_questions.jsonl", *questions)
    with pytest.raises(EvaluationDataInvalid) as refused:
        read_question_sets(tmp_path)
    assert told in refused.value.message
    with pytest.raises(EvaluationDataInvalid, match="is not a folder"):
        read_question_sets(tmp_path / "nowhere")


# Checks as scores


@pytest.mark.parametrize(
    ("is_accurate", "relation", "confidence", "score", "uncertain"),
    [
        (True, "supports", 0.9, 0.9, False),
        (True, "supports", 0.6, 0.6, True),
        (False, "contradicts", 0.9, 0.1, False),
        (False, "does_not_mention", 0.2, 0.499999, True),
        # Fields that disagree support nothing.
        (True, "contradicts", 0.9, 0.1, True),
        (True, "partially_supports", 0.3, 0.499999, True),
        (False, "supports", 0.8, 0.2, True),
    ],
)
def test_a_verdict_becomes_the_probability_that_the_claim_is_supported(
    is_accurate: bool, relation: str, confidence: float, score: float, uncertain: bool
) -> None:  # N8
    verdict: Any = {"is_accurate": is_accurate, "relation": relation, "confidence": confidence}
    judged = judged_pair(1, Checked(status="checked", verdict=verdict), 0.7, ())
    assert judged.score == pytest.approx(score)
    assert judged.uncertain == uncertain


async def test_the_offline_verifier_tells_a_changed_number_from_the_original() -> None:  # N8
    models = ModelGateway(OfflineModel(default_embedder()), QUICK)
    done: list[None] = []
    judged = await judge_pairs(models, PAIRS, concurrency=2, uncertain_below=0.7, on_done=lambda: done.append(None))
    measures = measured({"policy": judged})["policy"]
    assert len(done) == measures["n"] == 2
    assert (measures["balanced_accuracy"], measures["auc"], measures["not_checked"]) == (1.0, 1.0, 0.0)


@pytest.fixture(scope="module")
def stage() -> Generator[GroqStage]:
    with GroqStage() as kept:
        yield kept


@pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.FORBIDDEN, FaultKind.WRONG_SCHEMA, FaultKind.CUT])
def test_with_a_failing_model_nothing_is_checked_and_nothing_passes(
    stage: GroqStage, kind: FaultKind
) -> None:  # N4, N8
    stage.sim.reset()
    stage.sim.fail(Fault(kind=kind, times=None))
    judged = stage.run(
        lambda model: judge_pairs(
            ModelGateway(model, QUICK, backoff_s=0.01),
            PAIRS * 5,
            concurrency=4,
            uncertain_below=0.7,
            on_done=lambda: None,
        )
    )
    measures = measured({"policy": judged})["policy"]
    assert all(each.score is None and each.reason for each in judged)
    assert (measures["not_checked"], measures["balanced_accuracy"], measures["false_pass"]) == (1.0, 0.0, 0.0)


def test_a_model_that_answers_is_measured_and_its_calls_are_counted(stage: GroqStage) -> None:  # A4, N8
    stage.sim.reset()
    judged = stage.run(
        lambda model: judge_pairs(
            ModelGateway(model, QUICK), PAIRS * 3, concurrency=2, uncertain_below=0.7, on_done=lambda: None
        )
    )
    assert [each.label for each in judged] == [1, 0] * 3
    assert measured({"policy": judged})["policy"]["not_checked"] == 0.0
    usage = usage_of([call for each in judged for call in each.calls], QUICK.catalogue)
    assert usage["calls"] == {"openai/gpt-oss-20b": len(stage.sim.ledger.entries)}
    assert float(str(usage["cost_usd"])) > 0


def test_with_shared_calls_the_same_is_measured_with_fewer_of_them(stage: GroqStage) -> None:  # N8
    def judge(preset: Preset) -> list[JudgedPair]:
        return stage.run(
            lambda model: judge_pairs(
                ModelGateway(model, QUICK),
                PAIRS,
                concurrency=4,
                uncertain_below=0.7,
                on_done=lambda: done.append(preset),
                preset=preset,
            )
        )

    stage.sim.reset()
    done: list[Preset] = []
    alone, together = judge("standard"), judge("cheap")
    assert [(pair.label, pair.score, pair.uncertain) for pair in alone] == [
        (pair.label, pair.score, pair.uncertain) for pair in together
    ]
    made = [[call.prompt for pair in judged for call in pair.calls] for judged in (alone, together)]
    assert made == [["check_statement"] * len(PAIRS), ["check_statements"]]
    assert Counter(done) == {"standard": len(PAIRS), "cheap": len(PAIRS)}


def test_every_set_counts_the_same_in_the_macro_average() -> None:  # N8
    sets: dict[str, Measures] = {"small": {"auc": 0.5, "ece": None}, "large": {"auc": 1.0, "ece": 0.2}}
    assert macro(sets, ("auc", "ece")) == {"auc": 0.75, "ece": 0.2}


def test_beside_the_mean_stands_the_worst_set_in_each_measure() -> None:  # V9
    sets: dict[str, Measures] = {"small": {"auc": 0.5, "ece": None}, "large": {"auc": 1.0, "ece": 0.2}}
    assert worst(sets, ("auc", "ece")) == {"auc": 0.5, "ece": 0.2}
    assert worst({**sets, "wild": {"auc": None, "ece": 0.4}}, ("auc", "ece")) == {"auc": 0.5, "ece": 0.4}


# Retrieval

PASSAGES = [
    LabelledPassage("p-returns", "policy", 1, "Returns are accepted within 30 days of the purchase date."),
    LabelledPassage("p-shipping", "policy", 2, "Shipping takes five business days and costs four euros."),
    LabelledPassage("p-whale", "whales", None, "The blue whale is the largest animal that has ever lived."),
]
QUESTIONS = [
    LabelledQuestion("Within how many days are returns accepted?", True, ("p-returns",)),
    LabelledQuestion("What is the largest animal that has ever lived?", True, ("p-whale",)),
    LabelledQuestion("Who painted the ceiling of the chapel?", False, ()),
]


def rows_of(table: type[Workspace | Document | Chunk]) -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


@pytest.mark.usefixtures("database")
def test_questions_find_their_passages_through_search_and_reranking() -> None:  # S1.1, S3.1, N8
    embedder = default_embedder()
    tools = Tools(ModelGateway(OfflineModel(embedder), QUICK), embedder)
    with temporary_collection(PASSAGES, embedder, lambda _: None) as collection:
        with reading() as session:
            texts = {each.id: each.text or "" for each in session.scalars(select(Document))}
            chunks = session.scalars(select(Chunk)).all()
        assert all(texts[each.document_id][each.start_index : each.end_index] == each.text for each in chunks)
        asked = asyncio.run(
            ask_questions(
                collection, QUESTIONS, tools, settings=RetrievalSettings(), concurrency=4, on_done=lambda: None
            )
        )
    measures = measured_questions(asked)
    assert [each.ranked[0] for each in asked[:2]] == ["p-returns", "p-whale"]
    assert (measures["n"], measures["answerable"]) == (3, 2)
    assert (measures["recall@1"], measures["mrr"], measures["answerability_auc"]) == (1.0, 1.0, 1.0)
    assert rows_of(Workspace) == rows_of(Document) == rows_of(Chunk) == 0


@pytest.mark.usefixtures("database")
def test_an_interrupted_evaluation_leaves_nothing_in_the_database() -> None:  # A5, N8
    def interrupt(_: int) -> None:
        assert rows_of(Chunk) > 0
        raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        temporary_collection(PASSAGES, default_embedder(), interrupt),
    ):
        pytest.fail("the block is not reached")
    assert rows_of(Workspace) == rows_of(Document) == rows_of(Chunk) == 0


@pytest.mark.usefixtures("database")
def test_with_a_failing_reranker_retrieval_is_measured_and_the_evidence_is_wrong(stage: GroqStage) -> None:  # N8
    stage.sim.reset()
    stage.sim.fail(Fault(kind=FaultKind.FORBIDDEN, times=None))
    embedder = default_embedder()
    with temporary_collection(PASSAGES, embedder, lambda _: None) as collection:
        asked = stage.run(
            lambda model: ask_questions(
                collection,
                QUESTIONS,
                Tools(ModelGateway(model, QUICK, backoff_s=0.01), embedder),
                settings=RetrievalSettings(),
                concurrency=4,
                on_done=lambda: None,
            )
        )
    measures = measured_questions(asked)
    assert all(each.ranked == each.retrieved and each.reason for each in asked)
    assert (measures["not_scored"], measures["answerability_auc"]) == (1.0, 0.0)


def test_without_unanswerable_questions_there_is_nothing_to_tell_apart() -> None:  # N8
    assert measured_questions([])["answerability_auc"] is None


# Storing


@pytest.mark.usefixtures("database")
def test_runs_are_kept_and_listed_newest_first() -> None:  # N8
    files: list[dict[str, object]] = [{"name": "a.jsonl", "sha256": "0" * 64}]
    first, second = (
        store_run(FinishedRun("verification", f"v{n}", "offline", files, 2, {"macro": {"auc": None}})) for n in range(2)
    )
    listed = list_runs(5)
    assert [run["id"] for run in listed] == [second, first]
    assert listed[0]["files"] == files
    assert listed[0]["results"] == {"macro": {"auc": None}}
    assert len(list_runs(1)) == 1


# Versions


def gateway(stage: GroqStage | None = None) -> ModelGateway:
    if stage is None:
        return ModelGateway(OfflineModel(), QUICK)
    return ModelGateway(stage.run(_itself), QUICK)


async def _itself(model: Any) -> Any:
    return model


def test_a_version_names_provider_model_and_prompt(stage: GroqStage, monkeypatch: pytest.MonkeyPatch) -> None:  # N8
    settings = Settings()
    offline, groq = verifier_version(gateway(), settings), verifier_version(gateway(stage), settings)
    assert offline.startswith("offline/0.1.0+")
    assert groq.startswith("groq/openai/gpt-oss-20b/")
    assert offline == verifier_version(gateway(), settings) != reranker_version(gateway(), settings)
    other = settings.model_copy(update={"models": settings.models.model_copy(update={"fast": "another"})})
    assert verifier_version(gateway(stage), other).startswith("groq/another/")
    assert verifier_version(gateway(), other) == offline

    def rewritten(_: str) -> str:
        return "feedfeedfeed"

    monkeypatch.setattr(verifier, "prompt_version", rewritten)
    assert verifier_version(gateway(), settings) != offline
    assert verifier_version(gateway(stage), settings).startswith("groq/openai/gpt-oss-20b/feedfeedfeed+")


def test_a_version_tells_shared_calls_from_single_ones_where_they_may_differ(
    stage: GroqStage, monkeypatch: pytest.MonkeyPatch
) -> None:  # N8
    settings = Settings()
    for named in (verifier_version, reranker_version):
        assert named(gateway(stage), settings, preset="cheap") != named(gateway(stage), settings)
        assert named(gateway(), settings, preset="cheap") == named(gateway(), settings)

    def opened(*_: object, **__: object) -> object:
        return SimpleNamespace(name="nli", version="0123456789ab")

    monkeypatch.setattr(verifier, "open_classifier", opened)
    judged = settings.model_copy(update={"models": settings.models.model_copy(update={"judge": "nli"})})
    # A classifier has a veto on what the model says, however that was asked.
    assert verifier_version(gateway(stage), judged, "cheap") != verifier_version(gateway(stage), judged)
    assert verifier_version(gateway(), judged, "cheap") == verifier_version(gateway(), judged)


def test_a_version_names_the_classifier_with_a_veto_and_its_languages(monkeypatch: pytest.MonkeyPatch) -> None:  # N8
    class Classifier:
        name, version = "nli", "0123456789ab"

    def opened(*_: object, **__: object) -> Classifier:
        return Classifier()

    monkeypatch.setattr(verifier, "open_classifier", opened)
    settings = Settings()
    judged = settings.model_copy(update={"models": settings.models.model_copy(update={"judge": "nli"})})
    plain = verifier_version(gateway(), settings)
    assert verifier_version(gateway(), judged) == f"{plain}/nli@0123456789ab:en"
    assert reranker_version(gateway(), judged) == reranker_version(gateway(), settings)


@pytest.mark.parametrize(
    ("changed", "for_groq"),
    [
        ("citewell_verify/offline/passages.py", False),
        ("citewell_verify/embeddings/wheel.py", False),
        ("citewell_verify/evidence/contradictions.py", True),
        ("citewell_verify/facts/comparison.py", True),
        ("citewell_verify/question/relevance.py", True),
        ("citewell_verify/a_room_that_is_new/rules.py", True),
        ("citewell_verify/question/model.json", True),
        ("citewell_verify/support/model.json", False),
        ("citewell_verify/judging/statement.py", True),
    ],
)
def test_a_version_changes_with_the_rules_and_the_weights(
    changed: str, for_groq: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: GroqStage
) -> None:  # N8
    root = Path(citewell.__file__).parents[1]
    for package in ("packages/verify/citewell_verify", "domain", "services"):
        copy = tmp_path / Path(package).name
        shutil.copytree(root / package, copy, ignore=shutil.ignore_patterns("__pycache__"))

    def copied(package: str) -> Path:
        return tmp_path / package.replace(".", "/")

    monkeypatch.setattr(verifier, "files", copied)
    settings = Settings()
    before = verifier_version(gateway(), settings), verifier_version(gateway(stage), settings)
    (tmp_path / changed).parent.mkdir(exist_ok=True)
    with (tmp_path / changed).open("a") as file:
        file.write("# another rule\n")
    after = verifier_version(gateway(), settings), verifier_version(gateway(stage), settings)
    assert after[0] != before[0]
    assert (after[1] != before[1]) == for_groq
