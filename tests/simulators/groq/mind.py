"""The replies of the simulated model: plausible judgements and cited answers, from the prompt's own text alone.

A task is recognised by the fields of the required reply, named in the JSON schema or in the system text.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from tests.simulators.groq.calls import Call
from tests.simulators.groq.linking import bridged, keywords, said_of_names
from tests.simulators.groq.reading import Span, judge, numbers, sentences, share, stems, without_markers
from tests.simulators.groq.schema import blank, conforms

_SOURCE = re.compile(r'<source(?: id="(\d+)")?(?: name="([^"]*)")?[^>]*>\n(.*?)\n</source>', re.DOTALL)
_CHUNK = re.compile(r'<chunk id="(\w+)">\n(.*?)\n</chunk>', re.DOTALL)
_STATEMENT = re.compile(r'<statement id="(\w+)" sources="([\d, ]+)">\n(.*?)\n</statement>', re.DOTALL)
_LIMITS = re.compile(r"between (\d+) and (\d+) characters")
_IDK = re.compile(r"reply with exactly: (.+)")
_PART = re.compile(r"[?;]\s+|,\s+(?:and|but|or)\s+")
_DIGIT = re.compile(r"\d(?![^\[]*\])")  # not inside a citation marker
_RELEVANT_ENOUGH = 0.45
_CITABLE = 0.3
_SENTENCES_PER_PART = 2
_CITATIONS = 8
_ALONE = 3


@dataclass(frozen=True, slots=True)
class Source:
    """A passage of the prompt."""

    number: int
    name: str
    text: str


Rated = tuple[float, Source, Span]


@dataclass(frozen=True, slots=True)
class Task:
    """A parsed prompt."""

    system: str
    user: str

    @property
    def sources(self) -> list[Source]:
        return [Source(int(n or i), name, text) for i, (n, name, text) in enumerate(_SOURCE.findall(self.user), 1)]

    @property
    def everything(self) -> str:
        return "\n\n".join(source.text for source in self.sources)

    def part(self, tag: str) -> str:
        found = re.search(rf"<{tag}(?: [^>]*)?>\n(.*?)\n</{tag}>", self.user, re.DOTALL)
        return found[1] if found else ""


def kind_of(call: Call) -> str:
    """The name of the task: one of the kinds below, or `other`."""
    asked = json.dumps(call.schema) if call.schema else call.instructions
    is_text = call.request.response_format.type == "text"
    prose = "generate_answer" if is_text and _SOURCE.search(call.user) else "other"
    return next((kind for kind, fields in _FIELDS.items() if all(f'"{name}"' in asked for name in fields)), prose)


def think(call: Call, *, lying: bool = False) -> str:
    """Write the reply to `call`; when `lying`, one of the right form that is wrong."""
    task, kind = Task(call.instructions, call.user), kind_of(call)
    if kind == "generate_answer":
        answer = _answer(task)
        return _corrupted(answer) if lying else answer
    if kind == "other" and call.request.response_format.type == "text":
        return "I have nothing to say to this."
    judgement = _JUDGEMENTS[kind](task) if kind in _JUDGEMENTS else {}
    if call.schema and not conforms(judgement, call.schema, call.schema):
        judgement = blank(call.schema, call.schema)
    return json.dumps(_inverted(judgement) if lying else judgement, ensure_ascii=False)


def _rerank_chunk(task: Task) -> dict[str, Any]:
    return {"score": _relevance(task, task.sources)}


def _rerank_chunks(task: Task) -> dict[str, Any]:
    chunks = _CHUNK.findall(task.user)
    return {"scores": [{"id": id_, "score": _relevance(task, [Source(1, "", text)])} for id_, text in chunks]}


def _relevance(task: Task, sources: list[Source]) -> float:
    best = [ranked[0][0] for ranked in _ranked_by_part(task, sources) if ranked]
    return round(max(best, default=0.0), 2)


def _ranked_by_part(task: Task, sources: list[Source] | None = None) -> list[list[Rated]]:
    """For each part of the question, the sentences of all sources, best first."""
    parts = [part for part in _PART.split(task.part("question")) if len(stems(part)) > 1]
    given = task.sources if sources is None else sources
    return [sorted(_rated(part, given), key=lambda rated: -rated[0]) for part in parts]


def _rated(question: str, sources: list[Source]) -> list[Rated]:
    """Each sentence with the share of the question that it and its surroundings cover, 0..1."""
    about = [stems(f"{source.name} {source.text}") for source in sources]
    # Words that every source contains do not tell them apart: "the company" is not what is asked.
    weights = {stem: 1 / max(1, sum(stem in known for known in about)) for stem in stems(question)}

    def covered(known: set[str]) -> float:
        return sum(weight for stem, weight in weights.items() if stem in known) / sum(weights.values())

    return [
        ((0.6 * covered(stems(span.text)) + 0.4 * covered(known)) * (1 if span.is_whole else 0.8), source, span)
        for source, known in zip(sources, about, strict=True)
        for span in sentences(source.text)
    ]


def _answer(task: Task) -> str:
    asked = bridged(task.part("question"), [source.text for source in task.sources])
    if asked is not None:
        return " ".join(_cited(sentence, {number}) for sentence, number in asked) or _unknown(task)
    chosen: dict[str, set[int]] = {}
    for ranked in _ranked_by_part(task):
        best = ranked[0][0] if ranked else 0.0
        good = [rated for rated in ranked if rated[0] >= max(_RELEVANT_ENOUGH, 0.7 * best)]
        for _, _, span in good[:_SENTENCES_PER_PART]:
            chosen.setdefault(span.flat, set())
    if not chosen:
        return _unknown(task)
    for source in task.sources:
        # Overlapping passages hold the same sentence: one sentence, several markers.
        for span in sentences(source.text):
            if span.flat in chosen:
                chosen[span.flat].add(source.number)
    return " ".join(_cited(sentence, markers) for sentence, markers in chosen.items())


def _unknown(task: Task) -> str:
    idk = _IDK.search(task.system)
    return idk[1].strip() if idk else "I do not know."


def _cited(sentence: str, markers: set[int]) -> str:
    body = sentence.lstrip("-* ").rstrip(".!?。")
    return f"{body}{''.join(f'[†{number}]' for number in sorted(markers))}."


def _extract_citations(task: Task) -> dict[str, Any]:
    found = _LIMITS.search(task.system)
    low, high = (int(found[1]), int(found[2])) if found else (50, 200)
    rated = sorted(chain.from_iterable(_ranked_by_part(task)), key=lambda item: -item[0])
    good = list(dict.fromkeys((source, span) for score, source, span in rated if score >= _CITABLE))[:_CITATIONS]
    return {
        "citations": [
            {
                "source": source.number,
                "text_span": _fitted(source.text, span, low, high),
                "claim_text": without_markers(span.flat)[:160],
                "citation_type": "paraphrase",
            }
            for source, span in good
        ]
    }


def _fitted(text: str, span: Span, low: int, high: int) -> str:
    """The span, widened to `low` characters or cut at a word to `high`, still copied exactly."""
    end = max(span.start + len(span.text), min(span.start + low, len(text)))
    start = min(span.start, max(0, end - low))
    if end - start > high:
        end = start + high
        end = max(text.rfind(" ", start, end), start + high // 2)
    return text[start:end].strip()


def _check_statement(task: Task) -> dict[str, Any]:
    return _checked(task.part("statement"), task.everything)


def _check_statements(task: Task) -> dict[str, Any]:
    verdicts: list[dict[str, Any]] = []
    for id_, numbers_, statement in _STATEMENT.findall(task.user):
        cited = {int(number) for number in numbers_.split(", ")}
        sources = "\n\n".join(source.text for source in task.sources if source.number in cited)
        verdicts.append({"id": id_, "verdict": _checked(statement, sources)})
    return {"verdicts": verdicts}


def _recheck_statements(task: Task) -> dict[str, Any]:
    """The same reading again: what it was told to look at changes nothing that it finds."""
    return {"verdicts": [_looked_again(each) for each in _check_statements(task)["verdicts"]]}


def _looked_again(told: dict[str, Any]) -> dict[str, Any]:
    verdict = {name: value for name, value in told["verdict"].items() if name not in ("differences", "explanation")}
    return {"id": told["id"], "verdict": {**verdict, "comparison": told["verdict"]["explanation"]}}


def _checked(statement: str, source: str) -> dict[str, Any]:
    relation, confidence, because = judge(statement, source)
    supported = relation == "supports"
    return {
        "evidence": because if supported else "",
        "differences": [] if supported else [f"Not said so: {without_markers(statement)[:160]}"],
        "explanation": f"The source says: {because[:160]}",
        "relation": relation,
        "is_accurate": supported,
        "confidence": confidence,
    }


def _check_facts(task: Task) -> dict[str, Any]:
    """For other systems; Citewell derives its facts from its checks of statements."""
    return {"claims": [_fact(span.flat, task.sources) for span in sentences(task.part("answer"))[:5]]}


def _fact(sentence: str, sources: list[Source]) -> dict[str, Any]:
    verdicts = [(source.number, *judge(sentence, source.text)[:2]) for source in sources]
    support = [(number, confidence) for number, relation, confidence in verdicts if relation == "supports"]
    return {
        "claim": without_markers(sentence),
        "supporting_sources": [number for number, _ in support],
        "verified": bool(support),
        "confidence": max((confidence for _, confidence in support), default=0.8),
    }


_WORTH = {"supports": 1.0, "partially_supports": 0.5, "contradicts": 0.0, "does_not_mention": 0.0}


def _check_alignment(task: Task) -> dict[str, Any]:
    verdicts = [judge(span.text, task.everything)[0] for span in sentences(task.part("answer"))]
    grounded = sum(_WORTH[verdict] for verdict in verdicts) / len(verdicts) if verdicts else 0.0
    addressed = share(stems(task.part("question")), stems(task.part("answer")))
    supported = sum(verdict == "supports" for verdict in verdicts)
    reason = f"{supported} of {len(verdicts)} sentences are supported by the sources."
    answers = "yes" if addressed >= 0.5 else "partly" if addressed >= 0.2 else "no"
    return {
        "asked": task.part("question"),
        "open_parts": [] if answers == "yes" else [task.part("question")],
        "answers": answers,
        "score": round(0.8 * grounded + 0.2 * addressed, 2),
        "reason": reason,
    }


def _check_answerability(task: Task) -> dict[str, Any]:
    for span in sentences(task.part("answer")):
        if judge(span.text, task.everything)[0] != "supports":
            return {"reason": f"The context does not say: {without_markers(span.flat)[:160]}", "supported": False}
    return {"reason": "Every sentence of the answer is in the context.", "supported": True}


def _plan_queries(task: Task) -> dict[str, Any]:
    lines = [line.strip("- ").strip() for line in task.part("claims").splitlines()]
    return {"queries": [line for line in lines if line][:4]}


def _restate_question(task: Task) -> dict[str, Any]:
    """A short question, or one with a pronoun, after the user's first one."""
    question, before = (
        task.part("question").strip(),
        re.findall(r"^user: (.+)$", task.part("conversation"), re.MULTILINE),
    )
    refers = len(stems(question)) < _ALONE or re.search(r"\b(it|they|them|that|those|this)\b", question)
    return {"standalone_question": f"{before[0]} {question}" if before and refers else question}


