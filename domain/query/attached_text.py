"""Recognises a text that a chat program sends beside the question: a file that somebody attached, or what the program
found by itself (N9).

Each program has words of its own around it, which people change. All of them put the text between two marks of one
name, as `<source id="1">…</source>` or `[CONTEXT 0]: … [END CONTEXT 0]`, or into a fence headed by the file's name.
"""

import re

_NAMES = r"source|sources|document|documents|file|files|contextItem"
_BLOCK = r"""
    <(?P<tag>{names})\b[^<>]*>(?P<tagged>.*?)</(?P=tag)\s*>
  | \[(?P<name>CONTEXT[^\[\]\n]*)\]:?(?P<between>.*?)\[END\ (?P=name)\]
  | ```\w*[ \t]*\n?\#\ "[^"\n]+"(?P<fenced>.*?)(?:```|\Z)
"""
_FLAGS = re.DOTALL | re.IGNORECASE | re.VERBOSE
# Prompts of systems are often divided by such a tag; in a question it holds what the question is about.
_IN_QUESTION = re.compile(_BLOCK.format(names=f"{_NAMES}|context"), _FLAGS)
_IN_PROMPT = re.compile(_BLOCK.format(names=_NAMES), _FLAGS)


def has_attached_text(message: str, *, is_question: bool) -> bool:
    """Whether the message holds lines of text between such marks; names of tags in a sentence are none."""
    pattern = _IN_QUESTION if is_question else _IN_PROMPT
    return any(_holds_lines(match) for match in pattern.finditer(message))


def _holds_lines(match: re.Match[str]) -> bool:
    text = match["tagged"] or match["between"] or match["fenced"] or ""
    return "\n" in text and any(character.isalnum() for character in text)
