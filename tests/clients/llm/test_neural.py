"""The neural judge: real ONNX graphs, made by the tests, behind the real gateway."""

import asyncio
import json
import math
import re
import subprocess
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import huggingface_hub.constants
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.batched_items import Statements
from citewell_verify.prompting.judgements import (
    CHECK_STATEMENT,
    CHECK_STATEMENTS,
    GENERATE_ANSWER,
    RERANK_CHUNK,
    Relation,
    Relevance,
    StatementCheck,
    StatementChecks,
)
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.factory import make_model
from clients.llm.gateway import ComposedText, ModelGateway
from clients.llm.neural import NeuralJudge, PairClassifier, classifier, open_classifier, opening
from clients.llm.neural.judging import VETO_BELOW, VETOED_CONFIDENCE, StatementTooLong, vetoed, windows
from clients.llm.offline import OfflineModel
from clients.llm.protocol import CallLog, ModelRefused
from config.models import ModelSettings
from config.settings import ConfigurationInvalid, Settings
from domain.query.workspace_rules import PLAIN
from tests.clients.neural_models import (
    ALWAYS_SURE,
    FOUR_WIDE,
    NEVER_SURE,
    NOT_A_NUMBER,
    ONE_LOGIT,
    ONE_ROW,
    THREE_LABELS,
    TOO_MUCH_MEMORY,
    TWO_LABELS,
    save_classifier,
)

pytest.importorskip("onnxruntime", reason="there is none for this machine")

RETURNS = "All returns must be made within 30 days of the purchase date."
LEAVE = "Employees receive fifteen days of paid leave per year."
FILLER = [f"The office on floor {n} has {n + 3} rooms and a kitchen." for n in range(30)]
LONG = " ".join([*FILLER[:25], RETURNS, *FILLER[25:]])
TEXTS = [LONG, LEAVE]
SOURCES = Sources.numbered([("returns.pdf", RETURNS)])


@pytest.fixture(autouse=True)
def _forgotten() -> Generator[None]:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    open_classifier.cache_clear()
    yield
    open_classifier.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "judge"


def judge(opened: PairClassifier, *languages: str) -> NeuralJudge:
    return NeuralJudge(OfflineModel(), opened, languages or ("en",))


def ask(
    model: NeuralJudge, statement: str, sources: Sources = SOURCES, *, log: CallLog | None = None, patience: float = 60
) -> StatementCheck | Failure:
    async def asked() -> StatementCheck | Failure:
        gateway = ModelGateway(model, ModelSettings(call_timeout_s=patience), backoff_s=0.001)
        fields = {"sources": sources, "statement": statement}
        reply = await gateway.ask(CHECK_STATEMENT, fields, log=log or CallLog())
        await model.aclose()
        return reply

    return asyncio.run(asked())


def checked(folder: Path, statement: str, sources: Sources = SOURCES, *languages: str) -> StatementCheck:
    check = ask(judge(open_classifier(str(folder)), *languages), statement, sources)
    assert isinstance(check, StatementCheck), check
    return check


def failed(folder: Path, statement: str = RETURNS, sources: Sources = SOURCES) -> Failure:
    failure = ask(judge(open_classifier(str(folder))), statement, sources)
    assert isinstance(failure, Failure), failure
    return failure


@pytest.mark.parametrize(
    ("tail", "labels"),
    [
        (ONE_LOGIT, ["LABEL_0"]),
        (TWO_LABELS, ["not_entailment", "entailment"]),
        (TWO_LABELS, ["inconsistent", "Consistent"]),
        (TWO_LABELS, ["0", "1"]),
        (THREE_LABELS, ["SUPPORTED", "NEI", "UNSUPPORTED"]),
        (THREE_LABELS, ["entailment", "neutral", "contradiction"]),
    ],
)
def test_every_kind_of_head_puts_what_is_supported_over_what_is_not(
    folder: Path, tail: str, labels: list[str]
) -> None:  # N4
    opened = open_classifier(str(save_classifier(folder, TEXTS, tail=tail, labels=labels)))
    said, half, unrelated = opened.score([(RETURNS, RETURNS), (RETURNS, "returns of the year"), (RETURNS, LEAVE)])
    assert 1 >= said > 0.9 > half > unrelated >= 0
    assert unrelated < 0.1


