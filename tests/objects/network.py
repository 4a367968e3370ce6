"""A network that loses packets, for tests: a proxy before a server on this machine."""
import errno
import os
import select
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cluster"))
import harness  # noqa: E402

BACKLOG = 64
LOOK_S = 0.05


def pipe(source, sink, look=lambda data: None):
    """Carries what comes from one socket to the other, until either ends. `look` is called with each piece before it is sent on."""
    try:
        while data := source.recv(65536):
            look(data)
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Network:
    """Carries connections to `far`, a port of this machine. Between lose() and carry() it answers no connect, as its backlog is full, and what is sent
    on older connections does not arrive."""

    def __init__(self, far):
        self.far, self.fillers = far, []
        self.carries = threading.Event()
        self.carries.set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def lose(self):
        self.carries.clear()
        time.sleep(2 * LOOK_S)  # nobody accepts any more
        self.listener.listen(0)
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            harness.expect(filler.connect_ex(("127.0.0.1", self.port)) in (0, errno.EINPROGRESS), "cannot fill a backlog")
            self.fillers.append(filler)

    def carry(self):
        while self.fillers:
            self.fillers.pop().close()
        self.listener.listen(BACKLOG)
        self.carries.set()

    def is_lost(self):
        """Whether a connect is neither taken nor refused."""
        with socket.socket() as one:
            one.settimeout(0.3)
            try:
                one.connect(("127.0.0.1", self.port))
            except socket.timeout:
                return True
            return False

    def accept(self):
        while True:
            self.carries.wait()
            if not select.select([self.listener], [], [], LOOK_S)[0] or not self.carries.is_set():
                continue
            near = self.listener.accept()[0]
            try:
                far = socket.create_connection(("127.0.0.1", self.far))
            except OSError:
                near.close()
                continue
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=pipe, args=(source, sink, lambda _: self.carries.wait()), daemon=True).start()
