"""What the API says has a Korean text on the page: no error, reason or advice is left in English."""

import json
import re
from pathlib import Path

from api.adapters.exports import korean
from tests.api.messages import templates
from tests.node import ROOT, run_node
from workers.pipeline import STAGES, WHOLE_CHECKS

TABLE = Path("api/dashboard/messages.ko.json")
KOREAN: dict[str, str] = json.loads(TABLE.read_text(encoding="utf-8"))
_PLACE = re.compile(r"\{\w+\}")
# Descriptions of parameters, names of things inside of files, and an address in an answer.
NOT_TOLD = {
    "below zero,above zero",
    "The collection to join; made on first use.",
    "Where it came from.",
    "A file of type {1}.",
    "A JSON object, kept with every citation of the document.",
    "A JSON object, given to each document of the archive.",
    "[hidden], [popover], [aria-hidden], [style], [bgcolor], [background], [text], "
    "dialog, font, s, del, strike, input, select",
    "head > meta",
    "head > title",
    "p.wp-caption-text, div.thumbcaption, div.gallerytext",
    "Table of Contents",
    # Texts of documents.
    "Page headers and footers",
    "Comment by {1}: {2}",
    # Lines for a settings file, what the log says about a server, and how a server's own words begin.
    "{1} instead of {2}",
    "at most {1} tokens for a reply",
    "{1} more tokens for thoughts",
    "prompts are cut at {1} tokens",
    "the system message as a part of the user's",
    "extra_body: {response_format: null}",
    "extra_body: {temperature: null}",
    "extra_body: {stream_options: null}",
    "request too large",
    # What a model is tried with, which no page shows, and commands.
    "The canteen opens at noon and serves soup, bread and two warm dishes.",
    "The canteen serves two warm dishes.",
    "How much is the parking fee for visitors?",
    "How long may a product be returned?",
    "Products may be returned within 30 days of delivery.",
    "Products may be returned within 90 days of delivery.",
    "The parking fee for visitors is 7 euros.",
    "Office {number} keeps a register of its furniture, which the caretaker compares with the rooms every spring. What "
    "is broken is repaired in the workshop or handed over to a dealer, and the register notes the date.",
    "I don't know.",
    "waiting for {1}: {2}",
    "trying {1}: {2}; a model that is not loaded yet takes a while",
    "llama-server -hf NAME --port 8080",
    "lms server start",
    # E-mails are in both languages at once.
    "Citewell: an answer to review / 검토할 답변",
    "It is held back until then.",
    # Groups of words that mean the same.
    "rise increase grow climb improve gain advance jump surge",
    "fall decrease decline drop shrink worsen slip cut reduce",
    "begin start open launch commence",
    "end finish close expire conclude",
    "oppose against object reject",
    "work run operate function",
}


def test_every_message_of_the_source_has_a_korean_text() -> None:  # S5.3, S5.7
    found = templates()
    assert len(found) > 400
    missing = {text: place for text, place in found.items() if text not in KOREAN and text not in NOT_TOLD}
    assert missing == {}


def test_a_korean_text_is_korean_and_puts_in_what_the_english_one_does() -> None:  # S5.3
    for english, own in KOREAN.items():
        assert set(_PLACE.findall(own)) <= set(_PLACE.findall(english)), english
        assert re.search("[가-힣]", own) or not re.search("[A-Za-z]{3,}", _PLACE.sub("", english)), english


def test_a_value_of_several_types_is_told_in_korean() -> None:  # S5.3
    told = korean().told
    assert told("filter.year: should be a valid string, a valid integer or a valid number") == (
        "filter.year: 글, 정수 또는 수여야 합니다"
    )
    assert told("should be a valid string or a JSON object") == "글 또는 JSON 객체여야 합니다"
    types = "a valid string, a valid boolean, a valid integer, a valid number, a valid list or a JSON object"
    assert not re.search("[a-z]", told(f"should be {types}").replace("true", "").replace("false", ""))


def test_every_step_has_a_name_on_the_page() -> None:
    texts = json.loads(Path("api/dashboard/texts.en.json").read_text(encoding="utf-8"))
    assert {*STAGES, *WHOLE_CHECKS} - set(texts["parts/steps"]) == set()


READ_BY_THE_PAGE = """
import { readFileSync } from "node:fs";
import { reader } from "./api/dashboard/js/messages.js";
const read = reader(JSON.parse(readFileSync("api/dashboard/messages.ko.json")));
console.log(JSON.stringify(JSON.parse(readFileSync(process.argv[1])).map(read)));
"""


# 41
def test_files_tell_in_korean_what_the_page_does(tmp_path: Path) -> None:
    put = ["no such source", "a; b", "“gold”; or not", "x. y", "3"]
    texts = [_PLACE.sub(lambda _, place=place: put[place % len(put)], text) for place, text in enumerate(KOREAN)]
    texts += [f"{left}; {right}" for left, right in zip(texts, [*texts[7:], *texts[:7]], strict=True)]
    texts += [
        "",
        "  no such source\n",
        "What nobody wrote: it fits (x) nothing.",
        "uncertain: the source does not have “a”",
    ]
    (file := tmp_path / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    shown = json.loads(run_node("--input-type=module", "--eval", READ_BY_THE_PAGE, file, cwd=ROOT))
    assert list(map(korean().told, texts)) == shown


def test_the_table_names_no_text_twice() -> None:
    pairs: list[tuple[str, str]] = json.loads(TABLE.read_text(encoding="utf-8"), object_pairs_hook=list)
    assert len(pairs) == len(KOREAN)
