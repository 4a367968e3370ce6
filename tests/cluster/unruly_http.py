"""An HTTP server of a repository's files that breaks off, stalls, sends slowly, or sends too much: for tests."""
import http.server
import os
import re
import socket
import threading
import time


class UnrulyRepository:
    """Serves `folder` with ranges and ETags, but does to files that end with .sst what the mode says:

    well   nothing
    break  ends the connection after a third of the file, each time
    stall  after half of the file of ids sends nothing more, the first time
    drip   sends a byte now and then, headers too, the first time for the file of ids
    more   goes on behind the end of the file, as long as the client takes it
    other  breaks off after a third, and has another file of that name from then on: answers ranges with its bytes and its ETag
    whole  breaks off after a third the first time, and knows no ranges
    """

    def __init__(self, folder, mode="well"):
        self.folder, self.mode = folder, mode
        self.requests = []  # (path, first byte asked for)
        self.sent = {}  # bytes of bodies by path
        self.stopping = threading.Event()
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                try:
                    owner.answer(self)
                except OSError:
                    pass
                self.close_connection = True

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def stop(self):
        self.stopping.set()
        self.server.shutdown()

    def answer(self, handler):
        path = handler.path.lstrip("/")
        try:
            with open(os.path.join(self.folder, path), "rb") as file:
                content = file.read()
        except OSError:
            handler.send_error(404)
            return
        asked = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        first = not any(seen == path for seen, _ in self.requests)
        self.requests.append((path, int(asked.group(1)) if asked else 0))
        mode = self.mode if path.endswith(".sst") else "well"
        if mode in ("stall", "drip") and not (first and "/ids-" in path):
            mode = "well"
        etag = f'"{len(content)}"'
        if mode == "other" and not first:
            content, etag = bytes(len(content)), '"other"'
        start = int(asked.group(1)) if asked and mode != "whole" else 0
        if mode == "drip":
            self.drip(handler, content)
            return
        body = content[start:]
        lines = [f"HTTP/1.1 {206 if start else 200} Fine", f"ETag: {etag}"]
        if start:
            lines.append(f"Content-Range: bytes {start}-{len(content) - 1}/{len(content)}")
        if mode != "more":
            lines.append(f"Content-Length: {len(body)}")
        handler.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        count = len(body)
        if mode in ("break", "other") or (mode == "whole" and first):
            count = min(count, len(content) // 3 + 1)
        elif mode == "stall":
            count //= 2
        for at in range(0, count, 65536):
            piece = body[at:min(at + 65536, count)]
            handler.wfile.write(piece)
            self.sent[path] = self.sent.get(path, 0) + len(piece)
        handler.wfile.flush()
        while mode == "more" and not self.stopping.is_set():
            handler.wfile.write(bytes(65536))
        if mode == "stall":
            handler.connection.settimeout(120)
            try:
                handler.connection.recv(1)  # until the client leaves
            except OSError:
                pass
        elif count < len(body):
            handler.connection.shutdown(socket.SHUT_RDWR)

    def drip(self, handler, content):
        for byte in f"HTTP/1.1 200 Fine\r\nContent-Length: {len(content)}\r\nX-Long: ".encode() + b"." * 100000:
            if self.stopping.is_set():
                return
            handler.connection.sendall(bytes([byte]))
            time.sleep(0.2)