def _rewrite_question(task: Task) -> dict[str, Any]:
    """Each part of the question, and its words without question words."""
    question = task.part("question").strip()
    parts = [part.rstrip("?") for part in _PART.split(question) if len(stems(part)) > 1]
    content = [word for word in re.findall(r"[\w-]+", question) if stems(word)]
    return {"questions": [text for text in (*parts, " ".join(content)) if text != question.rstrip("?")]}


def _decide_search(task: Task) -> dict[str, Any]:
    """Search for each part of the question, once."""
    made = {line.strip("- ").strip() for line in task.part("searches").splitlines()}
    parts = [part.rstrip("?") for part in _PART.split(task.part("question").strip()) if len(stems(part)) > 1]
    wanted = [part for part in parts if part not in made][:3]
    if not wanted:
        return {"action": "answer", "queries": [], "reason": "Everything was searched for."}
    return {"action": "search", "queries": wanted, "reason": f"{len(wanted)} parts are open."}


def _research_notes(task: Task) -> dict[str, Any]:
    rated = sorted(chain.from_iterable(_ranked_by_part(task)), key=lambda item: -item[0])
    good = dict.fromkeys((source, span) for score, source, span in rated if score >= _CITABLE)
    return {
        "notes": [
            {"fact": without_markers(span.flat)[:160], "source": source.number, "quote": span.text[:200]}
            for source, span in list(good)[:_CITATIONS]
        ]
    }


