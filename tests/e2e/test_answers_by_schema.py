"""Answers by a schema through whole processes: the official client parses them, and the record can be replayed."""

import json

import pytest
from openai import OpenAI
from pydantic import BaseModel, Field

from tests.e2e.stack import Stack
from tests.e2e.test_standing import audit

pytestmark = pytest.mark.slow

TEXT = "Returns policy. Returns are accepted within 30 days of the purchase date. A receipt is required for returns."
QUESTION = "Within how many days are returns accepted?"


class Returns(BaseModel):
    days: int = Field(description="Within how many days returns are accepted")
    fee: int | None = Field(description="Restocking charge in percent")


def test_the_official_client_parses_an_answer_by_a_schema(groq: Stack) -> None:
    groq.add_text("returns.md", TEXT, workspace="schema")
    client = OpenAI(base_url=f"{str(groq.http.base_url).rstrip('/')}/v1", api_key="none")
    messages = [{"role": "user", "content": QUESTION}]
    told = client.chat.completions.parse(model="schema", messages=messages, response_format=Returns)  # pyright: ignore[reportArgumentType]
    assert told.choices[0].message.parsed == Returns(days=30, fee=None)
    query_id = (told.model_extra or {})["citewell"]["query_id"]
    found = groq.http.get(f"/v1/queries/{query_id}").json()
    assert found["answer_object"]["value"] == {"days": 30, "fee": None}
    days = next(each for each in found["answer_object"]["values"] if each["path"] == "/days")
    assert (days["status"], days["citations"]) == ("verified", [1])
    assert found["verification"]["sentences"][days["sentences"][0]]["status"] == "supported"
    replayed = audit(groq, "replay", query_id, "--json")
    assert json.loads(replayed.stdout) == {"equal": True, "differences": []}, replayed.stderr
    groq.http.patch(
        "/v1/workspaces/schema", json={"settings": {"answer_schema": Returns.model_json_schema()}}
    ).raise_for_status()
    plain = client.chat.completions.create(model="schema", messages=messages)  # pyright: ignore[reportArgumentType]
    assert json.loads(plain.choices[0].message.content or "") == {"days": 30, "fee": None}
