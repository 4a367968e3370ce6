#!/usr/bin/env python3
"""`frond up`: from nothing to the first hit with one command; documents over HTTP through the one port; each program killed and
started again; Ctrl-C ends all; the same command goes on; files are linked; mistakes are one line each."""
import contextlib
import json
import os
import re
import signal
import subprocess
import time
import urllib.request

import harness

TEXTS = {"leaf.txt": "A leaf dies and another one answers.", "broker.md": "# Brokers\n\nA broker asks leaves.",
         "page.html": "<title>Partitions</title><p>What a partition is.</p>"}


class Up:
    """One run of the command, with what it printed."""

    def __init__(self, setting, *flags, http="127.0.0.1:0", data="state", stderr=None):
        self.setting, self.data = setting, setting.path(data)
        self.out = setting.path("up.out")
        self.began = time.monotonic()
        with open(self.out, "wb") as out, open(setting.path("up.log"), "ab") as log:
            self.process = subprocess.Popen([setting.program("frond"), "up", "--data", self.data, "--http", http, *flags], stdout=out,
                                            stderr=stderr or log, cwd=setting.folder)
        setting.processes.append(self.process)

    def await_ready(self):
        def told():
            harness.expect(self.process.poll() is None, f"frond up ended with {self.process.poll()}")
            return "search page" in self.told()
        harness.eventually(told, "frond up tells its address", 60)
        self.port = int(re.search(r"search page   http://127\.0\.0\.1:(\d+)/\n", self.told())[1])
        self.key = re.search(r"^key           (\S+)", self.told(), re.M)[1]
        return self

    def told(self):
        with open(self.out, encoding="utf-8") as file:
            return file.read()

    def ask(self, path, method="GET", body=None, key=None, **fields):
        headers = {**fields, **({"Authorization": f"Bearer {key}"} if key else {})}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body.encode() if body else None, method=method,
                                         headers={"Content-Type": "application/x-ndjson", **headers})
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def hits(self, word):
        status, body = self.ask(f"/v1/search?q={word}&cache=off")
        if status != 200:
            raise harness.Refused(f"{status}: {body}")
        return [hit["id"] for hit in json.loads(body)["hits"]]

    def await_hit(self, word, identity, what):
        harness.eventually(lambda: any(hit.endswith(identity) for hit in self.hits(word)), what, 60)

    def programs(self):
        """Name to process of each program that runs below this one."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                    name, rest = re.fullmatch(r"\d+ \((.*)\) (.*)\n", file.read(), re.S).groups()
            except (OSError, AttributeError):
                continue
            if int(rest.split()[1]) == self.process.pid:
                found[name] = int(pid)
        return found

    def stop(self):
        programs = self.programs()
        self.process.send_signal(signal.SIGINT)
        harness.expect(self.process.wait(60) == 0, "frond up did not exit with 0 at Ctrl-C")
        left = [name for name, pid in programs.items() if os.path.exists(f"/proc/{pid}")]
        harness.expect(not left, f"still running after Ctrl-C: {left}")


def check_mistakes(setting, texts):
    with open(setting.path("file"), "w", encoding="utf-8") as file:
        file.write("x")
    os.makedirs(setting.path("other"))
    with open(setting.path("other", "mine"), "w", encoding="utf-8") as file:
        file.write("x")
    port = harness.free_ports(1)[0]
    blocked = setting.spawn("blocker", "frond-indexer", "serve", "--repository", setting.path("other"), "--listen", f"127.0.0.1:{port}")
    harness.eventually(lambda: harness.fetch(port, "/livez")[0] == 200, "the port is taken")
    for flags, why in ((("--http", f"127.0.0.1:{port}"), "Address already in use"),
                       (("--http", "198.51.100.7:80"), "assign requested address"),
                       (("--input", setting.path("nowhere")), "No such file"),
                       (("--data", setting.path("file")), "is no folder"),
                       (("--data", "/proc/nothing"), "/proc/nothing: "),
                       (("--data", setting.path("other")), "is not of frond up"),
                       (("--data", os.path.join(texts, "state"), "--input", texts), "contains --data"),
                       (("--reindex",), "--reindex needs --input"),
                       (("--input", texts, "--schema", setting.path("nowhere")), "No such file"),
                       (("--schema", "infer"), "--schema requires --input"),
                       (("--collection", "../x"), "no name of a collection")):
        with_data = flags if "--data" in flags else (*flags, "--data", setting.path("unused"))
        done = subprocess.run([setting.program("frond"), "up", *with_data], capture_output=True, text=True, timeout=60, check=False)
        harness.expect(done.returncode in (1, 2) and done.stderr.count("\n") == 1 and why in done.stderr,
                       f"{flags}: exit code {done.returncode}, {done.stderr!r}; expected one line with {why!r}")
    harness.end(blocked, "the blocker")


def expect_refused(setting, why, *flags):
    done = subprocess.run([setting.program("frond"), "up", "--data", setting.path("state"), "--http", "127.0.0.1:0", *flags],
                          capture_output=True, text=True, timeout=60, check=False)
    harness.expect(done.returncode == 1 and done.stderr.count("\n") == 1 and why in done.stderr, f"{flags}: {done.stderr!r}, not {why!r}")


def check_links(up):
    """Each published file is on the disk once, under two names."""
    sizes, shared = {}, 0
    for folder in ("repository", "leaf"):
        for at, _, files in os.walk(os.path.join(up.data, folder)):
            for name in files:
                found = os.stat(os.path.join(at, name))
                if name.endswith(".sst"):
                    sizes.setdefault(found.st_ino, []).append(found.st_size)
    shared = sum(all_of[0] for all_of in sizes.values() if len(all_of) == 2)
    total = sum(all_of[0] for all_of in sizes.values())
    harness.expect(shared > 0.9 * total, f"only {shared} of {total} bytes are shared by repository and leaf")
    print(f"{total} bytes of files, {sum(map(sum, sizes.values()))} if they were copied", flush=True)


def check_kills(setting, up):
    for name in sorted(up.programs()):
        before = up.programs()[name]
        os.kill(before, signal.SIGKILL)
        harness.eventually(lambda n=name, b=before: up.programs().get(n, b) != b, f"{name} is started again")
        harness.eventually(lambda: up.hits("partition"), f"searches are answered after a kill of {name}", 60)
        harness.eventually(lambda n=name: up.ask("/v1/collections/docs/documents", "POST", json.dumps({"id": n, "body": f"kill{n[-3:]}"}),
                                                 up.key)[0] == 200, f"a document is taken after a kill of {name}", 60)
        up.await_hit(f"kill{name[-3:]}", name, f"a document is found after a kill of {name}")
    log = setting.log("up")
    for name in ("leaf", "broker", "indexer"):
        harness.expect(f"{name} ended with signal 9 (Killed); it is started again" in log, f"frond up did not say that {name} was killed")
    harness.expect('leaf: {"' in log, "the last lines of a killed program are not shown")


def check_unread_stderr(setting):
    """Nobody reads its stderr, which is full: a program that ends is started again, and Ctrl-C ends all."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(writer, True)
    for logs in ("stderr", "files"):
        up = Up(setting, "--logs", logs, stderr=writer).await_ready()
        before = up.programs()["frond-broker"]
        os.kill(before, signal.SIGKILL)
        harness.eventually(lambda u=up, b=before: u.programs().get("frond-broker", b) != b, "the broker is started again")
        harness.eventually(lambda u=up: u.hits("partition"), "searches are answered again", 60)
        up.stop()
    os.close(reader)
    os.close(writer)


