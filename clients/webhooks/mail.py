"""Sends e-mails about events through the SMTP server of the settings."""

import json
import smtplib
import ssl
import time
from email.message import EmailMessage
from typing import Any

from clients.webhooks.sending import Sent
from config.serving import MailSettings


def send_mail(address: str, body: bytes, public_url: str, mail: MailSettings, deadline_s: float) -> Sent:
    """Send the event in `body` to one address; the status is the SMTP server's, 200 for accepted."""
    started = time.perf_counter()
    status, error = 200, None
    try:
        _hand_over(_message(address, json.loads(body), public_url, mail.sender), mail, deadline_s)
    except smtplib.SMTPResponseException as refusal:
        status, error = None, f"SMTP {refusal.smtp_code}"
    except (smtplib.SMTPException, OSError) as trouble:
        status, error = None, str(trouble) or type(trouble).__name__
    return Sent(status, error, None, round((time.perf_counter() - started) * 1000), "", None)


def _hand_over(message: EmailMessage, mail: MailSettings, deadline_s: float) -> None:
    made = smtplib.SMTP_SSL if mail.security == "tls" else smtplib.SMTP
    with made(mail.host, mail.port, timeout=deadline_s) as server:
        if mail.security == "starttls":
            server.starttls(context=ssl.create_default_context())
        if mail.user:
            server.login(mail.user, mail.password.get_secret_value())
        server.send_message(message)


def _message(address: str, event: dict[str, Any], public_url: str, sender: str) -> EmailMessage:
    """The message, in both languages, because its reader's language is unknown. It does not have the answer itself."""
    data = event["data"]
    waits, waiting = ("It is held back until then.", "그때까지 공개되지 않습니다.") if data["held"] else ("", "")
    message = EmailMessage()
    message["Subject"] = "Citewell: an answer to review / 검토할 답변"
    message["From"], message["To"] = sender, address
    message.set_content(
        f"An answer in the workspace {data['workspace']} is to be reviewed ({', '.join(data['reasons'])}). {waits}\n"
        f"작업 공간 {data['workspace']}에 검토할 답변이 있습니다. {waiting}\n\n"
        f"{data['question'] or ''}\n\n{public_url}/#/feedback\n"
    )
    return message
