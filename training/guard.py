"""Runs an engine and ends it when its supervisor is gone, however that went (kill -9 too).

`python -m training.guard GRACE COMMAND…`: standard library only.  Standard input is a pipe whose other end only the
supervisor holds; its end is the supervisor's end.  SIGTERM is passed on to the command (which saves a checkpoint);
after GRACE seconds without a supervisor the whole process group is killed.  Exits as the command does, 128 + n for
signal n.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType


def _end_with_supervisor(engine: subprocess.Popen[bytes], grace: float) -> None:
    while sys.stdin.buffer.read(1):
        pass
    engine.terminate()
    time.sleep(grace)
    os.killpg(0, signal.SIGKILL)


def main(words: list[str]) -> int:
    grace, command = float(words[0]), words[1:]
    engine = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def pass_on(number: int, frame: FrameType | None) -> None:
        engine.terminate()

    signal.signal(signal.SIGTERM, pass_on)
    signal.signal(signal.SIGINT, pass_on)
    threading.Thread(target=_end_with_supervisor, args=(engine, grace), daemon=True).start()
    code = engine.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    # A thread blocked on standard input must not hold the exit.
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
