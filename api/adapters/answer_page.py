"""Answers as an HTML page that needs no other file, runs no scripts, and prints well."""

import base64
import hashlib
import html
from collections.abc import Sequence

from api.adapters.markdown import reader
from domain.answers.continuous_text import LINKED_MARKER
from domain.exports.taken_along import Entry, Part, Quote, TakenAlong

_STYLE = """:root{color-scheme:light dark}body{font:1rem/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;
padding:0 1rem;color:#1c1c1c;background:#fff;overflow-wrap:anywhere}h1{font-size:1.4rem;line-height:1.3}
h2{font-size:1.05rem;margin:1.8rem 0 .4rem}table{border-collapse:collapse}
td,.answer th{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-top:1px solid #ddd}
.signal{font-weight:600}.green{color:#156e3c}.amber{color:#8a5a00}.red{color:#b02020}.grey{color:#5c5c5c}
ul.part{list-style:none;padding:0;margin:0}ul.part>li{margin:.6rem 0;break-inside:avoid}
blockquote{margin:.2rem 0 .2rem .2rem;padding-left:.8rem;border-left:3px solid #bbb}
.small,footer{color:#5c5c5c;font-size:.85rem}:target{background:#fff3c4}a{color:#0b57a0}
.answer a{text-decoration:none}article+article{margin-top:3rem;border-top:1px solid #bbb}footer{margin-top:2rem}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}td,.answer th{border-color:#444}
.small,footer,.grey{color:#aaa}.green{color:#7bd29b}.amber{color:#e2b65a}.red{color:#f29a9a}a{color:#8ab4f8}
:target{background:#4a3d10}}
@media print{@page{margin:18mm}:root{color-scheme:light}body{max-width:none;margin:0;padding:0;color:#000;
background:#fff;font-size:10.5pt}.green,.amber,.red,.grey,.small,footer,a{color:#000}h2{break-after:avoid}
:target{background:none}a{text-decoration:none}}"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_NOTHING_RUNS = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"
HTML_POLICY = f"{_NOTHING_RUNS}; frame-ancestors 'none'"
"""The Content-Security-Policy of the page: nothing runs or is loaded in it."""


def page_of(title: str, answers: Sequence[TakenAlong], *, korean: bool = False) -> str:
    """Return the page. `korean` chooses the language of the title when there are no answers; answers bring their own
    language."""
    korean = answers[0].korean if answers else korean
    heading = "" if [answer.question for answer in answers] == [title] else f"<h1>{html.escape(title)}</h1>"
    head = (
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # This applies to the file on a disk; the server sends the same policy in a header.
        f'<meta http-equiv="Content-Security-Policy" content="{_NOTHING_RUNS}">',
        f"<title>{html.escape(title)}</title>",
        f"<style>{_STYLE}</style>",
    )
    opened = ("<!doctype html>", f'<html lang="{"ko" if korean else "en"}">', "<head>", *head, "</head>")
    body = heading + "".join(map(_article, answers))
    return "\n".join([*opened, f"<body><main>\n{body}</main></body>", "</html>", ""])


def _article(answer: TakenAlong) -> str:
    quotes = answer.quotes()
    # A marker leads to its quote on the page, because a shared answer has no links to documents.
    anchors = {address: f"#{_anchor(quote)}" for address, quote in quotes.items()}
    text = LINKED_MARKER.sub(
        lambda marker: f"[[{marker[1]}]]({anchors[marker[2]]})" if marker[2] in anchors else marker[0],
        answer.answer,
    )
    blocks = [f"<h1>{html.escape(answer.question)}</h1>"]
    blocks += [f'<p class="small">{html.escape(answer.understood)}</p>'] if answer.understood else []
    blocks.append(f'<div class="answer">{reader(set(anchors.values())).render(text)}</div>')
    blocks += [f"<p>{html.escape(answer.refusal)}</p>"] if answer.refusal else []
    blocks.append(f'<p class="signal {answer.level}">{html.escape(answer.word)}.</p>')
    blocks.append(f'<p class="small">{"<br>".join(map(html.escape, answer.notes))}</p>')
    blocks += map(_part, answer.parts)
    blocks += [f"<footer>{html.escape(answer.origin)}</footer>"] if answer.origin else []
    return "<article>\n" + "\n".join(blocks) + "\n</article>\n"


def _part(part: Part) -> str:
    entries = "\n".join(map(_entry, part.entries))
    return f'<section><h2>{html.escape(part.title)}</h2>\n<ul class="part">\n{entries}\n</ul></section>'


def _entry(entry: Entry) -> str:
    lead = f'<strong class="{entry.tone}">{html.escape(entry.lead)}</strong> ' if entry.lead else ""
    return f"<li>{lead}{html.escape(entry.text)}{''.join(map(_quote, entry.quotes))}</li>"


def _quote(quote: Quote) -> str:
    words = f"“{html.escape(quote.words)}”"
    shown = f'<a href="{html.escape(quote.link)}">{words}</a>' if quote.link else words
    name = f' id="{_anchor(quote)}"' if quote.label else ""
    return f'<blockquote{name}>{shown} <span class="small">{html.escape(quote.place)}</span></blockquote>'


def _anchor(quote: Quote) -> str:
    return f"quote-{quote.label}"
