"""`citewell workspaces`."""

import json

import pytest

from db.queries.access.workspaces import get_or_add_workspace
from db.session import transaction
from domain.keys import Scope
from tests.cli.conftest import Citewell
from tests.factories import make_document, make_query
from tests.keys import make_key
from verify_material.rows import for_all_rows


def test_a_workspace_is_created_shown_renamed_and_deleted(citewell: Citewell) -> None:
    made = citewell("workspaces", "create", "finance", "--title", "Finance, 2026")
    assert (made.code, made.out.splitlines()[0]) == (0, "finance · Finance, 2026")
    assert "documents: none" in made.out
    assert citewell("workspaces", "rename", "finance", "money").code == 0
    shown = json.loads(citewell("workspaces", "show", "money", "--json").out)
    assert (shown["name"], shown["title"]) == ("money", "Finance, 2026")
    gone = citewell("workspaces", "delete", "money")
    assert (gone.code, gone.err.strip()) == (0, "workspace money is deleted")
    assert "There is no workspace 'money'" in citewell("workspaces", "show", "money").complaint


def test_the_last_used_comes_first(citewell: Citewell) -> None:
    assert "no workspaces yet" in citewell("workspaces", "list").out
    for name in ("b", "a"):
        with transaction() as session:
            make_document(session, "A text.", workspace=name, size_bytes=1_500_000)
    with transaction() as session:
        get_or_add_workspace(session, "empty")
    lines = citewell("workspaces", "list", "--json").out.splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["a", "b", "empty"]
    table = citewell("workspaces", "list").out
    assert "1.5 MB" in table
    assert "never" in table


def test_a_name_outside_of_the_rule_is_refused_with_the_rule(citewell: Citewell) -> None:
    refused = citewell("workspaces", "create", "Bad Name!")
    assert refused.code == 2
    assert "Use letters, digits" in refused.complaint


def test_settings_are_set_shown_and_set_back(citewell: Citewell) -> None:
    citewell("workspaces", "create", "w")
    options = ["--mode", "high", "--preset", "cheap", "--fast-model", "openai/gpt-oss-20b", "--language", "ko"]
    wishes = ["--tone", "formal", "--term", "PTO=paid time off", "--term", "HQ = Seoul", "--refusal", "Ask us."]
    shown = citewell("workspaces", "set", "w", "--title", "Words", *options, *wishes)
    assert shown.code == 0
    for line in ("w · Words", "mode: high", "fast model: openai/gpt-oss-20b", "tone: formal", "term HQ: Seoul"):
        assert line in shown.out
    again = citewell("workspaces", "set", "w", "--unset", "mode", "--unset", "glossary", "--unset", "title", "--json")
    found = json.loads(again.out)
    settings = found["settings"]
    assert (found["title"], settings["mode"], settings["preset"]) == (None, None, "cheap")
    assert settings["instructions"]["glossary"] == {}
    assert settings["instructions"]["tone"] == "formal"


@for_all_rows(
    ("arguments", "said"),
    [
        ([], "nothing is to be changed"),
        (["--mode", "high", "--unset", "mode"], "contradict"),
        (["--term", "PTO"], "TERM=MEANING"),
        (["--unset", "colour"], "colour"),
        (["--mode", "extreme"], "mode"),
        (["--main-model", "unknown"], "not configured"),
    ],
)
def test_settings_that_cannot_be_are_refused(citewell: Citewell, arguments: list[str], said: str) -> None:
    citewell("workspaces", "create", "w")
    refused = citewell("workspaces", "set", "w", *arguments)
    assert refused.code == 2
    assert said in refused.complaint


def test_what_is_not_empty_must_be_confirmed(citewell: Citewell, monkeypatch: pytest.MonkeyPatch) -> None:
    with transaction() as session:
        make_document(session, "A text.", workspace="full")
    refused = citewell("workspaces", "delete", "full")
    assert refused.code == 2
    assert "1 document" in refused.complaint
    assert "--yes" in refused.complaint
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)

    def type_in(name: str) -> None:
        def prompt(_question: str, **_options: object) -> str:
            return name

        monkeypatch.setattr("typer.prompt", prompt)

    type_in("fool")
    assert "nothing was deleted" in citewell("workspaces", "delete", "full").complaint
    type_in("full")
    assert citewell("workspaces", "delete", "full").code == 0
    with transaction() as session:
        make_query(session, workspace="asked")
    assert "the server goes on" in citewell("workspaces", "delete", "asked", "--yes").err


def test_a_key_is_limited_to_workspaces(citewell: Citewell, monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    for name in ("a", "b", "c"):
        citewell("workspaces", "create", name)
    made = citewell("keys", "create", "--name", "ci", "--scope", "read", "-w", "a", "--workspace", "b")
    assert made.code == 0
    assert "only in a, b" in made.err
    make_key(Scope.READ, name="all")
    table = citewell("keys", "list").out
    assert "a b" in table
    assert "all" in table
    monkeypatch.setenv("CITEWELL_API_KEY", made.out.strip())
    lines = citewell("workspaces", "list", "--json").out.splitlines()
    assert sorted(json.loads(line)["name"] for line in lines) == ["a", "b"]
    monkeypatch.delenv("CITEWELL_API_KEY")
    refused = citewell("keys", "create", "--name", "ci", "--scope", "admin", "--workspace", "a")
    assert "'admin'" in refused.complaint
    assert "no workspace 'd'" in citewell("keys", "create", "--name", "x", "--scope", "ask", "-w", "d").complaint
