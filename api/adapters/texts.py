"""Published texts in the seed's notation: `[†1]` for `[1]`, and the references below the answer."""

from collections.abc import Sequence

from domain.markers import cited_markers


def with_daggers(answer: str, sources: int | None = None) -> str:
    """Return `answer` with every citation marker as `[†N]`; code, links, names and years in brackets stay as they are.

    `sources` is how many the answer has, if that is known.
    """
    pieces: list[str] = []
    position = 0
    for marker in cited_markers(answer, sources):
        is_link = answer[marker.start] == "[" and answer[marker.end - 1] == ")"
        if is_link or marker.missing:
            continue
        pieces += answer[position : marker.start], "".join(f"[†{number}]" for number in marker.numbers)
        if answer[marker.start] != "[" and answer[marker.end : marker.end + 1] in ("(", ":"):
            pieces.append(" ")  # else it would read as a Markdown link
        position = marker.end
    return "".join([*pieces, answer[position:]])


def with_references(answer: str, references: Sequence[str]) -> str:
    """Return `answer` with the section that lists `references` (`[1] file.pdf, p.10`); without any it stays as is."""
    if not references:
        return answer
    lines = [f"- {reference.replace('[', '[†', 1)}" for reference in references]
    return "\n".join([f"{answer}\n", "### References", *lines])
