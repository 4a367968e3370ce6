"""Clients of a broker's HTTP port that control which bytes are sent when; for edge.py."""
import socket
import threading

import harness

OTHER = "127.0.0.2"  # another client's address


def connect(port, timeout=20, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", port), timeout=timeout, source_address=(source, 0))


def ask(port, path, source="127.0.0.1", host="a", body=b"", timeout=20):
    """(status, header fields in lower case, body) of one request; (0, {}, b"") if it is closed unanswered."""
    method = "POST" if body else "GET"
    with connect(port, timeout, source) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        head, _, rest = hear_all(connection).partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 "):
        return 0, {}, b""
    fields = [line.partition(":") for line in head.decode().split("\r\n")[1:]]
    return int(head[9:12]), {name.lower(): value.strip() for name, _, value in fields}, rest


def attempt(port, path, source="127.0.0.1"):
    try:
        return ask(port, path, source, timeout=5)[0]
    except OSError:
        return 0


def hear_all(connection):
    """Everything until the server closes."""
    heard = b""
    try:
        while piece := connection.recv(65536):
            heard += piece
    except ConnectionResetError:
        heard += b"(reset)"
    return heard


def statuses(heard):
    """Of the answers in a stream, one after the other, by their Content-Length; the rest must be nothing."""
    found = []
    while heard.startswith(b"HTTP/1.1 "):
        head, _, heard = heard.partition(b"\r\n\r\n")
        found.append(int(head[9:12]))
        lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        heard = heard[int(lengths[0]) if lengths else 0:]
    harness.expect(not heard, f"bytes that are no answer: {heard[:200]!r}")
    return found


def begin_bodies(port, path, count, size):
    """`count` connections whose requests lack the last byte of their bodies."""
    held = []

    def begin():
        connection = connect(port)
        held.append(connection)
        try:
            connection.sendall(b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (path.encode(), size))
            connection.sendall(bytes(size - 1))
        except OSError:
            pass  # it has its answer, and the server reads no more

    threads = [threading.Thread(target=begin) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return held


class Bytes(threading.Thread):
    """Keeps `count` connections open, each with one byte of a request; those that are closed are opened again."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.port, self.count, self.held, self.over = port, count, [], threading.Event()

    def alive(self, connection):
        try:
            return connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK) == b"?"  # it is over once there is anything
        except BlockingIOError:
            return True
        except OSError:
            return False

    def run(self):
        while not self.over.wait(0.1):
            for connection in [c for c in self.held if not self.alive(c)]:
                self.held.remove(connection)
                connection.close()
            try:
                while len(self.held) < self.count and not self.over.is_set():
                    self.held.append(connect(self.port, 5))
                    self.held[-1].sendall(b"G")
            except OSError:
                pass

    def stop(self):
        self.over.set()
        self.join(30)
        for connection in self.held:
            connection.close()


def begin(port, body):
    """Asks for an msearch; its answer is left where it is."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(30)
    connection.connect(("127.0.0.1", port))
    connection.sendall(b"POST /v1/msearch HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return connection
