"""Runs Python programs in forks of a process that has imported PyTorch, which takes a second and more: for
src/gate/modules_test.cpp. relay.py brings the words of a program, and hands over its standard input, output and error.

    torch_server.py SOCKET      prints a line once it listens
"""

import json
import os
import runpy
import socket
import sys
import traceback

import numpy  # noqa: F401
import torch  # noqa: F401


def run(words, descriptors):
    for to, descriptor in enumerate(descriptors):
        os.dup2(descriptor, to)
        os.close(descriptor)
    sys.argv = words
    sys.path.insert(0, os.path.dirname(words[0]))
    status = 1
    try:
        runpy.run_path(words[0], run_name="__main__")
        status = 0
    except SystemExit as left:
        if isinstance(left.code, str):
            sys.stderr.write(left.code + "\n")
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(status)


def serve(connection):
    """In a process of its own, which the program's is a child of: the relay is told how that ended."""
    words, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    child = os.fork()
    if child == 0:
        connection.close()
        run(json.loads(words), descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    _, status = os.waitpid(child, 0)
    connection.send(b"%d" % (os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)))
    os._exit(0)


with socket.socket(socket.AF_UNIX) as listening:
    listening.bind(sys.argv[1])
    listening.listen(8)
    print("listening", flush=True)
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            if os.fork():  # nobody waits for what serves
                os._exit(0)
            serve(connection)
        connection.close()
        os.wait()
