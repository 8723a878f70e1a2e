"""A supervisor with two small programs in place of Citewell's own, for tests to run and to kill.

`python run_supervisor.py HOME` prints the addresses, one per line, when all is ready.
"""

import signal
import sys
from contextlib import suppress
from pathlib import Path

from sqlalchemy import create_engine, text

from citewell.supervisor.errors import SupervisorError
from citewell.supervisor.processes.process import ProcessSpec
from citewell.supervisor.servers.endpoints import free_port
from citewell.supervisor.supervisor import Supervisor
from config.settings import Settings

API = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Ready(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
HTTPServer(("127.0.0.1", int(sys.argv[1])), Ready).serve_forever()
"""
# It has a child of its own that ignores polite requests, like a prefork pool in the middle of a computation.
WORKER = """
import os, signal, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
print("database", os.environ["CITEWELL_DATABASE_URL"])
print("redis", os.environ["CITEWELL_REDIS_URL"], flush=True)
time.sleep(600)
"""


def apps(port: int) -> list[ProcessSpec]:
    api = (sys.executable, "-c", API, str(port))
    return [
        ProcessSpec("worker", (sys.executable, "-c", WORKER), ready_line="redis", stop=((signal.SIGTERM, 60),)),
        ProcessSpec("api", api, ready_url=f"http://127.0.0.1:{port}/readyz"),
    ]


def migrate(database_url: str) -> None:
    with create_engine(database_url).begin() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS migrated AS SELECT 1 AS step"))


def show(name: str, line: str) -> None:
    if name == "worker":
        sys.stdout.write(f"{line}\n")


def main() -> int:
    port = free_port()
    settings = Settings(home=Path(sys.argv[1]))
    try:
        supervisor = Supervisor(settings, port=port, apps=apps(port), migrate=migrate, on_line=show)
        # A reader of the line may interrupt before the loop has begun.
        with supervisor, suppress(KeyboardInterrupt):
            sys.stdout.write(f"ready {supervisor.url}\n")
            supervisor.run_forever()
    except SupervisorError as error:
        sys.stdout.write(f"error {error.message}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
