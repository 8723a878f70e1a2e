"""What is sent to Groq for every prompt, word for word. After a change that is meant, run this file as a module:

python -m tests.clients.test_groq_requests
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from citewell_verify.prompting.judgements import Composition, Judgement, Reply
from clients.llm.completions.request_body import request_body
from clients.llm.protocol import ModelRequest
from config.models import ModelInfo, ModelSettings
from tests.clients.groq_questions import ASKED, Task
from tests.simulators.groq.schema import strict_fault
from verify_material.rows import for_all_rows

GOLDEN = Path(__file__).with_name("groq_requests.json")


def body(task: Task, fields: dict[str, object], info: ModelInfo | None = None) -> dict[str, Any]:
    """The request for a task, with texts as lists of lines, to be readable in a diff."""
    settings = ModelSettings()
    model = settings.main if task.role == "main" else settings.fast
    reply = None if isinstance(task, Composition) else task.reply
    request = ModelRequest(task.name, fields, model, task.max_tokens, 30.0, task.temperature, reply)
    sent = request_body(request, info or settings.catalogue[model])
    sent["messages"] = [{**message, "content": message["content"].split("\n")} for message in sent["messages"]]
    return sent


def bodies() -> dict[str, dict[str, Any]]:
    """The requests of all tasks by the name of the prompt."""
    return {task.name: body(task, fields) for task, fields in ASKED}


def test_every_prompt_file_is_asked() -> None:
    files = Path("packages/verify/citewell_verify/prompting/prompts").glob("*.md")
    assert {file.stem for file in files} == {task.name for task, _ in ASKED}


def notes_in(schema: object) -> Iterator[str]:
    """The docstrings that pydantic would send; a field may be called `description`."""
    if isinstance(schema, dict):
        members = cast("dict[str, object]", schema)
        yield from (note for key, note in members.items() if key == "description" and isinstance(note, str))
        schema = list(members.values())
    for member in cast("list[object]", schema) if isinstance(schema, list) else []:
        yield from notes_in(member)


@for_all_rows("name", [task.name for task, _ in ASKED])
def test_the_request_is_the_recorded_one(name: str) -> None:
    assert bodies()[name] == json.loads(GOLDEN.read_text(encoding="utf-8"))[name]


@for_all_rows(("task", "fields"), ASKED)
def test_schemas_are_strict_and_hold_no_notes_of_ours(task: Task, fields: dict[str, object]) -> None:
    strict, plain = body(task, fields), body(task, fields, ModelInfo())
    if isinstance(task, Composition):
        assert "response_format" not in strict | plain
    else:
        assert strict_fault(strict["response_format"]["json_schema"]["schema"]) is None
        assert not list(notes_in(strict["response_format"]))
        assert plain["response_format"] == {"type": "json_object"}


def properties_sent(task: Judgement[Reply]) -> list[str]:
    """The fields of the innermost reply with a verdict, in the order in which a model must write them."""
    schema = body(task, dict(ASKED)[task])["response_format"]["json_schema"]["schema"]
    return list(schema.get("$defs", {}).get("StatementCheck", schema)["properties"])


@pytest.mark.parametrize("task", [task for task, _ in ASKED if task.name in ("check_statement", "check_statements")])
def test_a_model_quotes_and_compares_before_it_judges(task: Judgement[Reply]) -> None:  # V4
    looking = ["evidence", "differences", "explanation"]
    assert properties_sent(task) == [*looking, "relation", "is_accurate", "confidence"]
    shown = "".join(body(task, dict(ASKED)[task])["messages"][0]["content"])
    places = [shown.index(f'"{name}":') for name in properties_sent(task)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        # The question and what stays open of it come before the word on relevance (V8), the reason before the score.
        ("check_alignment", ["asked", "open_parts", "answers", "reason", "score"]),
        ("check_answerability", ["reason", "supported"]),
    ],
)
def test_a_model_gives_its_reason_before_its_verdict(name: str, fields: list[str]) -> None:  # V4, V8
    (task,) = (task for task, _ in ASKED if task.name == name)
    assert isinstance(task, Judgement)
    assert properties_sent(task) == fields


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(bodies(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
