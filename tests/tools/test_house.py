"""The counts of `python -m tools.house`."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from citewell_verify.text.readability import is_readable
from citewell_verify.text.windows import headings_of
from tools.house import executed, measure

_FUNCTIONS = """
def known(words):
    for each in words:
        _helper(each)
    return _helper(words[0])


def _helper(word):
    return word


def _crumb(word):
    return word


def uses(word):
    found = _crumb(word)
    return found
"""


def _checkout(root: Path) -> Path:
    for path, text in {
        "domain/__init__.py": '"""Rules."""\n',
        "domain/small.py": _FUNCTIONS,
        "packages/verify/citewell_verify/text/long.py": "x = 1\n" * 20,
        "packages/documents/citewell_documents/short.py": "x = 1\n",
        "services/edge.py": "x = 1\n" * 40,
        "tests/test_small.py": "assert True\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_every_figure_of_a_small_checkout(tmp_path: Path) -> None:
    figures = {figure.name: figure.now for figure in measure(_checkout(tmp_path))}
    assert figures == {
        "modules of verify": "1",
        "modules of documents": "1",
        "modules of server": "2",
        "modules of client": "0",
        "lines of verify": "20",
        "lines of documents": "1",
        "lines of server": "59",
        "lines of client": "0",
        "lines of tests": "1",
        "function, median / p90 / max lines": "2.5 / 4 / 4",
        "private, called once, below 6 lines": "1",
        "locals named each or found": "2",
    }


def test_only_modules_of_which_a_function_runs_count() -> None:
    assert executed(lambda: None) == set()
    assert {Path(name).name for name in executed(lambda: measure(Path("/nonexistent")))} == set()


def test_what_runs_first_does_not_count_but_its_threads_do_when_they_work_for_the_rest() -> None:
    with ThreadPoolExecutor(1) as pool:
        counted = executed(
            lambda: pool.submit(headings_of, "Returns").result(), lambda: pool.submit(is_readable, "Returns").result()
        )
    assert {Path(name).name for name in counted} == {"windows.py"}


def test_a_checkout_without_anything_is_measured_too(tmp_path: Path) -> None:
    assert measure(tmp_path)[0].now == "0"
