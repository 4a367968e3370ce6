#!/usr/bin/env python3
"""What HTTPS costs: brokers with one leaf, plain and under TLS, loaded in turn; with --baseline also those of another build.

First answers from the cache, a broker's highest rate, then searches, then one connection a request. If valgrind is installed, also the instructions
of the broker for one request, which do not depend on other work on the machine. One JSON object a line.
"""
import json
import re
import shutil
import socket
import ssl
import statistics
import subprocess

import data
import harness

parser = harness.arguments(__doc__)
parser.add_argument("--seconds", type=float, default=4)
parser.add_argument("--rounds", type=int, default=3, help="of load; 0: only instructions are counted")
parser.add_argument("--repository", required=True, help="with a collection `passages`")
parser.add_argument("--baseline", default=None, help="the folder of another build's frond-broker and frond")
parsed = parser.parse_args()
REQUEST = b"GET /v1/search?q=hard+links&k=10 HTTP/1.1\r\nHost: x\r\n\r\n"


def ask(port, ca, count):
    """Exactly `count` requests on one connection."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=300)
    if ca:
        connection = ssl.create_default_context(cafile=ca).wrap_socket(connection, server_hostname="127.0.0.1")
    for _ in range(count):
        connection.sendall(REQUEST)
        heard = b""
        while b"\r\n\r\n" not in heard:
            heard += connection.recv(65536)
        head, body = heard.split(b"\r\n\r\n", 1)
        left = int(re.search(rb"Content-Length: (\d+)", head).group(1)) - len(body)
        while left > 0:
            left -= len(connection.recv(65536))
    connection.close()


def handshakes(port, ca, count):
    context = ssl.create_default_context(cafile=ca) if ca else None
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port), timeout=300)
        if context:
            connection = context.wrap_socket(connection, server_hostname="127.0.0.1")
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        while connection.recv(65536):
            pass
        connection.close()


def instructions(setting, start, port, ca, work, few, many):
    """Of the broker, for one of what `work` does: the difference between two runs, so that its start does not count."""
    counts = []
    for number, count in enumerate((few, many)):
        name = f"valgrind-{port}-{number}"
        process = start(name, ["valgrind", "--tool=callgrind", f"--callgrind-out-file={setting.path(name)}"])
        harness.eventually(lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None, "valgrind has started", 120)
        harness.eventually(lambda: work(port, ca, 1) is None and ready(port, ca), "the broker is ready", 120)
        work(port, ca, count)
        process.terminate()
        process.wait(120)
        counts.append(int(re.search(r"Collected : (\d+)", setting.log(name)).group(1)))
    return round((counts[1] - counts[0]) / (many - few))


def ready(port, ca):
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    if ca:
        connection = ssl.create_default_context(cafile=ca).wrap_socket(connection, server_hostname="127.0.0.1")
    connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    answer = connection.recv(4096)
    connection.close()
    return b" 200 " in answer


def self_signed(setting, name, *algorithm):
    key, certificate = setting.path(name + ".key"), setting.path(name + ".pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", *algorithm, "-nodes", "-days", "2", "-subj", "/CN=broker", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, ("--tls-certificate", certificate, "--tls-key", key)


def test(setting):
    cluster = harness.Cluster(setting, parsed.repository, "passages", 1)
    few = setting.path("few.txt")
    with open(data.path("queries", "terabyte05-efficiency.txt"), encoding="utf-8") as source, open(few, "w", encoding="utf-8") as out:
        out.writelines(line for _, line in zip(range(200), source))
    ecdsa, ecdsa_flags = self_signed(setting, "ecdsa", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
    rsa, rsa_flags = self_signed(setting, "rsa", "rsa:2048")
    kinds = {"plain": (setting.programs, None, ()), "ecdsa": (setting.programs, ecdsa, ecdsa_flags), "rsa": (setting.programs, rsa, rsa_flags)}
    if parsed.baseline:
        kinds = {"baseline": (parsed.baseline, None, ()), **kinds}
    ports = dict(zip(kinds, harness.free_ports(len(kinds))))

    def start(kind, log_name, before=()):
        programs, _, flags = kinds[kind]
        command = [*before, f"{programs}/frond-broker", "--http", f"127.0.0.1:{ports[kind]}", "--collection", "passages", "--leaf",
                   f"tcp://127.0.0.1:{cluster.leaf_ports[0]}", *flags]
        with open(setting.path(log_name + ".log"), "ab") as log:
            setting.processes.append(subprocess.Popen(command, stdout=log, stderr=log))
        return setting.processes[-1]

    brokers = {kind: start(kind, "broker-" + kind) for kind in kinds}
    for kind in kinds:
        harness.eventually(lambda k=kind: ready(ports[k], kinds[k][1]), f"{kind} is ready", 60)

    def load(kind, *flags):
        programs, ca, _ = kinds[kind]
        command = [f"{programs}/frond", "load", "--broker", f"http{'s' if ca else ''}://127.0.0.1:{ports[kind]}", "--queries", few, "--json",
                   "--seconds", str(parsed.seconds), "--warmup", "1", *map(str, flags), *(("--tls-ca", ca) if ca else ())]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["queries_per_second"]

    for name, flags in (("cached, 32 connections", ("--concurrency", 32)), ("cached, k=100", ("--concurrency", 32, "--k", 100)),
                        ("searches, 8 connections", ("--concurrency", 8, "--cache", "off"))):
        if not parsed.rounds:
            break
        rates = {kind: [] for kind in kinds if kind != "rsa"}
        for _ in range(parsed.rounds):
            for kind, seen in rates.items():
                seen.append(round(load(kind, *flags)))
        print(json.dumps({name: {kind: {"median": statistics.median(seen), "all": sorted(seen)} for kind, seen in rates.items()}}), flush=True)
    for broker in brokers.values():
        broker.terminate()
        harness.expect(broker.wait(30) == 0, "a broker did not exit 0")
    if shutil.which("valgrind"):
        for name, work, counts in (("instructions, a cached answer", ask, (200, 1200)), ("instructions, a connection and /livez", handshakes, (10, 50))):
            print(json.dumps({name: {kind: instructions(setting, lambda n, b, k=kind: start(k, n, b), ports[kind], kinds[kind][1], work, *counts)
                                     for kind in kinds}}), flush=True)
    cluster.stop()


harness.run(test, parsed)
