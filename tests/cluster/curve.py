#!/usr/bin/env python3
"""CURVE between broker and leaves: the answers are those without it. A broker without a key, with another key or with another leaf's
key gets no answer, and logs why. A key that is added to the list is accepted without a restart; one that is removed is refused. A
leaf that is killed is found again.
"""
import json
import os
import subprocess

import harness
import random_text


class Keys:
    """Pairs from `frond keygen`, as files."""

    def __init__(self, setting):
        self.setting = setting

    def make(self, name):
        prefix = self.setting.path(name)
        done = subprocess.run([self.setting.program("frond"), "keygen", "--output", prefix], capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode == 0, f"keygen exited {done.returncode}: {done.stderr}")
        told = done.stdout + done.stderr
        harness.expect(self.read(name, "secret") not in told and self.read(name, "public") in told, "keygen printed the wrong key")
        harness.expect(os.stat(prefix + ".secret").st_mode & 0o777 == 0o600, "the secret can be read by others")
        again = subprocess.run([self.setting.program("frond"), "keygen", "--output", prefix], capture_output=True, text=True, timeout=60)
        harness.expect(again.returncode == 1 and prefix in again.stderr, f"keygen overwrites: exit {again.returncode}")
        return prefix

    def read(self, name, kind):
        with open(self.setting.path(f"{name}.{kind}"), encoding="ascii") as file:
            return file.read().strip()

    def let_in(self, *names):
        """Puts a new list in place by a rename, as Kubernetes does with its links."""
        path = self.setting.path("clients")
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write("".join(self.read(name, "public") + "\n" for name in names))
        os.rename(path + ".new", path)
        return path


class Broker:
    """One more broker of a cluster's leaves, with flags of its own."""

    def __init__(self, cluster, name, *flags):
        (self.http,) = harness.free_ports(1)
        leaves = [f for port in cluster.leaf_ports for f in ("--leaf", f"tcp://127.0.0.1:{port}")]
        self.process = cluster.setting.spawn(name, "frond-broker", "--http", f"127.0.0.1:{self.http}", "--collection",
                                             cluster.collection, *leaves, *flags)

    def ready(self):
        return harness.fetch(self.http, "/readyz", timeout=5)[0] == 200

    def errors(self):
        leaves = json.loads(harness.fetch(self.http, "/v1/cluster")[1])["leaves"]
        return [leaf.get("error", "") for leaf in leaves]

    def metric(self, line):
        return f"\n{line}\n".encode() in harness.fetch(self.http, "/metrics")[1]

    def stop(self):
        harness.end(self.process, "a broker")


def flags_for(setting, name):
    return ("--curve-secret-key", setting.path(name + ".secret"), "--curve-leaf-key", setting.path("leaf.public"))


def leaf_metric(cluster, number, name):
    for line in harness.fetch(cluster.leaf_http[number], "/metrics")[1].decode().splitlines():
        if line.startswith(name + " "):
            return float(line.split()[-1])
    raise harness.Failure(f"leaf {number} has no {name}")


def check_answers(plain, curve, words, rng):
    queries = [(" ".join(rng.choices(words, k=rng.randint(1, 4))), mode, k) for mode in ("and", "or", "auto") for k in (1, 10, 1000)]
    for query, mode, k in queries:
        one, other = (c.search(query, mode=mode, k=k, cache="off") for c in (plain, curve))
        harness.expect(one.whole and other.whole and one.hits == other.hits and one.total == other.total,
                       f"{query!r} {mode} k={k}: {one.hits} without CURVE, {other.hits} with")
    print(f"answers: {len(queries)} alike with CURVE and without")


def check_refused(cluster, plain_cluster, keys):
    """Each is refused for its own reason, which the broker tells; and none is ever ready."""
    keys.make("stranger")
    cases = {
        "stranger": (cluster, flags_for(cluster.setting, "stranger"), "does not let this broker's key in", ["key_refused"]),
        "plain": (cluster, (), "the leaf uses CURVE", ["mechanism", "closed"]),
        "deceived": (cluster, ("--curve-secret-key", keys.setting.path("broker.secret"), "--curve-leaf-key",
                               keys.setting.path("stranger.public")), "--curve-leaf-key is not the leaf's key", ["closed"]),
        "guarded": (plain_cluster, flags_for(cluster.setting, "broker"), "the leaf does not use CURVE", ["mechanism", "closed"]),
    }
    brokers = {name: Broker(of, "refused-" + name, *flags) for name, (of, flags, _, _) in cases.items()}
    for name, (of, _, why, reasons) in cases.items():
        broker = brokers[name]
        harness.eventually(lambda: all(why in error for error in broker.errors()), f"{name}: the broker says '{why}'")
        harness.eventually(lambda: why in cluster.setting.log("refused-" + name), f"{name}: so does its log")
        harness.expect(not broker.ready(), f"{name}: ready")
        counters = [f'frond_broker_leaf_handshake_failures_total{{reason="{reason}"}} 0' for reason in reasons]
        harness.expect(not all(broker.metric(line) for line in counters), f"{name}: not counted as {reasons}")
    for name, (of, _, _, _) in cases.items():
        brokers[name].stop()
        lines = cluster.setting.log("refused-" + name).count("still down")
        harness.expect(lines <= 3 * len(of.leaf_ports), f"{name}: {lines} lines in the log")
        print(f"{name}: refused, {lines} lines in the log")
    for result in ("refused", "failed"):
        harness.expect(leaf_metric(cluster, 0, f'frond_leaf_curve_handshakes_total{{result="{result}"}}') > 0, f"no leaf counted {result}")


