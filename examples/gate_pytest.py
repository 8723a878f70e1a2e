"""pytest: each case is a test, on the cases of `python -m citewell_verify --cases gate_cases.jsonl`.

pip install pytest ./packages/verify
pytest examples/gate_pytest.py
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citewell_verify.gate.cases import Case, read_cases

CASES = read_cases(Path(__file__).with_name("gate_cases.jsonl"))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_sources_say_it(case: Case, assert_supported: Callable[..., Any]) -> None:
    """Fails with the sentences that the sources do not say, and why."""
    assert_supported(case.answer, case.sources, case.question)
