"""The counts of `python -m tools.house`."""

from pathlib import Path

from tools.house import crowded, measure

_TWO = 'def documented() -> int:\n    """One."""\n    return 1\n\n\ndef bare() -> int:\n    return 2\n'


def _checkout(root: Path) -> Path:
    for path, text in {
        "domain/__init__.py": '"""Rules."""\n',
        "domain/small.py": _TWO,
        "packages/verify/citewell_verify/text/long.py": "x = 1\n" * 201,
        "packages/verify/citewell_verify/text/short.py": "x = 1\n",
        "services/edge.py": "x = 1\n" * 40,
        "db/models/a_table.py": "x = 1\n" * 50,
        "tests/test_small.py": "assert True\n",
        "docs/decisions/0001-first.md": "# Two words\n",
        "docs/api.md": "One it's\n\n```bash\nnot counted\n```\n\n1. three\n\n   ````md\n   ```\n   nor this\n   ````\n",
        "docs/settings.md": "Generated, not counted\n",
        "docs/internals/rest.md": "Not counted here\n",
        "README.md": "Three more words\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_every_figure_of_a_small_checkout(tmp_path: Path) -> None:
    figures = {figure.name: figure.now for figure in measure(_checkout(tmp_path))}
    assert figures == {
        "modules": "5",
        "files per folder, median / p90 / max": "1 / 2 / 2",
        "function, median lines": "2.5",
        "modules below 40 lines": "2",
        "modules above 200 lines": "1",
        "functions with a docstring": "50%",
        "decisions": "1",
        "words of decisions": "2",
        "words for users, no code or settings.md": "7",
        "lines of the program": "300",
        "lines of tests": "1",
    }


def test_folders_that_hold_many_modules_are_named(tmp_path: Path) -> None:
    assert crowded(_checkout(tmp_path), 1) == ["2 packages/verify/citewell_verify/text"]


def test_a_checkout_without_anything_is_measured_too(tmp_path: Path) -> None:
    assert measure(tmp_path)[0].now == "0"