def test_one_logit_is_a_logistic_unit_and_several_are_a_softmax(folder: Path, tmp_path: Path) -> None:
    logistic = open_classifier(str(save_classifier(folder, TEXTS)))
    three = open_classifier(
        str(save_classifier(tmp_path / "b", TEXTS, tail=THREE_LABELS, labels=["entails", "b", "c"]))
    )
    assert logistic.score([(RETURNS, RETURNS)]) == pytest.approx([1 / (1 + math.exp(-3))])
    assert three.score([(RETURNS, RETURNS)]) == pytest.approx([math.exp(3) / (math.exp(3) + 1 + math.exp(-3))])


@pytest.mark.parametrize("label", ["LABEL_1", "label_1", "1"])
def test_a_label_that_tells_nothing_is_named_by_the_setting(folder: Path, label: str) -> None:
    save_classifier(folder, TEXTS, tail=TWO_LABELS, labels=["LABEL_0", "LABEL_1"])
    assert open_classifier(str(folder), label).score([(RETURNS, RETURNS)])[0] > 0.9
    with pytest.raises(ConfigurationInvalid, match=r"set models\.judge_label to one of 'LABEL_0', 'LABEL_1'"):
        open_classifier(str(folder))
    with pytest.raises(ConfigurationInvalid, match="'yes' is none of the model's labels"):
        open_classifier(str(folder), "yes")


@pytest.mark.parametrize(
    ("config", "works"),
    [
        ({"label2id": {"contradiction": 0, "entailment": 1}}, True),
        ({"id2label": {"0": 0, "1": 1}}, True),
        ({"id2label": {"0": "entailed", "1": "entailed too"}}, True),
        ({"id2label": {"0": "entails", "1": "entailment"}}, False),
        ({}, False),
    ],
)
def test_a_label_is_taken_only_when_no_other_could_be_meant(
    folder: Path, config: dict[str, object], works: bool
) -> None:
    save_classifier(folder, TEXTS, tail=TWO_LABELS)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if works:
        assert open_classifier(str(folder)).name == "judge"
    else:
        with pytest.raises(ConfigurationInvalid, match="it cannot be told which label supports"):
            open_classifier(str(folder))


def test_a_fact_far_behind_the_first_window_is_found_and_is_the_evidence(folder: Path) -> None:  # N4
    opened = open_classifier(str(save_classifier(folder, TEXTS)))
    assert opened.size(LONG, RETURNS) > 5 * opened.max_tokens
    check = checked(folder, RETURNS, Sources.numbered([("long.pdf", LONG)]))
    assert (check.is_accurate, check.relation, check.evidence) == (True, "supports", RETURNS)


def test_a_pair_that_is_too_long_is_an_error_and_never_cut(folder: Path) -> None:  # N4
    opened = open_classifier(str(save_classifier(folder, TEXTS)))
    with pytest.raises(ModelRefused, match=r"judge reads 64 tokens at once and got \d{3}"):
        opened.score([(LONG, RETURNS)])


def test_a_sentence_longer_than_a_window_is_read_to_its_end(folder: Path) -> None:  # N4
    endless = " and ".join(sentence.rstrip(".") for sentence in [*FILLER, RETURNS])
    save_classifier(folder, TEXTS)
    opened = open_classifier(str(folder))
    shown = Sources.numbered([("long.pdf", endless)])
    assert vetoed(YES, RETURNS, shown, opened, ["en"]) == YES


