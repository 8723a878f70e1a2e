"""130 questions about a folder of real files: `python -m benchmarks.answers.own_questions FOLDER [--quick]` (V8).

`own_questions.jsonl` beside this file holds them, with what a reader would accept. All files of the folder that can be
read are searched. The questions of round 2 were written after the first hundred had been looked at.
"""

from pathlib import Path

from benchmarks.answers.commands import Asked, outcomes, parser_of
from benchmarks.answers.judged_answers import read_questions, show

QUESTIONS = Path(__file__).with_suffix(".jsonl")


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.is_file())
    answered = outcomes({"own-questions": Asked(files, read_questions(QUESTIONS))}, options)
    show(f"{len(answered)} questions about {options.folder.name}, no model", answered, verbose=options.verbose)


if __name__ == "__main__":
    main()
