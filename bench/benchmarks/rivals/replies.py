"""The replies of the simulated model to the prompts of each system, derived from nothing but the prompt's own text.

One reader judges for all (`tests.simulators.groq.reading`), so a verdict differs between systems only where they ask
for something else. The simulator itself answers prompts of Citewell's form; the others are recognised by their wording.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from benchmarks.rivals.work import DRAFT, KEPT
from tests.simulators.groq import mind
from tests.simulators.groq.calls import Call, ChatRequest, count_tokens
from tests.simulators.groq.catalogue import MODELS
from tests.simulators.groq.reading import judge, sentences, share, stems, without_markers

_SOURCE = re.compile(
    r'<source id="(?P<fenced>\d+)"[^>]*>\n(?P<text>.*?)\n</source>'
    r"|^(?:Source |Document |\[)(?P<plain>\d+)[\]:]+\s+(?P<words>.+?)(?=\n\s*\n|\n(?:Source |Document |\[)\d|\n-|\Z)",
    re.DOTALL | re.MULTILINE,
)
_QUESTION = re.compile(r"^(?:Query|Question|User question|<question>)(?: is)?:?\s+(.+)$", re.MULTILINE)
_INFORMATION = re.compile(r"Information: (.*?)\nContext: (.*?)\nAnswer:", re.DOTALL)
_GRADED = re.compile(r"Retrieved document:\s+(.*?)\s+User question: (.*)\Z", re.DOTALL)
_FACTS = re.compile(r"Set of facts:\s+(.*?)\s+LLM generation: (.*)\Z", re.DOTALL)
_ANSWERS = '"predicted_answers":'
_RELEVANT = 0.4


def reply_to(body: dict[str, Any]) -> str:
    """Return the model's reply to a chat completion request."""
    call = _call(body)
    text = f"{call.system}\n{call.user}"
    for known, reply in _FORMS:
        if known in text:
            return reply(call)
    if mind.kind_of(call) not in ("generate_answer", "other"):
        return mind.think(call)
    return _answer(text)


def prompt_tokens(body: dict[str, Any]) -> int:
    """Count the tokens as the simulator of the provider does: a token per four bytes, and the schema."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    told = sum(4 + count_tokens(_content(message)) for message in body["messages"])
    return 3 + told + (count_tokens(json.dumps(schema)) if schema else 0)


def _call(body: dict[str, Any]) -> Call:
    messages = [{"role": each["role"], "content": _content(each)} for each in body["messages"]]
    known = {"model": body["model"], "messages": messages, "response_format": body.get("response_format")}
    request = ChatRequest.model_validate({name: value for name, value in known.items() if value is not None})
    return Call(request, MODELS[body["model"]], 0)


def _content(message: dict[str, Any]) -> str:
    """Return the content as text; some systems send a list of parts."""
    content: str | list[dict[str, str]] = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _sources(text: str) -> list[tuple[str, str]]:
    """Return the number and the words of each passage in a prompt."""
    found = _SOURCE.finditer(text)
    return [(match["fenced"] or match["plain"], match["text"] or match["words"]) for match in found]


def _answer(text: str) -> str:
    """Return the draft, each sentence with the number under which this prompt shows the passage that it cites."""
    sources = _sources(text)
    sign = "†" if "[†" in text else ""
    cited: list[str] = []
    for said in DRAFT:
        opening = said.passage[:60]
        number = next((number for number, words in sources if words.lstrip().startswith(opening)), None)
        cited += [f"{said.text}[{sign}{number}]."] if number else []
    return " ".join(cited) or "I do not know."


def _ranked(text: str) -> list[tuple[str, float]]:
    """Return the number and relevance of the passages that are worth reading, the best first."""
    asked = stems(_QUESTION.findall(text)[-1])
    rated = [(number, share(asked, stems(words))) for number, words in _sources(text)]
    return sorted((pair for pair in rated if pair[1] >= _RELEVANT), key=lambda pair: -pair[1])[:KEPT]


def _choices(call: Call) -> str:
    lines = (f"Doc: {number}, Relevance: {10 * rate:.0f}" for number, rate in _ranked(call.user))
    return "\n".join(lines)


def _ranking(call: Call) -> str:
    return json.dumps({"documents": [{"index": int(number)} for number, _ in _ranked(call.user)]})


def _yes_or_no(call: Call) -> str:
    claim, context = _INFORMATION.findall(call.user)[-1]
    return "YES" if judge(claim, context)[0] == "supports" else "NO"


def _statements(call: Call) -> str:
    # The answer stands after the examples; the template writes lists as Python does, not as JSON.
    contexts, _, answer = call.user.rpartition("Inputs:\n")[2].rpartition("\nOutputs:")[0].partition(_ANSWERS)
    said = [without_markers(span.flat) for span in sentences(answer.strip(" '\"}"))]
    scores = [int(judge(text, contexts)[0] == "supports") for text in said]
    return json.dumps({"statements": said, "statement_scores": scores})


def _relevant(call: Call) -> str:
    document, question = _GRADED.findall(call.user)[-1]
    return _score(share(stems(question), stems(document)) >= _RELEVANT)


def _grounded(call: Call) -> str:
    facts, answer = _FACTS.findall(call.user)[-1]
    return _score(all(judge(span.text, facts)[0] == "supports" for span in sentences(answer)))


def _addressed(_call: Call) -> str:
    return _score(True)


def _score(yes: bool) -> str:
    return json.dumps({"binary_score": "yes" if yes else "no"})


# Phrases of the packages' own templates, or of the tutorials' graph; no two systems share one.
_FORMS: tuple[tuple[str, Callable[[Call], str]], ...] = (
    ("Doc: 9, Relevance: 7", _choices),
    ("You are ranking retrieved documents", _ranking),
    ("tell if a given piece of information", _yes_or_no),
    ("predicted_answers", _statements),
    ("Retrieved document:", _relevant),
    ("Set of facts:", _grounded),
    ("resolves a question", _addressed),
)