@given(
    st.text(alphabet=st.sampled_from("ab가 .\n"), max_size=300), st.integers(min_value=12, max_value=60), st.booleans()
)
def test_windows_fit_and_leave_nothing_out(text: str, limit: int, by_words: bool) -> None:  # N4
    def size(part: str) -> int:
        return 5 + len(part.split()) + part.count("\n") if by_words else 5 + len(part)

    spans = windows(text, size, limit)
    assert all(size(text[start:end]) <= limit for start, end in spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert {place for place, sign in enumerate(text) if not sign.isspace()} <= covered


def test_neighbouring_windows_share_a_short_sentence() -> None:
    text = "Aaaa aaaa aaaa aaaa. Bb. Cccc cccc cccc cccc. Dd. Eeee eeee eeee eeee."
    parts = [text[start:end] for start, end in windows(text, lambda part: 2 + len(part.split()), 8)]
    assert parts == ["Aaaa aaaa aaaa aaaa. Bb.", "Bb. Cccc cccc cccc cccc. Dd.", "Dd. Eeee eeee eeee eeee."]


def test_a_window_fits_also_when_the_whole_has_more_tokens_than_its_sentences() -> None:
    spans = windows("Aa bb.\n\nCc dd.\n\nEe ff.", lambda part: 2 + len(part.split()) + part.count("\n"), 6)
    assert spans == [(0, 6), (8, 14), (16, 22)]


def test_a_statement_that_leaves_no_room_is_not_checked(folder: Path) -> None:  # S1.6
    save_classifier(folder, TEXTS)
    statement = " ".join(FILLER[:5])
    failure = failed(folder, statement, Sources.numbered([("floors.pdf", statement)]))
    assert failure.kind == "refused"
    assert "leaves no room for its source: judge reads 64 at once" in failure.reason
    with pytest.raises(StatementTooLong):
        windows("a", lambda _: 64, 64)


def test_a_statement_of_more_than_half_the_limit_is_held_against_every_window(folder: Path) -> None:
    save_classifier(folder, TEXTS, max_tokens=28)
    assert open_classifier(str(folder)).size("", RETURNS) > 14
    assert checked(folder, RETURNS, Sources.numbered([("long.pdf", LONG)])).is_accurate


YES = StatementCheck(
    evidence=RETURNS, explanation="It says so.", relation="supports", is_accurate=True, confidence=0.95
)


def test_a_veto_lowers_a_yes_to_partly_supported_and_uncertain(folder: Path) -> None:  # V3, S5.4
    save_classifier(folder, TEXTS, tail=NEVER_SURE)
    check = checked(folder, RETURNS)
    assert (check.is_accurate, check.relation) == (False, "partially_supports")
    assert check.confidence <= VETOED_CONFIDENCE
    assert check.evidence == RETURNS
    assert "judge gives 0.0" in check.explanation
    assert any("judge gives 0.0" in difference for difference in check.differences)


@given(st.floats(0, 1), st.sampled_from(["supports", "partially_supports", "contradicts", "does_not_mention"]))
def test_a_veto_never_raises_a_verdict(confidence: float, relation: Relation) -> None:  # V3
    for accurate, tail_score in ((True, 0.0), (True, 1.0), (False, 0.0), (False, 1.0)):
        check = YES.model_copy(update={"is_accurate": accurate, "relation": relation, "confidence": confidence})
        after = vetoed(check, RETURNS, SOURCES, Scoring(tail_score), ["en"])
        if not accurate or tail_score >= VETO_BELOW:
            assert after == check
        else:
            assert not after.is_accurate
            assert after.confidence <= check.confidence


class Scoring:
    """A classifier that gives every pair the same probability."""

    name, version, max_tokens = "fixed", "1", 100

    def __init__(self, score: float) -> None:
        self._score = score

    def size(self, source: str, statement: str) -> int:
        return len(source.split()) + len(statement.split())

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [self._score] * len(pairs)


@pytest.mark.parametrize(("score", "stands"), [(0.0, False), (0.299, False), (0.3, True), (1.0, True)])
def test_a_veto_needs_a_probability_below_three_tenths(score: float, stands: bool) -> None:  # V3
    assert (vetoed(YES, RETURNS, SOURCES, Scoring(score), ["en"]) == YES) is stands


KOREAN = "환불은 30일 이내에 지급됩니다."


@pytest.mark.parametrize(
    ("statement", "source", "languages", "struck"),
    [
        (RETURNS, RETURNS, ["en"], True),
        (KOREAN, KOREAN, ["en"], False),
        (KOREAN, KOREAN, ["en", "ko"], True),
        (RETURNS, KOREAN, ["en"], False),
        (KOREAN, RETURNS, ["en"], False),
        ("Возврат возможен в течение 30 дней.", RETURNS, ["en", "ko"], False),
        ("30 / 60", RETURNS, ["en"], False),
        ("Die Rückgabe ist innerhalb von dreißig Tagen möglich.", RETURNS, ["en"], False),
    ],
)
def test_a_classifier_is_asked_only_in_its_own_languages(
    statement: str, source: str, languages: list[str], struck: bool
) -> None:  # V3
    shown = Sources.numbered([("a.pdf", source)])
    assert (vetoed(YES, statement, shown, Scoring(0.0), languages) != YES) is struck


def test_one_source_that_says_so_is_enough_against_a_veto(folder: Path) -> None:  # V7
    save_classifier(folder, TEXTS)
    both = Sources.numbered([("leave.pdf", LEAVE), ("returns.pdf", RETURNS)])
    assert checked(folder, RETURNS, both).is_accurate


async def test_statements_of_a_shared_call_are_vetoed_each_against_its_own_sources() -> None:  # S5.4
    model = NeuralJudge(OfflineModel(), Scoring(0.0), ["en"])
    both = Sources.numbered([("returns.pdf", RETURNS), ("한국어.pdf", KOREAN)])
    items, shown = Statements.of([(RETURNS, Sources([both[0]])), (KOREAN, Sources([both[1]]))])
    fields = {"sources": shown, "statements": items}
    reply = await ModelGateway(model, ModelSettings()).ask(CHECK_STATEMENTS.for_items(2), fields, log=CallLog())
    assert isinstance(reply, StatementChecks)
    assert [item.verdict.is_accurate for item in reply.verdicts] == [False, True]


@pytest.mark.parametrize("text", ["", " \n"])
def test_nothing_is_supported_by_a_blank_source_or_by_none(folder: Path, text: str) -> None:
    save_classifier(folder, TEXTS, tail=ALWAYS_SURE)
    for sources in (Sources(), Sources.numbered([("blank.pdf", text)])):
        check = checked(folder, RETURNS, sources)
        assert (check.is_accurate, check.relation, check.evidence) == (False, "does_not_mention", "")


def test_a_blank_statement_is_never_supported(folder: Path) -> None:  # S1.6
    save_classifier(folder, TEXTS, tail=ALWAYS_SURE)
    assert not checked(folder, " [1]").is_accurate


@pytest.mark.parametrize(
    ("tail", "says", "kind"),
    [
        (NOT_A_NUMBER, "NaN", "refused"),
        (FOUR_WIDE, r"output of shape \(1, 4\)", "refused"),
        (TOO_MUCH_MEMORY, "judge could not score", "unavailable"),
    ],
)
def test_an_output_that_is_no_probability_leaves_the_statement_unchecked(
    folder: Path, tail: str, says: str, kind: str
) -> None:  # S1.6
    failure = failed(save_classifier(folder, TEXTS, tail=tail))
    assert failure.kind == kind
    assert re.search(says, failure.reason)


def test_scores_that_are_fewer_than_the_pairs_leave_the_statement_unchecked(folder: Path) -> None:  # S1.6
    failure = failed(save_classifier(folder, TEXTS, tail=ONE_ROW), sources=Sources.numbered([("long.pdf", LONG)]))
    assert "judge gave 1 scores for" in failure.reason


def damage(folder: Path, file: str, content: str | None) -> None:
    """Give a file of the classifier another content; None deletes it."""
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content, encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "content"), [("model.onnx", "no graph"), ("model.onnx", None), ("tokenizer.json", "{}")]
)
def test_files_that_cannot_be_loaded_leave_the_statement_unchecked_and_say_so_in_the_record(
    folder: Path, file: str, content: str | None
) -> None:  # S1.6, A4
    opened = open_classifier(str(save_classifier(folder, TEXTS)))
    damage(folder, file, content)
    log = CallLog()
    reply = ask(judge(opened), RETURNS, log=log)
    assert isinstance(reply, Failure)
    assert reply.kind == "refused"
    (record,) = log.records
    assert record.error
    assert "judge could not be loaded" in record.error


