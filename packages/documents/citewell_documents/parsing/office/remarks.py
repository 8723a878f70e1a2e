"""Comments of people on a text, in any format."""


def comment(text: str, author: str) -> str:
    """Mark a comment as one, because it may contradict the text beside it; "" for an empty one."""
    if not text.strip():
        return ""
    return f"Comment by {author.strip()}: {text}" if author.strip() else f"Comment: {text}"
