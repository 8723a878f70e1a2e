"""Outcomes as files that pipelines read: JUnit XML, SARIF 2.1.0, and annotations of GitHub's workflow commands."""

import json
import re
from collections.abc import Sequence
from functools import cache
from os.path import normpath
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote
from xml.etree import ElementTree

from citewell_verify.gate.outcome import FAILING, Outcome

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SAID = {
    "contradicted": "The sources say something else.",
    "unsupported": "The sources do not say it.",
    "partial": "The sources say a part of it.",
    "not_checked": "It could not be checked.",
}
# XML 1.0 allows no other control characters.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcomes: Sequence[Outcome]) -> str:
    """A test suite with a test case for each answer: a failure if sentences fail, an error if nothing was verified."""
    failed = sum(bool(outcome.failing) for outcome in outcomes)
    errors = sum(outcome.problem is not None for outcome in outcomes)
    counts = {"tests": str(len(outcomes)), "failures": str(failed), "errors": str(errors)}
    time = {"time": f"{sum(outcome.seconds for outcome in outcomes):.3f}"}
    suites = ElementTree.Element("testsuites", {"name": "citewell", **counts, **time})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "citewell", "skipped": "0", **counts, **time})
    for outcome in outcomes:
        names = {
            "name": _xml(outcome.case.name),
            "classname": _xml(outcome.case.path),
            "time": f"{outcome.seconds:.3f}",
        }
        case = ElementTree.SubElement(suite, "testcase", names)
        if outcome.passed:
            continue
        kind = "failure" if outcome.problem is None else "error"
        told = [_xml(line) for line in outcome.lines()]
        ElementTree.SubElement(case, kind, {"message": told[0], "type": kind}).text = "\n".join(told)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)


def sarif(outcomes: Sequence[Outcome], version: str) -> str:
    """A run with a result for each failing sentence, at its line."""
    rules = [
        {
            "id": state.value,
            "shortDescription": {"text": _SAID[state.value]},
            "name": f"Sentence{state.value.title().replace('_', '')}",
        }
        for state in sorted(FAILING)
    ]
    rules.append({"id": "not_verified", "shortDescription": {"text": "Nothing was verified."}, "name": "NotVerified"})
    driver = {"name": "citewell", "version": version, "rules": rules}
    results = [result for outcome in outcomes for result in _results(outcome)]
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _results(outcome: Outcome) -> list[dict[str, Any]]:
    if outcome.problem is not None:
        return [_result("not_verified", outcome.problem, outcome, outcome.case.line)]
    return [
        _result(sentence.status.value, line, outcome, outcome.case.line_of(sentence.start))
        for sentence, line in zip(outcome.failing, outcome.lines(), strict=True)
    ]


def _result(rule: str, text: str, outcome: Outcome, line: int) -> dict[str, Any]:
    path = quote(_in_repository(outcome.case.path), safe="/:")
    # In SARIF, a relative reference must not begin with a slash.
    place = {
        "artifactLocation": {"uri": f"file://{path}" if path.startswith("/") else path},
        "region": {"startLine": line},
    }
    message = {"text": text if outcome.case.has_own_file else f"{outcome.case.name}: {text}"}
    return {"ruleId": rule, "level": "error", "message": message, "locations": [{"physicalLocation": place}]}


@cache
def _in_repository(path: str) -> str:
    """The path from the root of the repository in which this runs, as pipelines expect it; outside of one,
    unchanged.
    """
    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), None)
    whole = Path(normpath(here / path))
    is_inside = root is not None and path != "-" and whole.is_relative_to(root)
    return whole.relative_to(root).as_posix() if is_inside and root else path.replace("\\", "/")


def github(outcomes: Sequence[Outcome]) -> list[str]:
    """A workflow command for each failing sentence, which makes GitHub show it beside its line."""
    return [_command(result) for outcome in outcomes for result in _results(outcome)]


def _command(result: dict[str, Any]) -> str:
    place = result["locations"][0]["physicalLocation"]
    file, line = (
        _property(unquote(place["artifactLocation"]["uri"]).removeprefix("file://")),
        place["region"]["startLine"],
    )
    return f"::error file={file},line={line},title={_property(result['ruleId'])}::{_data(result['message']['text'])}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