def test_a_graph_with_another_input_is_refused(folder: Path) -> None:  # S1.6
    save_classifier(folder, TEXTS, segments="pixels")
    assert "judge is no classifier of pairs: it wants pixels" in failed(folder).reason


def test_a_check_that_takes_too_long_is_not_checked(folder: Path) -> None:  # S1.6
    opened = open_classifier(str(save_classifier(folder, TEXTS)))
    reply = ask(judge(opened), RETURNS, Sources.numbered([("long.pdf", LONG * 20)]), patience=0.001)
    assert isinstance(reply, Failure)
    assert "judge gave no answer in 0.0 s" in reply.reason


def test_the_record_is_that_of_the_model_that_was_asked(folder: Path) -> None:  # A4
    opened = open_classifier(str(save_classifier(folder, TEXTS)))
    log = CallLog()
    ask(judge(opened), RETURNS, log=log)
    (record,) = log.records
    assert (record.provider, record.model, record.error) == ("offline", "offline", None)
    assert len(opened.version) == 12


def test_other_weights_are_another_version(folder: Path) -> None:
    before = open_classifier(str(save_classifier(folder, TEXTS))).version
    open_classifier.cache_clear()
    assert open_classifier(str(save_classifier(folder, TEXTS))).version == before
    open_classifier.cache_clear()
    assert open_classifier(str(save_classifier(folder, TEXTS, tail=NEVER_SURE))).version != before


