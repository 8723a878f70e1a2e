"""E-mails to reviewers: handed to a server over SMTP, and tried again when it refuses (issue 44)."""

import json
import socketserver
import threading
from collections.abc import Generator
from email import message_from_string
from email.policy import default
from typing import ClassVar

import pytest

from clients.webhooks.mail import send_mail
from config.serving import MailSettings

EVENT = {
    "type": "review.requested",
    "data": {"workspace": "finance", "question": "How long?", "reasons": ["confidence"], "held": True},
}


class SmtpSession(socketserver.StreamRequestHandler):
    """As much of SMTP as one e-mail needs."""

    mails: ClassVar[list[str]] = []
    refuses: ClassVar[bool] = False

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().strip():
            word = line.split(maxsplit=1)[0].upper()
            if word == "DATA":
                self._say("354 go on")
                lines: list[str] = []
                while (text := self.rfile.readline().decode()).strip() != ".":
                    lines.append(text)
                self.mails.append("".join(lines))
            if word == "QUIT":
                return self._say("221 bye")
            if word == "RCPT" and self.refuses:
                self._say("452 full")
            else:
                self._say("250 fine")
        return None

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@pytest.fixture
def mail() -> Generator[MailSettings]:
    SmtpSession.mails.clear()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), SmtpSession) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield MailSettings(host="127.0.0.1", port=server.server_address[1], security="none", sender="cw@example.org")
        server.shutdown()


def test_a_reviewer_is_told_without_the_answer_and_where_to_decide(mail: MailSettings) -> None:
    sent = send_mail("lee@example.org", json.dumps(EVENT).encode(), "https://citewell.example", mail, 5)
    assert (sent.status, sent.error) == (200, None)
    [told] = [message_from_string(text, policy=default) for text in SmtpSession.mails]
    assert (told["To"], told["From"]) == ("lee@example.org", "cw@example.org")
    text = told.get_content()
    for part in ("finance", "How long?", "https://citewell.example/#/feedback", "held back", "공개되지 않습니다"):
        assert part in text


def test_what_the_server_refuses_is_an_error_to_try_again(mail: MailSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SmtpSession, "refuses", True)
    sent = send_mail("lee@example.org", json.dumps(EVENT).encode(), "http://here", mail, 5)
    assert sent.status is None
    assert sent.error
    gone = mail.model_copy(update={"port": 1})
    assert send_mail("lee@example.org", json.dumps(EVENT).encode(), "http://here", gone, 5).status is None
