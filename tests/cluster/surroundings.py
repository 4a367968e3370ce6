#!/usr/bin/env python3
"""Limits of the system around a process: few open files, clients that take them all, a log whose reader has gone."""
import resource
import signal
import socket
import subprocess

import harness
import random_text

OPEN_FILES = 64


def spawn_with_few_files(setting, log_name, program, *args):
    """A process that may open OPEN_FILES files, and not raise that."""
    with open(setting.path(log_name + ".log"), "ab") as log:
        process = subprocess.Popen([setting.program(program), *map(str, args)], stdout=log, stderr=log,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES)))
    setting.processes.append(process)
    return process


def check_few_files(setting, cluster):
    """Idle clients take every connection that a broker gives; a leaf that starts again is found all the same."""
    (port,) = harness.free_ports(1)
    broker = spawn_with_few_files(setting, "few-broker", "frond-broker", "--http", f"127.0.0.1:{port}", "--collection", "c",
                                  "--leaf", f"tcp://127.0.0.1:{cluster.leaf_ports[0]}")
    harness.eventually(lambda: harness.fetch(port, "/readyz")[0] == 200, "the broker is ready")
    harness.expect("limit of open files is too low" in setting.log("few-broker"), "the broker did not say that it may hold fewer connections")
    held = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(2 * OPEN_FILES)]
    harness.kill9(cluster.leaves[0])
    harness.eventually(lambda: "leaf down" in setting.log("few-broker"), "the broker misses its leaf")
    cluster.start_leaf(0)
    harness.eventually(lambda: setting.log("few-broker").count("leaf up") == 2, "the broker has its leaf again, whatever clients hold", 60)
    for connection in held:
        connection.close()
    harness.eventually(lambda: harness.fetch(port, "/readyz")[0] == 200, "the broker answers again")
    harness.end(broker, "the broker")


def check_lost_log(setting, cluster):
    """Whoever reads the log goes away, and then there is something to log."""
    (port,) = harness.free_ports(1)
    broker = subprocess.Popen([setting.program("frond-broker"), "--http", f"127.0.0.1:{port}", "--collection", "c",
                               "--leaf", f"tcp://127.0.0.1:{cluster.leaf_ports[0]}"], stderr=subprocess.PIPE)
    setting.processes.append(broker)
    harness.eventually(lambda: harness.fetch(port, "/readyz")[0] == 200, "the broker is ready")
    broker.stderr.close()
    harness.kill9(cluster.leaves[0])
    harness.eventually(lambda: b'frond_broker_leaves{state="down"} 1' in harness.fetch(port, "/metrics")[1], "the broker misses its leaf")
    cluster.start_leaf(0)
    harness.eventually(lambda: harness.fetch(port, "/readyz")[0] == 200, "the broker has its leaf again")
    harness.expect(broker.poll() is None, "the broker ended with its log")
    broker.send_signal(signal.SIGTERM)
    harness.expect(broker.wait(30) == 0, "the broker did not exit 0 at SIGTERM")


def test(setting):
    source = random_text.Collection(setting.rng, 200, random_text.vocabulary(setting.rng, 50)).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 1)
    cluster = harness.Cluster(setting, repository, "c", 1)
    check_few_files(setting, cluster)
    check_lost_log(setting, cluster)
    cluster.stop()


harness.run(test, harness.arguments(__doc__).parse_args())