async def test_every_other_prompt_and_every_stream_is_the_inner_model_s(folder: Path) -> None:
    save_classifier(folder, TEXTS, tail=NOT_A_NUMBER)
    log, gateway = CallLog(), ModelGateway(judge(open_classifier(str(folder))), ModelSettings())
    question = "Within how many days must returns be made?"
    scored = await gateway.ask(RERANK_CHUNK, {"chunk": RETURNS, "question": question}, log=log)
    fields = {"sources": SOURCES, "question": question, "idk": "I don't know.", "style": PLAIN}
    written = await gateway.compose(GENERATE_ANSWER, fields, log=log)
    assert isinstance(scored, Relevance)
    assert isinstance(written, ComposedText)
    assert [record.model for record in log.records] == ["offline", "offline"]


def test_scores_are_the_same_again_in_other_batches_and_from_many_threads(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_classifier(str(save_classifier(folder, TEXTS)))
    pairs = [(statement, RETURNS) for statement in (RETURNS, LEAVE, *FILLER)]
    expected = opened.score(pairs)
    with ThreadPoolExecutor(8) as pool:
        assert all(scores == expected for scores in pool.map(opened.score, [pairs] * 32))
    monkeypatch.setattr(classifier, "_BATCH_TOKENS", 40)
    assert opened.score(pairs) == expected
    assert opened.score([]) == []


def test_weights_are_loaded_once_also_by_many_threads(folder: Path) -> None:
    opened = open_classifier(str(save_classifier(folder, TEXTS)))
    assert open_classifier(str(folder)) is opened
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(opened.score, [[(RETURNS, RETURNS)]] * 8))
    damage(folder, "model.onnx", "no graph")
    assert opened.score([(RETURNS, RETURNS)])[0] > 0.9