def _rewrite_statement(task: Task) -> dict[str, Any]:
    """The source's own sentence about the same, if one shares most of the words."""
    wanted = stems(task.part("statement"))
    rated = [
        (share(wanted, stems(span.text)), source, span) for source in task.sources for span in sentences(source.text)
    ]
    likeness, source, span = max(rated, key=lambda each: each[0], default=(0.0, None, None))
    if source is None or span is None or likeness < 0.5:
        return {"text": "", "source": 0}
    return {"text": without_markers(span.flat), "source": source.number}


_FORM = re.compile(r"^(/\S+): (\w+)", re.MULTILINE)
_ENTRY = re.compile(r'<entry id="(\w+)">\nfield: (\S+)\nvalue: (.*?)\nsentences:\n(.*?)\n</entry>', re.DOTALL)


def _fill_fields(task: Task) -> dict[str, Any]:
    """The first number of the sentence that shares most with a field's line, or that sentence."""
    said = [line.partition(". ")[::2] for line in task.part("sentences").splitlines()]
    fields: list[dict[str, Any]] = []
    for line in task.part("form").splitlines():
        if not (place := _FORM.match(line)):
            continue
        about = stems(re.sub(r"[/_*]", " ", place[1]) + line[place.end() :])
        number, text = max(said, key=lambda each: share(about, stems(each[1])))
        found = re.search(r"\d[\d.,]*\d|\d", text) if place[2] in ("number", "integer") else None
        value = found[0] if found else "true" if place[2] == "boolean" else text.rstrip(".")
        if share(about, stems(text)):
            fields.append({"path": place[1].replace("*", "0"), "sentences": [int(number)], "value": value})
    return {"fields": fields}


