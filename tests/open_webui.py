"""What Open WebUI 0.12.4 sends while somebody asks two questions, recorded with its settings as they are when new.

Of its prompts and tools, whose words decide nothing, only a part is kept.
"""

from typing import Any

Json = dict[str, Any]
HEADERS = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate, br", "User-Agent": "Python/3.11 aiohttp/3.14.5"}
_TOOLS = ("get_current_timestamp", "calculate_timestamp", "ask_user", "search_chats", "create_calendar_event")


def question(model: str, *said: str) -> Json:
    """A question and what was said before it, by user and assistant in turn."""
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(said)]
    parameters: Json = {"properties": {}, "type": "object"}
    tools = [
        {"type": "function", "function": {"name": name, "description": "…", "parameters": parameters}}
        for name in _TOOLS
    ]
    return {"stream": True, "model": model, "messages": messages, "tools": tools}


def title(model: str, history: str) -> Json:
    """Sent beside the first question, whose answer it does not know yet."""
    task = 'Generate a concise title …\n### Output:\nJSON format: { "title": "your concise title here" }'
    examples = '### Examples:\n- { "title": "Stock Trends" },\n- { "title": "Remote Work" }'
    return {**_task(model, f"{task}\n{examples}", history), "max_tokens": 1000}


def follow_ups(model: str, history: str) -> Json:
    form = '{ "follow_ups": ["Suggested next message 1", "Suggested next message 2"] }'
    return _task(model, f'Predict … with a "follow_ups" key …\n### Output:\nJSON format: {form}', history)


def tags(model: str, history: str) -> Json:
    task = 'Generate … tags …\n- … use only ["General"]\n\n### Output:\nJSON format: { "tags": ["tag1", "tag2"] }\n'
    return _task(model, task, history)


def queries(model: str, history: str) -> Json:
    """Sent where it searches the web, or files of its own."""
    form = '{\n  "queries": ["query1", "query2"]\n}\n'
    task = f'Analyze … return: {{ "queries": [] }}.\n\n### Output:\nStrictly return in JSON format: \n{form}'
    return _task(model, task, history)


def autocompletion(model: str, text: str, history: str) -> Json:
    """Sent while somebody writes, where that is switched on."""
    task = '### Task:\nYou are an autocompletion system. …\n5. If unsure, return: `{ "text": "" }`.\n'
    context = f"### Context:\n<chat_history>\n{history}\n</chat_history>\n<type>search query</type>  \n"
    prompt = f"{task}{context}<text>{text}</text>  \n#### Output:\n"
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "stream": False}


def _task(model: str, task: str, history: str) -> Json:
    prompt = f"### Task:\n{task}\n### Chat History:\n<chat_history>\n{history}\n</chat_history>"
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "stream": False}
