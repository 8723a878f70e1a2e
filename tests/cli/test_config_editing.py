"""Changes to a configuration file touch their own lines, and say no where they cannot."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from citewell.cli.errors import CommandFailed
from citewell.cli.models.config_editing import REMOVED, difference, edited, write
from verify_material.rows import for_all_rows

CHANGES = {
    ("preset",): "small",
    ("models", "main"): "qwen3:8b",
    ("models", "fallbacks"): {},
    ("models", "catalogue"): {"qwen3:8b": {"strict_schema": True}},
    ("models", "api_key_env"): REMOVED,
}
WHOLE = (
    "preset: small\nmodels:\n  main: qwen3:8b\n  fallbacks: {}\n"
    "  catalogue:\n    qwen3:8b:\n      strict_schema: true\n"
)


@for_all_rows(
    ("before", "after"),
    [
        ("", WHOLE),
        ("# mine\n", f"# mine\n{WHOLE}"),
        ("rerank: {top_k: 5}  # five", f"rerank: {{top_k: 5}}  # five\n{WHOLE}"),
        (
            "preset: cheap  # because\nmodels:\n    # the best\n    main: old   # of 2025\n    attempts: 5\n"
            "\n# the rest\nrerank: {}\n",
            "preset: small  # because\nmodels:\n    # the best\n    main: qwen3:8b   # of 2025\n    attempts: 5\n"
            "    fallbacks: {}\n    catalogue:\n      qwen3:8b:\n        strict_schema: true\n"
            "\n# the rest\nrerank: {}\n",
        ),
        (
            "models:\n  catalogue:\n    a: {price_in: 1}\n    # inner\n    b:\n      price_in: 3\n"
            "  # after\n  api_key_env: X\n",
            "models:\n  catalogue:\n    qwen3:8b:\n      strict_schema: true\n  # after\n  main: qwen3:8b\n"
            "  fallbacks: {}\npreset: small\n",
        ),
        ("models:\n", WHOLE.replace("preset: small\n", "") + "preset: small\n"),
        (
            "models: {attempts: 3}\n",
            WHOLE.replace("preset: small\nmodels:\n", "models:\n  attempts: 3\n") + "preset: small\n",
        ),
        (
            "models:\n  main: |\n    old\n  attempts: 3\n",
            "models:\n  main: qwen3:8b\n  attempts: 3\n  fallbacks: {}\n  catalogue:\n    qwen3:8b:\n"
            "      strict_schema: true\npreset: small\n",
        ),
    ],
)
def test_only_their_own_lines_change(before: str, after: str) -> None:
    assert edited(before, CHANGES) == after


def test_the_same_changes_again_change_nothing() -> None:
    assert edited(WHOLE, CHANGES) == WHOLE
    assert difference(WHOLE, WHOLE) == []


@pytest.mark.parametrize("text", ["{preset: cheap}\n", "models: &a {main: x}\nother: *a\nmore: {<<: *a}\n...\n"])
def test_an_unusual_file_is_left_alone(text: str) -> None:
    with pytest.raises(CommandFailed, match="unusual form; change it by hand"):
        edited(text, CHANGES)


_names = st.sampled_from(["rerank", "models", "preset", "graph", "attempts", "main", "fallbacks"])
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab:#'\" \n-", max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=6,
)


@given(
    values=st.dictionaries(_names, _values, max_size=4),
    flow=st.sampled_from([None, False]),
    indent=st.integers(2, 5),
    comment=st.booleans(),
)
def test_all_other_settings_stay(values: dict[str, object], flow: bool | None, indent: int, comment: bool) -> None:
    if not isinstance(values.get("models", {}), dict):
        values["models"] = None
    text = yaml.safe_dump(values, default_flow_style=flow, indent=indent) + "# the end\n" * comment
    try:
        changed = edited(text, CHANGES)
    except CommandFailed:
        assert flow is not False or not values  # what a person writes, a name per line, can be changed
        return
    found: dict[str, Any] = yaml.safe_load(changed)
    before: Any = values.get("models") or {}
    models = {**before, "main": "qwen3:8b", "fallbacks": {}, "catalogue": {"qwen3:8b": {"strict_schema": True}}}
    assert found == {**values, "preset": "small", "models": models}


def test_each_writing_keeps_a_copy_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    assert write(file, "a: 1\n") is None
    file.chmod(0o640)
    first, second = write(file, "a: 2\n"), write(file, "a: 3\n")
    assert first is not None
    assert second is not None
    assert (first.name, second.name) == ("config.yaml.bak", "config.yaml.bak-2")
    assert [each.read_text() for each in (first, second, file)] == ["a: 1\n", "a: 2\n", "a: 3\n"]
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("a: 1\n")
    link = tmp_path / "config.yaml"
    link.symlink_to("real.yaml")
    write(link, "a: 2\n")
    assert link.is_symlink()
    assert (tmp_path / "real.yaml").read_text() == "a: 2\n"
