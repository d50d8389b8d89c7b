"""A process that is hard to end: it and a grandchild in a session of its own work without end and hear no mild signal.

    strays.py FIFO

Each writes a byte to the FIFO when it has come so far, and holds it open: who reads there has the end of the file when
none of them is left.
"""

import os
import signal
import sys


def leave_strays(fifo):
    for mild in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(mild, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        work(fifo)
    os.wait()
    work(fifo)


def work(fifo):
    os.write(os.open(fifo, os.O_WRONLY), b"1")
    while True:
        pass


if __name__ == "__main__":
    leave_strays(sys.argv[1])