def test_a_source_cannot_begin_the_statement_with_a_separator_of_its_own(folder: Path) -> None:
    opened = open_classifier(str(save_classifier(folder, TEXTS)))
    assert opened.score([(f"{LEAVE} [SEP] {RETURNS}", RETURNS)])[0] > 0.9
    assert opened.size("[SEP]", "") > opened.size("", "") + 1


def test_a_model_whose_tokenizer_tells_no_segments_is_given_none(folder: Path) -> None:
    save_classifier(folder, TEXTS)
    told = {"model_max_length": 64, "model_input_names": ["input_ids", "attention_mask"]}
    (folder / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
    # Without a second segment the graph divides by no words at all.
    assert "NaN" in failed(folder).reason


def test_the_order_of_the_pair_is_the_model_s(folder: Path) -> None:
    opened = open_classifier(str(save_classifier(folder, TEXTS, form={"order": "statement_first"})))
    # The graph asks whether the second segment's words are in the first.
    whole, part = opened.score([("returns", RETURNS), (RETURNS, "returns")])
    assert whole > 0.9 > 0.1 > part


def test_a_source_is_cut_only_on_the_side_that_the_format_names(folder: Path, tmp_path: Path) -> None:
    source = f"{' '.join(FILLER)} {RETURNS}"
    left = open_classifier(str(save_classifier(folder, TEXTS, form={"truncation": "left"})))
    right = open_classifier(str(save_classifier(tmp_path / "right", TEXTS, form={"truncation": "right"})))
    assert left.score([(source, RETURNS)])[0] > 0.9
    assert right.score([(source, RETURNS)])[0] < 0.1
    assert left.size(source, RETURNS) == right.size(source, RETURNS) > 64


def test_a_template_makes_one_text_of_the_pair(folder: Path) -> None:
    form = {"template": "{source}\n\nCan we say: {statement}?", "max_tokens": 40, "label": "LABEL_0"}
    opened = open_classifier(str(save_classifier(folder, TEXTS, tail=ALWAYS_SURE, form=form)))
    assert opened.max_tokens == 40
    assert opened.score([("The {statement} of {source}.", RETURNS)])[0] > 0.9
    words_alone = opened.size("", "")
    assert opened.size("days days", "returns") == words_alone + 3
    # A source's own "[SEP]" is no sign, only a template's is.
    assert opened.size("[SEP] returns", "") > words_alone + 2
    assert opened.size("{statement}", RETURNS) == opened.size("{source}", RETURNS) == opened.size("", RETURNS) + 3


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"template": "only {source}"}, "template: String should match"),
        ({"order": "sideways"}, "order: Input should be 'source_first' or 'statement_first'"),
        ({"colour": 1}, "colour: Extra inputs"),
        ({"template": "{source} {statement}", "truncation": "left"}, "a template cannot be truncated"),
        ({"weights": "model_int8.onnx"}, "has no model_int8.onnx"),
    ],
)
def test_a_format_that_cannot_be_used_says_what_is_wrong(folder: Path, form: dict[str, object], says: str) -> None:
    save_classifier(folder, TEXTS, form=form)
    with pytest.raises(ConfigurationInvalid) as caught:
        open_classifier(str(folder))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("config", "limit"),
    [
        ({"max_position_embeddings": 512}, 64),
        ({"max_position_embeddings": 48}, 48),
        ({"max_position_embeddings": 50, "model_type": "xlm-roberta", "pad_token_id": 1}, 48),
    ],
)
def test_the_limit_is_the_smaller_one_of_the_model_and_its_tokenizer(
    folder: Path, config: dict[str, object], limit: int
) -> None:
    save_classifier(folder, TEXTS)
    (folder / "config.json").write_text(json.dumps({"id2label": {"0": "x"}} | config), encoding="utf-8")
    assert open_classifier(str(folder)).max_tokens == limit


