"""Public questions, each of its own document: `python -m benchmarks.answers.public FOLDER [--number N] [--quick]`.

FOLDER/qa holds NAME_passages.jsonl and NAME_questions.jsonl of SQuAD 2 and TAT-QA. A document is the passages in their
order, its tables as tables of Markdown. Questions whose answer is computed or that are about "the table" are left out.
With a number, those with the lowest hash are asked, so that a larger number asks the same and more. Half of all are
for fitting; the unanswerable are counted apart.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.answers.commands import Asked, outcomes, parser_of
from benchmarks.answers.judged_answers import Outcome, Question, is_shown, show_each, show_time
from benchmarks.answers.question_data import is_in_fitted_half

_HEADINGS = (
    "set", "number", "answered", "right of answered", "right of all", "passage shown", "no answer exists", "answered",
    "green", "BM25 line right",
)  # fmt: skip
FITTING = "for fitting"
_SCALE = re.compile(r"(?<=\d) (?:thousand|million|billion)$")
_LONG, _MOST_WORDS = 8, 0.7  # an answer with more words is a sentence, of which this share of words must occur


def read_folder(folder: Path) -> tuple[dict[str, str], list[Question]]:
    """Return the text of each document, and the questions about them in the order of their hashes."""
    texts: dict[str, str] = {}
    questions: dict[str, Question] = {}
    for file in sorted(folder.glob("*_passages.jsonl")):
        passages = {passage["id"]: passage for passage in _lines(file)}
        names = {passage["doc"]: f"{passage['dataset']}-{passage['doc'][:40]}.md" for passage in passages.values()}
        parts: dict[str, list[str]] = defaultdict(list)
        for passage in passages.values():
            parts[names[passage["doc"]]].append(_markdown(passage))
        texts |= {name: "\n\n".join(pieces) for name, pieces in parts.items()}
        for line in _lines(file.with_name(file.name.replace("_passages", "_questions"))):
            if (
                line["meta"].get("answer_type", "span") in ("span", "multi-span")
                and "the table" not in line["question"]
            ):
                gold = [passages[key] for key in line["gold"]]
                questions[_hash(line["id"])] = _question(
                    line, names[gold[0]["doc"]], [passage["text"] for passage in gold]
                )
    return texts, [questions[key] for key in sorted(questions)]


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


def _markdown(passage: Mapping[str, Any]) -> str:
    if passage.get("kind") != "table":
        return passage["text"]
    rows = [[cell.strip() for cell in row.split("|")] for row in passage["text"].splitlines()]
    width = max(map(len, rows))
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def _is_together(line: Mapping[str, Any]) -> bool:
    return line["meta"].get("answer_type") == "multi-span"


def _question(line: Mapping[str, Any], document: str, gold: Sequence[str]) -> Question:
    """Spans are all required together; the answers of several people are alternatives."""
    accept = [tuple(line["answers"])] if _is_together(line) else [(answer,) for answer in line["answers"]]
    # A cell has no scale, because the scale is in the head.
    accept += [(_SCALE.sub("", answer),) for answer, *more in accept if not more and _SCALE.search(answer)]
    words = list(dict.fromkeys(line["answers"][0].split())) if len(line["answers"]) == 1 else []
    is_long = len(words) > _LONG
    return Question(
        text=line["question"],
        kind=f"{line['dataset']} {line['meta'].get('answer_from', '')}".strip(),
        language=line["lang"],
        accept=(tuple(word.strip(".,;:()") for word in words),) if is_long else tuple(accept),
        least=round(_MOST_WORDS * len(words)) if is_long else 0,
        refuse=not line["answerable"],
        half=FITTING if is_in_fitted_half(line["id"]) else "for checking",
        documents=(document,),
        passages=tuple(gold),
    )


def show(answers: Sequence[Outcome]) -> None:
    table = Table(title=f"{len(answers)} public questions, each of its own document, no model")
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading == "set" else "right")
    for kind in sorted({outcome.question.kind for outcome in answers}):
        table.add_row(*_row(kind, [outcome for outcome in answers if outcome.question.kind == kind]))
    table.add_section()
    table.add_row(*_row("all", answers))
    table.add_row(*_row("  not for fitting", [outcome for outcome in answers if outcome.question.half != FITTING]))
    Console(width=150).print(table)
    show_time(answers)


def _row(name: str, answers: Sequence[Outcome]) -> tuple[str, ...]:
    answerable = [outcome for outcome in answers if not outcome.question.refuse]
    unanswerable = [outcome for outcome in answers if outcome.question.refuse]
    answered = [outcome for outcome in answerable if outcome.reply.answer is not None]
    return (
        name,
        str(len(answerable)),
        _share(answerable, lambda outcome: outcome.reply.answer is not None),
        _share(answered, lambda outcome: outcome.worth == "useful"),
        _share(answerable, lambda outcome: outcome.worth == "useful"),
        _share(answerable, is_shown),
        str(len(unanswerable) or ""),
        _share(unanswerable, lambda outcome: outcome.reply.answer is not None),
        _share(unanswerable, lambda outcome: outcome.worth == "wrong, green"),
        _share(answerable, lambda outcome: outcome.is_line_useful),
    )


def _share(answers: Iterable[Outcome], holds: Callable[[Outcome], bool]) -> str:
    hits = [holds(outcome) for outcome in answers]
    return f"{sum(hits) / len(hits):.0%}" if hits else ""


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, help="how many questions; all without it")
    options = parser.parse_args()
    texts, questions = read_folder(options.folder / "qa")
    with TemporaryDirectory() as made:
        workspaces: dict[str, Asked] = {}
        for question in questions[: options.number]:
            [name] = question.documents
            file = Path(made) / name
            file.write_text(texts[name], encoding="utf-8")
            known = workspaces[name].questions if name in workspaces else ()
            workspaces[name] = Asked([file], [*known, question])
        answers = outcomes({Path(name).stem: asked for name, asked in workspaces.items()}, options)
    if options.verbose:
        show_each(answers)
    show(answers)


if __name__ == "__main__":
    main()
