"""A conversation at the terminal: asks each line as a turn, and shows its answer as it is written."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TextIO

from citewell.cli.console import complain, emit, err, out, say
from citewell.cli.errors import CommandFailed
from citewell.cli.questions.asking import failure_of, follow, submitted, wait_for
from citewell.cli.short_ids import whole_id
from citewell.cli.show.dialogue import AnswerStream, below_answer, history_view
from citewell_client import ApiProblem, CitewellClient

_HELP = "/new begins another conversation, /history shows this one, /quit ends it"
_PROMPT = "› "


class Chat:
    """A conversation that begins with its first question, unless it is given. Raises ApiProblem for an unknown one."""

    def __init__(
        self,
        client: CitewellClient,
        workspace: str,
        conversation_id: str | None,
        *,
        wait: float,
        as_json: bool,
        options: Mapping[str, Any],
    ) -> None:
        self.conversation_id = whole_id(client, conversation_id, "conversation") if conversation_id else None
        self.workspace = workspace
        if self.conversation_id:
            self.workspace = client.conversations.get(self.conversation_id)["workspace"]
        self._client = client
        self._wait = wait
        self._as_json = as_json
        self._options = options

    def renew(self) -> None:
        self.conversation_id = None

    def show_history(self) -> None:
        turns = list(self._client.conversations.turns(self.conversation_id)) if self.conversation_id else []
        if not turns:
            say("nothing was asked yet")
        elif self._as_json:
            for turn in turns:
                emit(turn)
        else:
            out.print(history_view(turns))

    def ask(self, question: str) -> bool:
        query_id: str | None = None
        try:
            key = str(uuid.uuid4())
            query_id, left = submitted(lambda: self._submit(question, key), self._wait)
            return self._answered(query_id, left)
        except KeyboardInterrupt:
            if query_id is not None:
                with suppress(ApiProblem):
                    self._client.cancel(query_id)
            say("stopped")
            return False

    def _submit(self, question: str, key: str) -> str:
        conversations = self._client.conversations
        if self.conversation_id is None:
            self.conversation_id = conversations.create(self.workspace)["id"]
        return conversations.submit(self.conversation_id, question, idempotency_key=key, **self._options)["id"]

    def _answered(self, query_id: str, wait: float) -> bool:
        if self._as_json:
            emit(query := wait_for(self._client, query_id, wait))
        else:
            with err.status("queued") as status:
                stream = AnswerStream(status)
                query = stream.finish(follow(self._client, query_id, wait, stream.take))
            if query["status"] == "succeeded":
                out.print(below_answer(query))
        if failure := failure_of(query):
            complain(failure)
        return failure is None


def lines_of(source: TextIO, *, is_typed: bool) -> Iterator[str]:
    """Yield the lines of `source`; a person gets a prompt for each, and Ctrl-C at the prompt only begins a new one."""
    if not is_typed:
        yield from source
        return
    while True:
        try:
            # With input() a person can edit lines, and get back earlier ones.
            yield input(_PROMPT)
        except KeyboardInterrupt:
            say("\n/quit or Ctrl-D ends the conversation")
        except EOFError:
            return


def converse(chat: Chat, lines: Iterable[str]) -> int:
    failed = 0
    for line in lines:
        match line.strip():
            case "":
                continue
            case "/quit" | "/exit":
                break
            case "/new":
                chat.renew()
            case "/history":
                chat.show_history()
            case command if command.startswith("/"):
                say(_HELP)
            case question:
                failed += not _asked(chat, question)
    return failed


def _asked(chat: Chat, question: str) -> bool:
    try:
        return chat.ask(question)
    except (ApiProblem, CommandFailed) as refused:
        complain(refused.detail if isinstance(refused, ApiProblem) else str(refused))
        return False
