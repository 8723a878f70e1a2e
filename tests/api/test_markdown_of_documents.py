"""What documents and models write is no markup of an export: any reader of its Markdown shows it as it is (A8)."""

import re

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import update

from api.adapters.markdown import literal, reader, written
from db.models import Answer, Citation, Query, VerificationSentence
from db.session import transaction

OWN = "http://own.example/#/document/1?start=1&end=2"
READER = MarkdownIt("commonmark", {"html": True}).enable("table")
HOSTILE = [
    "<img src=x onerror=alert(1)> is the tag.",
    "<script>alert(1)</script>",
    "<!-- hidden --> <?php x ?> <![CDATA[x]]> </td>",
    "[go](javascript:alert(1)) and [go](https://evil.example 'title')",
    "![pixel](https://evil.example/p.png)",
    "![[1]](https://evil.example/p.png) [[1]](https://evil.example)",
    "<https://evil.example> <javascript:alert(1)> <a@evil.example>",
    "[1]: https://evil.example",
    "See [1][x], [x][] and [x]. [x]: <https://evil.example> 'title'",
    "&lt;b&gt; &amp;amp; &copy; &#x3c;script&#62;",
    "a | b | c || d",
    "|---|---|",
    "`<b>` and ``x`` and ``` y",
    "```html",
    "~~struck~~ *em* __strong__ snake_case_name 2*3*4",
    r"C:\<b>\[x](https://evil.example)\\",
    "# A heading #",
    "- an item",
    "1. counted",
    "2023) counted",
    "+ more",
    "> quoted",
    "=====",
    "a \\",
    "line one\n\n<div>\nline two\r\n| x |\u2028y",
    "]](https://evil.example) [",
    "*",
    "한국어 <b>제목</b> “[1]”",
]
PIECES = st.sampled_from(
    [
        *(
            "|",
            "|---|---|",
            f"[[1]]({OWN})",
            "[1]: http://e",
            "[1]()",
            "\n",
            "\n\n",
            "\t",
            "    ",
            "\\",
            "1. ",
            "# ",
            "- ",
        ),
        *"a 1 * ** _ ` `` ``` ~~~ ( ) <b> </b> <!-- --> <http://x.y> & &lt; ! --- === +  > [1] ~ :-: ? é".split(" "),
        *"[x](javascript:a) ![i](http://e) 한국 [ ] <script> <img".split(" "),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=12).map("".join))


def page_of(markdown: str) -> LexborHTMLParser:
    return LexborHTMLParser(f"<main>{READER.render(markdown)}</main>")


def shown(html: str) -> str:
    main = LexborHTMLParser(f"<main>{html}</main>").css_first("main")
    return "".join(main.text().split()) if main else ""


def one_line(text: str) -> str:
    # A reader of CommonMark replaces what is no character of a text.
    return " ".join(text.replace("\x00", "\ufffd").split())


PLACES = {"a heading": "# {}", "an aside": "*{}*", "an item": "- {}", "behind a link": "- [[1]](http://x.y) {}"}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@settings(deadline=None)
@given(text=TEXTS)
def test_a_text_is_shown_as_it_is_wherever_it_stands(place: str, text: str) -> None:  # A8
    wanted = one_line(text)
    if not wanted:
        return
    main = page_of(place.format(literal(text))).css_first("main")
    assert main is not None
    assert " ".join(main.text().split()).removeprefix("[1] ").strip() == wanted.removeprefix("[1] ").strip()
    known = {"h1": "# {}", "em": "*{}*"}
    made = {node.tag for node in main.css("*")} - {"main", "p", "ul", "li", "a"}
    assert made <= {tag for tag, form in known.items() if form == place}


@settings(deadline=None)
@given(cells=st.lists(TEXTS.filter(lambda text: bool(one_line(text))), min_size=3, max_size=3))
def test_a_cell_of_a_table_is_shown_as_it_is(cells: list[str]) -> None:  # A8
    rows = ["| a | b | c |", "|---|---|---|", "| " + " | ".join(map(literal, cells)) + " |"]
    found = page_of("\n".join(rows)).css("td")
    assert [" ".join(cell.text().split()) for cell in found] == [one_line(cell) for cell in cells]
    assert {node.tag for cell in found for node in cell.css("*")} == {"td"}


@settings(deadline=None, max_examples=400)
@given(answer=TEXTS)
def test_an_answer_has_its_form_and_nothing_of_a_document_runs_loads_or_leads_away(answer: str) -> None:  # A8
    html = READER.render(written(answer, {OWN}))
    page = LexborHTMLParser(f"<main>{html}</main>")
    formed = "h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre code em strong hr br table thead tbody tr th td a".split()
    assert {node.tag for node in page.css("main *")} <= {*formed, "main"}
    assert {link.attributes.get("href") for link in page.css("a")} <= {OWN}
    plain = reader({OWN}).disable("emphasis")
    assert shown(html) in (shown(reader({OWN}).render(answer)), shown(plain.render(answer)))


FORMED = f"""# Returns

A **receipt** is *needed* within `30 <b>` days [[1]]({OWN}).
A second line\\
and a third one.

- first
  - within it
- second

3. counted
4. again

> quoted
> words

```
<b> | x = [1,   2] ```` &lt;
```

| Year | Days |
| --- | --- |
| 2023 | **14** \\| of `a\\|b` |

___
"""


def test_the_form_of_an_answer_stays() -> None:  # A8
    assert READER.render(written(FORMED, {OWN})) == reader({OWN}).render(FORMED)


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE)
def test_the_exports_show_hostile_texts_and_nothing_else(http: httpx.Client, query_id: str, hostile: str) -> None:  # A8
    name = one_line(hostile)
    with transaction() as session:
        session.execute(update(Query).values(question=hostile))
        session.execute(update(Answer).values(text=f"{hostile}\n\nSo it is.", references=[f"[1] {name}, p.1"]))
        session.execute(update(Citation).values(document_name=name, answer_start=0, answer_end=0))
        session.execute(update(VerificationSentence).values(text=hostile, evidence=None, reason=hostile))
    files = {
        kind: http.get(f"/v1/queries/{query_id}/export", params={"format": kind}).raise_for_status()
        for kind in ("markdown", "html", "pdf")
    }
    own = str(http.base_url).rstrip("/")
    for page in (page_of(files["markdown"].text), LexborHTMLParser(files["html"].text)):
        assert page.css("main script, main img, main iframe, main b, main div:not([class])") == []
        # Into documents, or within the page to a quote.
        leading = [str(link.attributes["href"]) for link in page.css("a")]
        assert all(address.startswith((f"{own}/#/document/", "#")) for address in leading), leading
        heading, *_ = page.css("h1")
        assert " ".join(heading.text().split()) == name
        checked = [" ".join(item.text().split()) for item in page.css("li")]
        # The sentences with their verdicts, in the words of the document.
        assert sum(item.endswith(f" {name}") for item in checked) == 2, checked
    links = re.findall(rb"/URI\s*\(([^)]*)\)", files["pdf"].content)
    assert links
    assert all(link.startswith(f"{own}/#/document/".encode()) for link in links)
