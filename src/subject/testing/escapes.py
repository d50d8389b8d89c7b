"""A subject that tries what a sandbox forbids, and says in its conventions what came of it.

    escapes.py PORT PROCESSES
"""

import errno
import mmap
import os
import signal
import socket
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))

from posproof_subject import serve

NO_RESERVE = 0x4000  # MAP_NORESERVE, which the mmap of Python 3.11 does not name
port, processes = int(sys.argv[1]), int(sys.argv[2])


def outcome(attempt):
    try:
        attempt()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]


def write_beside_this_file():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "escaped_%d" % os.getpid())
    open(path, "w").close()
    os.remove(path)


def large_file():
    with tempfile.TemporaryFile() as file:
        file.truncate(2 << 30)


def started():
    children = []
    try:
        for _ in range(processes):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
        return "all"
    except OSError:
        return "some"
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


found = {
    "own_folder": outcome(write_beside_this_file),
    "scratch": outcome(lambda: tempfile.TemporaryFile().close()),
    "file": outcome(large_file),
    "network": outcome(lambda: socket.create_connection(("127.0.0.1", port)).close()),
    "memory": outcome(lambda: mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)),
    "others": sum(name.isdigit() for name in os.listdir("/proc")) > 10,
    "processes": started(),
}
serve(rows=lambda positions, length: positions, conventions=" ".join("%s=%s" % one for one in found.items()))