def _check_fields(task: Task) -> dict[str, Any]:
    """A field is meant if its sentences share a word with its path or its line in the form."""
    lines = {line.partition(":")[0]: line for line in task.part("form").splitlines()}

    def meant(path: str, text: str) -> bool:
        line = lines.get(re.sub(r"/\d+", "/*", path), path)
        return bool(stems(re.sub(r"[/_*:]", " ", line)) & stems(text))

    checked = [(id_, meant(path, said)) for id_, path, _, said in _ENTRY.findall(task.user)]
    return {
        "checks": [
            {"id": id_, "reason": "It shares words." if yes else "It is of something else.", "says": yes}
            for id_, yes in checked
        ]
    }


def _corrupted(text: str) -> str:
    if not numbers(text):
        return f"Contrary to expectation, {text}".replace("[†", " by 37 percent[†", 1)
    return _DIGIT.sub(lambda digit: str((int(digit[0]) + 3) % 10), text)


def _inverted(judgement: dict[str, Any]) -> dict[str, Any]:
    """The opposite verdicts, quotes that are nowhere, wrong sources."""
    lies: dict[str, Callable[[Any], Any]] = {
        "score": lambda score: round(1 - score, 2),
        "answers": lambda answers: "no" if answers == "yes" else "yes",
        "supported": lambda yes: not yes,
        "is_accurate": lambda yes: not yes,
        "differences": lambda found: [] if found else ["the source says something else"],
        "relation": lambda relation: "contradicts" if relation == "supports" else "supports",
        "confidence": lambda _: 0.97,
        "text_span": lambda quote: f"{' '.join(reversed(quote.split()))} as everybody knows",
        "action": lambda _: "search",
        "queries": lambda queries: queries or ["something else"],
        "says": lambda yes: not yes,
        "value": lambda value: f"{value} or so",
        "fields": lambda fields: [_inverted(each) for each in fields],
        "checks": lambda checks: [_inverted(each) for each in checks],
        "quote": lambda quote: f"{' '.join(reversed(quote.split()))} as everybody knows",
        "notes": lambda notes: [_inverted(note) for note in notes],
        "scores": lambda scores: [_inverted(score) for score in scores],
        "verdicts": lambda verdicts: [_inverted(each) for each in verdicts],
        "verdict": _inverted,
        "citations": lambda citations: [_inverted(citation) for citation in citations],
    }
    return {name: lies[name](value) if name in lies else value for name, value in judgement.items()}


def _extract_graph(task: Task) -> dict[str, Any]:
    return said_of_names(task.everything)


def _extract_keywords(task: Task) -> dict[str, Any]:
    return keywords(task.part("question"))


_JUDGEMENTS: dict[str, Callable[[Task], dict[str, Any]]] = {
    "extract_citations": _extract_citations,
    "check_facts": _check_facts,
    "decide_search": _decide_search,
    "research_notes": _research_notes,
    "restate_question": _restate_question,
    "rewrite_question": _rewrite_question,
    "plan_queries": _plan_queries,
    "rewrite_statement": _rewrite_statement,
    "recheck_statements": _recheck_statements,
    "check_statements": _check_statements,
    "check_statement": _check_statement,
    "check_answerability": _check_answerability,
    "check_alignment": _check_alignment,
    "rerank_chunks": _rerank_chunks,
    "rerank_chunk": _rerank_chunk,
    "extract_graph": _extract_graph,
    "fill_fields": _fill_fields,
    "check_fields": _check_fields,
    "extract_keywords": _extract_keywords,
}
# In this order: a task whose fields are a part of another's comes after it.
_FIELDS: dict[str, tuple[str, ...]] = {
    "extract_graph": ("entities", "relations"),
    "extract_keywords": ("low_level", "high_level"),
    "fill_fields": ("fields", "path"),
    "check_fields": ("checks", "says"),
    "extract_citations": ("citations", "text_span"),
    "check_facts": ("claims", "supporting_sources"),
    "decide_search": ("action", "queries"),
    "research_notes": ("notes", "quote"),
    "restate_question": ("standalone_question",),
    "rewrite_question": ("questions",),
    "plan_queries": ("queries",),
    "rewrite_statement": ("text", "source"),
    "recheck_statements": ("verdicts", "comparison"),
    "check_statements": ("verdicts", "is_accurate"),
    "rerank_chunks": ("scores",),
    "check_statement": ("is_accurate", "relation"),
    "check_answerability": ("supported", "reason"),
    "check_alignment": ("score", "reason"),
    "rerank_chunk": ("score",),
}
