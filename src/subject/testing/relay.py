"""Runs a program in torch_server.py: relay.py SOCKET PROGRAM ARGUMENTS. Ends as that ends."""

import json
import socket
import sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    socket.send_fds(connection, [json.dumps(sys.argv[2:]).encode()], [0, 1, 2])
    sys.exit(int(connection.recv(16) or b"1"))