def check_ctrl_c_while_it_waits(setting):
    """Programs of one that was killed do not end: Ctrl-C ends who waits for them, which says so."""
    up = Up(setting).await_ready()
    programs = up.programs()
    for pid in programs.values():
        os.kill(pid, signal.SIGSTOP)
    harness.kill9(up.process)
    waits = Up(setting)
    try:
        harness.eventually(lambda: "waiting until the programs have ended" in setting.log("up"), "it says what it waits for")
        waits.process.send_signal(signal.SIGINT)
        harness.expect(waits.process.wait(5) == -signal.SIGINT, "Ctrl-C did not end who waits")
    finally:
        for pid in programs.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def check_without_input(setting):
    up = Up(setting, data="empty").await_ready()
    harness.expect(up.ask("/v1/collections/docs/documents", "POST", '{"id":"x","body":"y"}')[0] == 401, "a change without a key")
    harness.expect(up.ask("/v1/collections/docs/documents", "POST", '{"id":"first","body":"hello"}', up.key)[0] == 200, "the first document")
    status, body = up.ask("/v1/collections/docs/refresh", "POST", key=up.key)
    harness.expect(status == 200 and json.loads(body)["generation"] == 1, f"refresh: {status} {body}")
    up.await_hit("hello", "first", "the first document that came over HTTP")
    harness.expect(up.ask("/v1/collections/docs/documents/first", "DELETE", key=up.key)[0] == 200, "a document is removed")
    harness.eventually(lambda: up.hits("hello") == [], "a removed document is not found")
    up.stop()


def test(setting):
    texts = setting.path("texts")
    os.makedirs(texts)
    for name, text in TEXTS.items():
        with open(os.path.join(texts, name), "w", encoding="utf-8") as file:
            file.write(text)
    check_mistakes(setting, texts)

    up = Up(setting, "--input", "texts").await_ready()
    up.await_hit("partition", "page.html", "the first hit")
    print(f"the first hit after {time.monotonic() - up.began:.1f} s", flush=True)
    harness.expect(up.ask("/")[0] == 200, "the search page")
    for host, wanted in (("localhost:80", 200), ("[::1]", 200), ("rebound.example", 421)):
        status = up.ask("/v1/search?q=partition", Host=host)[0]
        harness.expect(status == wanted, f"a search under the name {host}: {status}")
    harness.expect(oct(os.stat(up.data).st_mode)[-3:] == "700", "others can read the folder")
    expect_refused(setting, f"is in use: frond up runs there, process {up.process.pid}")
    check_links(up)
    check_kills(setting, up)
    up.stop()

    expect_refused(setting, "has the collection docs", "--collection", "books")
    expect_refused(setting, "was indexed from other inputs", "--input", setting.path("file"))
    up = Up(setting, "--input", "texts").await_ready()
    up.await_hit("killeaf", "leaf", "what came over HTTP before the restart")
    harness.kill9(up.process)  # the programs end, and the next start waits for that
    up = Up(setting).await_ready()
    up.await_hit("partition", "page.html", "what was indexed")
    up.stop()

    with open(os.path.join(texts, "new.txt"), "w", encoding="utf-8") as file:
        file.write("freshly indexed")
    check_ctrl_c_while_it_waits(setting)
    check_unread_stderr(setting)
    up = Up(setting, "--input", "texts", "--reindex").await_ready()
    up.await_hit("freshly", "new.txt", "a file that was indexed anew")
    up.stop()
    check_without_input(setting)


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