def check_rotation(cluster, keys, query):
    """The new key is let in beside the old, a broker with it comes, then the old one is no longer heard."""
    before = cluster.search(query, cache="off")
    keys.make("next")
    broker = Broker(cluster, "rotated", *flags_for(cluster.setting, "next"))
    harness.eventually(lambda: all("key" in e for e in broker.errors()), "the next key is refused before it is in the list")
    keys.let_in("broker", "next")
    harness.eventually(broker.ready, "the next key comes in without a restart")
    harness.expect(cluster.search(query, cache="off").hits == before.hits, "the old key was shut out too early")
    keys.let_in("next")
    harness.eventually(lambda: all(leaf_metric(cluster, n, "frond_leaf_curve_clients") == 1 for n in range(len(cluster.leaves))),
                       "the leaves have the new list")
    harness.eventually(lambda: harness.fetch(cluster.http, "/readyz")[0] == 503, "the old key is not heard any more")
    harness.expect(leaf_metric(cluster, 0, "frond_leaf_curve_requests_refused_total") > 0, "the leaf does not count what it did not hear")
    harness.eventually(lambda: b"does not let this broker's key in" in harness.fetch(cluster.http, "/v1/cluster")[1], "the old key's broker is told")
    keys.let_in("broker", "next")
    harness.eventually(lambda: cluster.search(query, cache="off").hits == before.hits, "the old key is heard again")
    with open(cluster.setting.path("clients"), "w", encoding="ascii") as file:
        file.write("no key\n")
    harness.eventually(lambda: leaf_metric(cluster, 0, "frond_leaf_curve_clients_stale") == 1, "the leaf complains of a list that is none")
    harness.expect(cluster.search(query, cache="off").hits == before.hits, "a list that is none changed who is let in")
    keys.let_in("broker", "next")
    harness.eventually(lambda: leaf_metric(cluster, 0, "frond_leaf_curve_clients_stale") == 0, "the leaf takes the good list")
    broker.stop()
    print("rotation: a new key came in, the old one was shut out and let in again, without a restart")


def check_kill(cluster, query):
    before = cluster.search(query, cache="off")
    harness.kill9(cluster.leaves[1])
    harness.eventually(lambda: cluster.search(query, cache="off", allow_partial="true").degraded, "the answer without a leaf is degraded")
    cluster.start_leaf(1)

    def whole():
        answer = cluster.search(query, cache="off", allow_partial="true")
        return answer.whole and answer.hits == before.hits

    harness.eventually(whole, "the leaf is found again", 60)
    print("a killed leaf was found again")


def check_bad_configuration(setting, repository):
    """One line that names the flag or the file, and exit 2."""
    with open(setting.path("short"), "w", encoding="ascii") as file:
        file.write("abc\n")
    leaf = ["frond-leaf", "--repository", repository, "--collection", "c", "--data", setting.path("none"), "--listen",
            "tcp://127.0.0.1:0", "--http", "127.0.0.1:0"]
    broker = ["frond-broker", "--collection", "c", "--http", "127.0.0.1:0", "--leaf", "tcp://127.0.0.1:1"]
    good = setting.path("leaf.secret")
    for command, flags, named in (
            (leaf, ["--curve-secret-key", good], "--curve-clients"),
            (leaf, ["--curve-clients", setting.path("clients")], "--curve-secret-key"),
            (leaf, ["--curve-secret-key", setting.path("short"), "--curve-clients", setting.path("clients")], setting.path("short")),
            (leaf, ["--curve-secret-key", good, "--curve-clients", setting.path("nowhere")], setting.path("nowhere")),
            (broker, ["--curve-secret-key", good], "--curve-leaf-key"),
            (broker, ["--curve-secret-key", good, "--curve-leaf-key", setting.path("short")], setting.path("short"))):
        done = subprocess.run([setting.program(command[0]), *command[1:], *flags], capture_output=True, text=True, timeout=60)
        said = done.stderr.strip().splitlines()
        harness.expect(done.returncode == 2 and len(said) == 1 and named in said[0], f"{flags}: exit {done.returncode}: {done.stderr}")
    print("bad configuration: one line and exit 2")


def test(setting):
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    source = random_text.Collection(rng, 2000, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 3)
    keys = Keys(setting)
    for name in ("leaf", "broker"):
        keys.make(name)
    clients = keys.let_in("broker")
    check_bad_configuration(setting, repository)

    plain = harness.Cluster(setting, repository, "c", 2, "plain")
    curve = harness.Cluster(setting, repository, "c", 2, "curve", broker_flags=flags_for(setting, "broker"),
                            leaf_flags=("--curve-secret-key", setting.path("leaf.secret"), "--curve-clients", clients))
    check_answers(plain, curve, words, rng)
    check_refused(curve, plain, keys)
    check_rotation(curve, keys, words[0])
    check_kill(curve, words[0])
    for secret in ("leaf", "broker", "stranger", "next"):
        for log in ("curve-leaf0", "curve-leaf1", "curve-broker", "refused-stranger"):
            harness.expect(keys.read(secret, "secret") not in setting.log(log), f"{log} has a secret in it")
    plain.stop()
    curve.stop()


harness.run(test, harness.arguments(__doc__).parse_args())
