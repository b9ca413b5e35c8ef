"""End the supervisor's children should the supervisor die, however it dies (kill -9 too).

It reads `+LINE` and `-PID` from a pipe whose other end only the supervisor holds; the end of the pipe is
the supervisor's end.  Each child waits for a word before it starts, and gets it after it was told here,
so there is no moment in which a child could be left behind.
"""

import signal
import sys

from config.launch.stopping import Member, stop_members


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    members: dict[int, Member] = {}
    for line in sys.stdin:
        if line.startswith("+"):
            member = Member.from_line(line[1:])
            members[member.pid] = member
        else:
            members.pop(int(line[1:]), None)
    stop_members(list(members.values()))


if __name__ == "__main__":
    main()