def test_without_a_stated_limit_it_is_512(folder: Path) -> None:
    save_classifier(folder, TEXTS)
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 1e30}', encoding="utf-8")
    assert open_classifier(str(folder)).max_tokens == 512


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("model.onnx", None, "has no model.onnx, onnx/model.onnx or *.safetensors; put the model there"),
        ("config.json", None, "config.json cannot be read: No such file"),
        ("config.json", "[", "config.json: : Invalid JSON"),
        ("tokenizer.json", None, "has no tokenizer.json; save the fast tokenizer there"),
    ],
)
def test_a_folder_without_what_is_needed_is_told_at_the_start(
    folder: Path, file: str, content: str | None, says: str
) -> None:
    damage(save_classifier(folder, TEXTS), file, content)
    with pytest.raises(ConfigurationInvalid) as caught:
        open_classifier(str(folder))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("file", "extra"), [("model.onnx", "citewell[neural]"), ("model.safetensors", "citewell[neural-transformers]")]
)
def test_a_missing_runtime_names_the_extra_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, file: str, extra: str
) -> None:
    save_classifier(folder, TEXTS)
    (folder / "model.onnx").rename(folder / file)

    def nothing_found(_: str) -> None: ...

    monkeypatch.setattr(opening, "find_spec", nothing_found)
    with pytest.raises(ConfigurationInvalid) as caught:
        open_classifier(str(folder))
    assert f'pip install "{extra}"' in str(caught.value)


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigurationInvalid, match="there is no folder /nowhere/judge; put the model's files there"):
        open_classifier("/nowhere/judge")


def test_a_hub_id_is_looked_for_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    stored = tmp_path / "models--some--judge"
    save_classifier(stored / "snapshots" / "abc", TEXTS, place="onnx/model.onnx")
    (stored / "refs").mkdir()
    (stored / "refs" / "main").write_text("abc", encoding="utf-8")
    opened = open_classifier("some/judge")
    assert opened.name == "some/judge"
    assert opened.score([(RETURNS, RETURNS)])[0] > 0.9


def test_a_hub_id_that_is_not_in_the_cache_names_the_setting_that_allows_a_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ConfigurationInvalid, match=r"fill the folder, or set models\.judge_download to true"):
        open_classifier("some/judge")
    with pytest.raises(ConfigurationInvalid, match="some/judge could not be downloaded"):
        open_classifier("some/judge", download=True)


def test_the_settings_put_the_judge_before_the_provider(folder: Path) -> None:
    save_classifier(folder, TEXTS, tail=TWO_LABELS, labels=["LABEL_0", "LABEL_1"])
    values = {"provider": "offline", "judge": str(folder), "judge_label": "LABEL_1"}
    model = make_model(Settings(models=ModelSettings.model_validate(values)))
    assert isinstance(model, NeuralJudge)
    assert model.provider == "offline"
    reply = ask(model, RETURNS)
    assert isinstance(reply, StatementCheck)
    assert reply.is_accurate


@pytest.mark.parametrize("judge_setting", [None, ""])
def test_without_the_setting_nothing_changes(judge_setting: str | None) -> None:
    models = ModelSettings(provider="offline", judge=judge_setting)
    assert isinstance(make_model(Settings(models=models)), OfflineModel)


def test_nothing_of_the_extras_is_imported_before_a_judge_is_set() -> None:
    extras = "{'huggingface_hub', 'onnxruntime', 'tokenizers', 'torch', 'transformers'}"
    code = f"import sys, clients.llm.factory; print(sorted({extras} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_judge_that_cannot_be_used_stops_the_start_not_the_first_check() -> None:
    with pytest.raises(ConfigurationInvalid, match="there is no folder /nowhere"):
        make_model(Settings(models=ModelSettings(provider="offline", judge="/nowhere/judge")))
