"""`make bench`: the model answers every rival in its own form, and the report follows from what happened."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.rivals import prompts
from benchmarks.rivals.environments import CannotInstall, python_of
from benchmarks.rivals.loop import FAST, MAIN, Outcome, run_cell
from benchmarks.rivals.measuring import cpu_seconds
from benchmarks.rivals.replies import reply_to
from benchmarks.rivals.report import as_markdown, rows
from benchmarks.rivals.results import Round, critical_path, singles
from benchmarks.rivals.rounds import simulated_models
from benchmarks.rivals.systems import SYSTEMS, Given, ours
from benchmarks.rivals.work import DRAFT, PLANTED, QUESTION, RETRIEVED, named, passages, write_work
from tests.simulators.groq.reading import judge

ANSWERING = {said.passage for said in DRAFT}
TRUE = [said for said in DRAFT if said.text != PLANTED]


def asked(text: str, form: str = "text", model: str = FAST) -> str:
    """The model's reply to a single message."""
    messages = [{"role": "user", "content": text}]
    return reply_to({"model": model, "messages": messages, "response_format": {"type": form}})


def test_the_work_has_one_claim_that_its_source_contradicts() -> None:
    assert len(passages()) == len(set(passages())) == 50
    assert set(passages()[:RETRIEVED]) > ANSWERING
    verdicts = {said.text: judge(f"{said.text}.", said.passage)[0] for said in DRAFT}
    assert verdicts == {said.text: "supports" for said in TRUE} | {PLANTED: "contradicts"}


@pytest.mark.parametrize(
    "shown",
    [
        '<source id="{n}">\n{text}\n</source>',
        "Source {n}:\n{text}\n",
        "[{n}] {text}\n",
    ],
)
def test_the_answer_cites_passages_by_the_numbers_of_the_prompt(shown: str) -> None:
    given = sorted(ANSWERING)
    context = "\n\n".join(shown.format(n=number, text=text) for number, text in enumerate(given, 1))
    answer = asked(f"{context}\n\nQuestion: {QUESTION}", model=MAIN)
    assert answer == " ".join(f"{said.text}[{given.index(said.passage) + 1}]." for said in DRAFT)


def test_llamaindex_is_told_relevant_documents_and_yes_or_no() -> None:
    found = passages()[:RETRIEVED]
    documents = "\n\n".join(f"Document {number}:\n{text}" for number, text in enumerate(found, 1))
    chosen = asked(f"Example: Doc: 9, Relevance: 7\n\n{documents}\n\nQuestion: {QUESTION}\nAnswer:\n")
    numbers = [int(line.partition(",")[0].removeprefix("Doc: ")) for line in chosen.splitlines()]
    assert {found[number - 1] for number in numbers} == ANSWERING

    def verdict(said: str, context: str) -> str:
        asking = "Please tell if a given piece of information is supported by the context."
        return asked(f"{asking}\nInformation: {said}.\nContext: {context}\nAnswer: ")

    assert [verdict(said.text, said.passage) for said in DRAFT] == [
        "NO" if said.text == PLANTED else "YES" for said in DRAFT
    ]


def test_haystack_is_told_an_order_and_a_score_for_each_statement() -> None:
    found = passages()[:RETRIEVED]
    documents = "\n".join(f"Document {number}:\ncontent: {text}\n" for number, text in enumerate(found, 1))
    told = asked(f"You are ranking retrieved documents\n\nQuery:\n{QUESTION}\n\nDocuments:\n{documents}", "json_object")
    assert {found[each["index"] - 1] for each in json.loads(told)["documents"]} == ANSWERING

    example = 'Inputs:\n{"questions": "?", "contexts": ["a"], "predicted_answers": "b"}\nOutputs:\n{}\n\n'
    answer = " ".join(f"{said.text}[1]." for said in DRAFT)
    inputs = f'{{"questions": [{QUESTION!r}], "contexts": {[sorted(ANSWERING)]}, "predicted_answers": {[answer]}}}'
    told = json.loads(asked(f"{example}Inputs:\n{inputs}\nOutputs:\n", "json_object"))
    bad = [said for said, score in zip(told["statements"], told["statement_scores"], strict=True) if not score]
    assert (len(told["statements"]), bad) == (len(DRAFT), [f"{PLANTED}."])


def test_langgraph_is_told_binary_scores() -> None:
    def score(text: str) -> str:
        return json.loads(asked(text, "json_object"))["binary_score"]

    graded = [
        text for text in passages() if score(f"Retrieved document: \n\n {text} \n\n User question: {QUESTION}") == "yes"
    ]
    assert set(graded) == ANSWERING
    facts = "\n\n".join(ANSWERING)
    whole, true = (" ".join(f"{said.text}[1]." for said in sentences) for sentences in (DRAFT, TRUE))
    assert score(f"Set of facts: \n\n {facts} \n\n LLM generation: {whole}") == "no"
    assert score(f"Set of facts: \n\n {facts} \n\n LLM generation: {true}") == "yes"


