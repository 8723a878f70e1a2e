"""The embedded Valkey: the Redis protocol on 127.0.0.1 with a password, every write in an append-only file."""

import json
import signal

from citewell.supervisor.home import Home, write_private
from citewell.supervisor.processes.process import ProcessSpec
from citewell.supervisor.servers.binaries import Binaries
from citewell.supervisor.servers.postgres import SERVER_ENV

# Valkey quotes strings as JSON does, for every character of a path or a token.
_CONFIG = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir {folder}
appendonly yes
appendfsync {fsync}
save ""
maxmemory-policy noeviction
set-proc-title no
"""


def valkey_spec(home: Home, binaries: Binaries, port: int, password: str, *, durable: bool) -> ProcessSpec:
    """Write the configuration file, because every user can see a password in the arguments; return how to run it."""
    config = home.valkey / "valkey.conf"
    folder = json.dumps(str(home.valkey), ensure_ascii=False)
    fsync = "everysec" if durable else "no"
    write_private(config, _CONFIG.format(port=port, password=password, folder=folder, fsync=fsync))
    home.give_to_servers(config)
    return ProcessSpec(
        name="valkey",
        argv=(str(binaries.valkey), str(config)),
        env=SERVER_ENV,
        ready_line="Ready to accept connections",
        stop=((signal.SIGTERM, 10.0),),
        account=home.account,
        cwd=home.valkey,
    )
