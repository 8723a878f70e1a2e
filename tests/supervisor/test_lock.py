import os
import subprocess
import sys

import pytest

from citewell.supervisor.errors import AlreadyRunning
from citewell.supervisor.home import home_at, prepare, temporary_home
from citewell.supervisor.state import locked


def test_the_lock_refuses_a_second_holder_and_ends_with_a_killed_one() -> None:
    with temporary_home() as folder:
        home = home_at(folder)
        prepare(home)
        program = (
            "import sys, pathlib, time; from citewell.supervisor.home import home_at\n"
            "from citewell.supervisor.state import locked\n"
            "with locked(home_at(pathlib.Path(sys.argv[1]))): print(flush=True); time.sleep(60)"
        )
        with subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            with pytest.raises(AlreadyRunning, match=f"pid {holder.pid}"), locked(home):
                pass
            holder.kill()
            holder.wait()
        with locked(home):
            assert (home.run / "lock").read_text() == str(os.getpid())
