"""Answers in the style of models, for property tests: sentences, lists, headings, tables, and markers in every form."""

from hypothesis import strategies as st

MARKERS = st.sampled_from(
    ["[†1]", "[†2]", "[1]", "[3]", "[†9]", "[0]", "[1, 2]", "[2-4]", "[†1][†3]", "[1], [2]", "(Source: 1)", "【2†L3】"]
)
_CLAUSES = st.sampled_from(
    [
        "Sales rose 5%",
        "Refunds take 30 days",
        "the fee is $5 in the U.S. market",
        "매출은 3.5% 늘었습니다",
        "Norvex [2023] won",
        "f on [0, 1] is bounded",
        "x = a[1] holds",
        "see https://x.y/?f[1]=2 now",
        "$[1, 2]$ has 5 m² of it",
        "[the guide](https://a.b/[2]) says",
    ]
)
_STOPS = st.sampled_from([".", ".", "?", "!", "입니다."])


def _marked(clause: str, inner: str, between: str, rest: str, marker: str, stop: str, before_stop: bool) -> str:
    words = f"{clause}{inner}{between}{rest}"
    return f"{words}{marker}{stop}" if before_stop else f"{words}{stop}{marker}"


SENTENCES = st.builds(
    _marked,
    _CLAUSES,
    st.one_of(st.just(""), MARKERS, MARKERS.map(lambda marker: " " + marker)),
    st.sampled_from([", ", " and "]),
    _CLAUSES,
    st.one_of(st.just(""), MARKERS, MARKERS.map(lambda marker: " " + marker)),
    _STOPS,
    st.booleans(),
)

_PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)
_LISTS = st.lists(SENTENCES, min_size=1, max_size=3).map(lambda items: "\n".join(f"- {item}" for item in items))
_HEADINGS = st.sampled_from(["## Refunds", "**Fees**", "The steps are:", "```\nx[1] = 2\n```", "Use `x[1]` [1]."])
_REFERENCES = st.sampled_from(
    ["", "\n\n### References\n- [†1] a.pdf, p.3\n- [†2] b.md", "\n\n출처: [1] 보고서.pdf, p.2"]
)


def _answer(blocks: list[str], references: str) -> str:
    return "\n\n".join(blocks) + references


ANSWERS = st.builds(
    _answer,
    st.lists(st.one_of(_PARAGRAPHS, _PARAGRAPHS, _LISTS, _HEADINGS), min_size=1, max_size=5),
    _REFERENCES,
)

_TOKENS = [
    *("[1]", "[2]", "[†3]", "[[1]]", "([2])", "[0]", "[", "]", "(", ")", "1", "†", "`", "```\n", "**"),
    *(
        "[1, 2]",
        "[0, 1]",
        "［1］",
        "¹",
        "²",
        "[1](https://a.b)",
        ": http://x.y",
        "！",
        "!",
        "$",
        "on ",
        "=",
        "–",
        "a",
        "<sup>",
        "</sup>",
    ),
    *("[Source: ", "a.pdf", "(Source: 1)", "https://x.y/", "?f", "|---|\n", "\\[", "x²"),
    *(
        " ",
        "\n",
        ". ",
        ",",
        "。",
        "Hello",
        "매출",
        "- ",
        "| ",
        "References\n",
        "Source: ",
        "According to ",
        "에 따르면 ",
    ),
]
ANYTHING = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="[]()【】［］†1 2,.a가\n`|:。！¹²$/=<>*_\\–", max_size=40),
    st.lists(st.sampled_from(_TOKENS), max_size=12).map("".join),
)
"""Any text, and texts that resemble markers, headings or code."""
