"""The questions of a first day without a model: `python -m benchmarks.answers.first_day FOLDER...  [--quick]`.

The folders have to have the files that it names; nothing of them is in this project. `first_day.jsonl` beside this file
has the 58 questions, and what one would accept as an answer.
"""

from pathlib import Path

from benchmarks.answers.commands import Asked, outcomes, parser_of
from benchmarks.answers.judged_answers import read_questions, show

FILES = (
    "lease-leeds-scan.pdf",
    "minutes-2026-02-12.docx",
    "prices-2026.csv",
    "sales-2025.xlsx",
    "travel-policy-2024.md",
    "travel-policy.md",
    "부산지사-2025-보고서.docx",
    "2305.03393v1-pg9.pdf",
    "amt_handbook_sample.pdf",
    "eml_with_attachment.eml",
    "powerpoint_sample.pptx",
    "redp5110_sampled.pdf",
    "wiki.md",
    "wiki_duck.html",
    "word_sample.docx",
)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    files = [next((folder / name for folder in options.folders if (folder / name).exists()), None) for name in FILES]
    missing = [name for name, file in zip(FILES, files, strict=True) if file is None]
    if missing:
        parser.error(f"none of the folders has {', '.join(missing)}: give all folders that have the documents")
    asked = Asked([file for file in files if file], read_questions(Path(__file__).with_suffix(".jsonl")))
    answered = outcomes({"first-day": asked}, options)
    show(f"{len(answered)} questions of a first day, no model", answered, verbose=options.verbose)


if __name__ == "__main__":
    main()
