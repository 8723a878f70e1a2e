"""Questions about office papers: `python -m benchmarks.answers.office [--second] [--half open|kept] [--quick]`.

The papers and the questions are ours: written for this benchmark before the reader's code was looked at, so they say
how the kinds compare, not how often strangers' questions are answered. The open half is for work on the reader; the
kept half is asked at the end of it. The second papers are of 28 November 2026, after
the first had been used up.
"""

from pathlib import Path

from benchmarks.answers.commands import Asked, outcomes, parser_of
from benchmarks.answers.judged_answers import read_questions, show

_HERE = Path(__file__).parent


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--half", choices=("open", "kept"), default="open")
    parser.add_argument("--second", action="store_true", help="the second papers, which are others")
    options = parser.parse_args()
    folder = _HERE / "second" if options.second else _HERE
    questions = [question for question in read_questions(folder / "questions.jsonl") if question.half == options.half]
    asked = Asked(sorted((folder / "documents").iterdir()), questions)
    title = f"{len(questions)} questions, the {options.half} half, about papers of our own making, no model"
    show(title, outcomes({"office": asked}, options), verbose=options.verbose)


if __name__ == "__main__":
    main()
