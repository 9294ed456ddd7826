"""A process that stands for a service: it has the name that it is started under, and the sockets that stdin asks for.

One JSON list a line, the command first; each is answered by `ok`, or by what went wrong.
"""

import contextlib
import json
import socket
import sys
import threading

held = []


def listening(host, port, backlog=128):
    server = socket.create_server((host, port), backlog=backlog)
    held.append(server)
    return server


def each(server, serve):
    def loop():
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return  # closed by `close`
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()


def answering(text):
    def serve(client):
        with client, contextlib.suppress(ConnectionError):
            while client.recv(65536):
                client.sendall(text.encode())
                if text.startswith("HTTP"):
                    return

    return serve


def connect(host, port):
    held.append(socket.create_connection((host, port), timeout=5))


def ended(host, port):
    connect(host, port)
    held[-1].recv(1)  # closed by the peer


def connecting(host, port):
    client = socket.socket()
    client.setblocking(False)
    client.connect_ex((host, port))
    held.append(client)


def full(host, port):
    listening(host, port, backlog=0)
    for _ in range(4):
        connecting(host, port)


def answer(port, text):
    each(listening("0.0.0.0", port), answering(text))


def unix(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    held.append(server)


def close():
    while held:
        one = held.pop()
        try:
            one.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits in accept()
        except OSError:
            pass
        one.close()


COMMANDS = {
    "listen": lambda port: listening("0.0.0.0", port),
    "connect": connect,
    "ended": ended,
    "connecting": connecting,
    "full": full,
    "answer": answer,
    "unix": unix,
    "close": close,
}

for line in sys.stdin:
    command, *words = json.loads(line)
    try:
        COMMANDS[command](*words)
        print("ok", flush=True)
    except OSError as error:
        print(f"{command} {words}: {error}", flush=True)