def test_the_prompts_written_from_nothing_are_answered_in_their_form() -> None:
    def judged(messages: prompts.Messages) -> Any:
        return json.loads(reply_to({"model": FAST, "messages": messages, "response_format": {"type": "json_object"}}))

    answer = " ".join(f"{said.text}[1]." for said in DRAFT)
    sources = sorted(ANSWERING)
    assert (
        judged(prompts.score(sources[0], QUESTION))["score"] > judged(prompts.score(passages()[-1], QUESTION))["score"]
    )
    assert [each["claim"] for each in judged(prompts.facts(sources, answer))["claims"] if not each["verified"]] == [
        f"{PLANTED}."
    ]
    assert judged(prompts.answerability(sources, answer))["supported"] is False
    assert judged(prompts.alignment(sources, QUESTION, answer))["score"] < 1
    assert [judged(prompts.statement(said.passage, said.text))["is_accurate"] for said in DRAFT] == [
        said.text != PLANTED for said in DRAFT
    ]


def test_naming_is_checked_against_the_planted_claim() -> None:
    assert named([]) == "no"
    assert named([f"{PLANTED}[3]."]) == "yes"
    assert named([f"{PLANTED}.", "Something else."]) == "yes, and 1 others"
    assert named(["Something else."]) == "no, but 1 others"


def call(arrived: float, seconds: float, *, streamed: bool = False) -> dict[str, Any]:
    return {"arrived": arrived, "seconds": seconds, "streamed": streamed, "prompt_tokens": 100}


def test_the_critical_path_is_the_longest_chain_without_what_the_system_adds() -> None:
    parallel = [call(0.0, 0.2), call(0.01, 0.15), call(0.3, 0.5), call(0.9, 0.3), call(0.9, 0.1)]
    assert critical_path(parallel) == pytest.approx(0.2 + 0.5 + 0.3)
    beside = [call(0.0, 0.2), call(0.25, 0.6, streamed=True), call(0.26, 0.3), call(0.65, 0.9)]
    assert critical_path(beside) == pytest.approx(0.2 + 0.4 + 0.9)  # the last call began when 0.4 s were written


def test_calls_belong_to_the_query_that_was_alone_when_they_arrived() -> None:
    line = {"error": "", "first": None, "flagged": [PLANTED], "grounded": False}
    lines = [{**line, "began": 10.0, "seconds": 1.0}, {**line, "began": 11.5, "seconds": 1.0, "flagged": []}]
    found = singles(lines, [call(10.1, 0.4), call(10.6, 0.3), call(11.6, 0.5)])
    assert [(each.calls, each.prompt_tokens, each.path) for each in found] == [(2, 200, 0.7), (1, 100, 0.5)]
    assert [each.names for each in found] == ["yes", "only that something is wrong"]


async def test_a_cell_counts_what_ended_and_what_broke() -> None:
    lines: list[dict[str, Any]] = []
    left = iter(range(5))

    async def ask() -> Outcome:
        await asyncio.sleep(0)
        if next(left) == 2:
            raise ValueError("no answer")
        return Outcome(["a"], time.monotonic())

    await run_cell(ask, {"in_flight": 2, "seconds": 5.0, "queries": 5}, lines.append)
    assert [line["error"] for line in lines[:-1]].count("ValueError: no answer") == 1
    assert (len(lines) - 1, lines[-1]["cell"]["ended"], lines[-1]["cell"]["unfinished"]) == (5, 5, 0)


def test_a_rival_that_cannot_be_installed_is_skipped_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_BENCH_ENVS", str(tmp_path))
    with pytest.raises(CannotInstall, match="does not exist"):
        python_of("llama")
    table = rows(SYSTEMS[:1], [Round(SYSTEMS[0].name, skipped="no network")], (8,))
    assert table[1][:2] == [SYSTEMS[0].title, "skipped: no network"]
    assert len({len(row) for row in table}) == 1
    assert as_markdown(table).count("\n") == 3


def test_cpu_of_children_that_ended_counts() -> None:
    before = cpu_seconds([os.getpid()])
    burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    subprocess.run([sys.executable, "-c", burn], check=True)
    assert cpu_seconds([os.getpid()]) - before >= 0.3


@pytest.mark.slow
def test_the_floor_runs_through_the_whole_machinery(tmp_path: Path) -> None:
    """It names the claim, and checks sentences while the answer is written."""
    with simulated_models() as models:
        given = Given(models.url, tmp_path / "work.json")
        write_work(given.work)
        with ours("run_floor")(given) as running:
            models.forget()
            lines = running.run({"in_flight": 1, "seconds": 90.0, "queries": 4})
        ledger = models.ledger()
    *each_line, _ = lines
    assert [line["error"] for line in each_line] == [""] * 4
    # The answer, its citations, two checks of the whole, and one of each statement.
    calls = RETRIEVED + 1 + 1 + 2 + len(DRAFT)
    assert [(single.names, single.calls) for single in singles(each_line, ledger)] == [("yes", calls)] * 4
    # An answer is written within half a second: on a busy machine a check may come too late in one of them.
    writings = [each for each in ledger if each["streamed"]]
    assert len(writings) == 4
    assert any(
        writing["arrived"] + 0.25 < each["arrived"] < writing["arrived"] + writing["seconds"]
        for writing in writings
        for each in ledger
    )
    assert all(line["first"] is not None for line in each_line)
