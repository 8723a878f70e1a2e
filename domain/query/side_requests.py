"""Recognises requests of chat programs such as Open WebUI that are about a conversation, not about documents (N9).

The programs send them as ordinary questions: for a title of the chat, tags, questions that the user may ask next, or
search words. No document answers these, so they are answered here, from the conversation alone and without a model.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence

from domain.query.attached_text import may_attach
from domain.query.conversation import title_of

_TASK = re.compile(r"\s*#{2,3} Task:")
_HISTORY = "<chat_history>", "</chat_history>"
_AUTOCOMPLETION = re.compile(r"<type>[^<]*</type>\s*<text>", re.IGNORECASE)
_WANTED = re.compile(r"""\{\s*\\?["'](?P<key>title|tags|follow_ups|queries|prompt|text)\\?["']\s*:""")
_USER = re.compile(r"^USER: (.*?)(?=^(?:USER|ASSISTANT|SYSTEM): |\Z)", re.DOTALL | re.MULTILINE)

_REPLIES: Mapping[str, Callable[[Sequence[str]], object]] = {
    "title": lambda asked: title_of(asked[0]) if asked else "",
    "queries": lambda asked: [" ".join(asked[-1].split())] if asked else [],
    "tags": lambda _: [],
    "follow_ups": lambda _: [],
    "prompt": lambda _: "",
    "text": lambda _: "",
}


def side_reply(message: str) -> str | None:
    """The reply to a request about the conversation, in the JSON that it asks for; None for any other message.

    Such a request begins with the headline "Task" and shows the chat history, or the text to be completed, in tags.
    """
    opened, ended = _HISTORY
    told, _, behind = message.partition(opened)
    history, closed, _ = behind.rpartition(ended)
    if not _TASK.match(message) or not (closed or _AUTOCOMPLETION.search(message)):
        return None
    # The messages of the chat must not decide what is wanted, and neither must an attached text.
    request = told if closed else message
    wanted = _WANTED.search(request)
    if wanted is None or may_attach(request):
        return None
    asked = [said.strip() for said in _USER.findall(history)]
    return json.dumps({wanted["key"]: _REPLIES[wanted["key"]]([said for said in asked if said])}, ensure_ascii=False)
