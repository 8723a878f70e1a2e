"""People's comments on a text, in any format."""


def comment(text: str, author: str) -> str:
    """Mark a comment as a comment, because it may contradict the text beside it; "" for an empty comment."""
    if not text.strip():
        return ""
    return f"Comment by {author.strip()}: {text}" if author.strip() else f"Comment: {text}"
