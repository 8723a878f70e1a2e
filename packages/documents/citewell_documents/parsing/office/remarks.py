"""Comments of people on a text, in any format."""


def comment(text: str, author: str) -> str:
    """A comment, marked as one: it may contradict what it stands at."""
    if not text.strip():
        return ""
    return f"Comment by {author.strip()}: {text}" if author.strip() else f"Comment: {text}"
