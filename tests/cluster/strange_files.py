#!/usr/bin/env python3
"""What lies in a repository, or is named by a flag, and is no file, stops nobody: a pipe in place of CURRENT, a manifest, a partition's file, a key
or a certificate is an error at once, and links that lead out of a repository are not followed over HTTP. A command that reads a pipe, which a
shell may pass, ends within 2 s of SIGTERM; results that can't be written are no success."""
import json
import os
import shutil
import socket
import subprocess
import time

import harness
import writing


def run(setting, *command, timeout=20, **more):
    return subprocess.run([setting.program(command[0]), *command[1:]], capture_output="stdout" not in more,
                          stderr=subprocess.PIPE if "stdout" in more else None, text=True, timeout=timeout,
                          **{"stdin": subprocess.DEVNULL, **more})


def check_flags(setting, pipe):
    good, of = setting.path("good.jsonl"), ("--repository", setting.path("repository"), "--collection", "c")
    build = ("frond-indexer", "build", "--repository", setting.path("new"), "--collection", "c", "--input", good)
    serve = ("frond-indexer", "serve", "--repository", setting.path("repository"), "--listen", "127.0.0.1:0")
    broker = ("frond-broker", "--collection", "c", "--leaf", "tcp://127.0.0.1:1", "--http", "127.0.0.1:0")
    leaf = ("frond-leaf", *of, "--gpu", "off", "--data", setting.path("data"), "--listen", "tcp://127.0.0.1:0", "--http", "127.0.0.1:0")
    for command in ((*build[:-1], pipe), (*build, "--config", pipe), (*build, "--stop-words", pipe), ("frond-indexer", "remove", *of, "--ids", pipe),
                    ("frond-indexer", "import-ciff", *of, "--input", pipe), (*serve, "--api-keys", pipe),
                    (*serve, "--tls-certificate", pipe, "--tls-key", pipe), (*broker, "--api-keys", pipe), (*broker, "--config", pipe),
                    (*broker, "--curve-secret-key", pipe, "--curve-leaf-key", pipe), (*leaf, "--curve-secret-key", pipe, "--curve-clients", pipe),
                    (*leaf, "--cost-model", pipe),
                    ("frond", "search", "--key-file", pipe, "word"), ("frond", "search", "--tls-ca", pipe, "word"),
                    ("frond", "run", "--topics", pipe), ("frond", "load", "--concurrency", "1", "--queries", pipe)):
        try:
            done = run(setting, *command)
        except subprocess.TimeoutExpired as late:
            raise harness.Failure(f"{command} waits for a pipe") from late
        harness.expect(done.returncode in (1, 2), f"{command}: exit {done.returncode}: {done.stderr}")


def check_repository(setting):
    """Each file of a generation becomes a pipe, in turn."""
    whole, folder = setting.path("repository/c"), setting.path("strange/c")
    shutil.copytree(whole, folder)
    of = ("--repository", setting.path("strange"), "--collection", "c")
    for name in [os.path.relpath(os.path.join(d, f), folder) for d, _, files in os.walk(folder) for f in files if f not in ("LOCK", "HIGHEST")]:
        path = os.path.join(folder, name)
        os.remove(path)
        os.mkfifo(path)
        for command in (("check", *of), ("add", *of, "--input", setting.path("good.jsonl")), ("compact", "--all", *of),
                        ("export-ciff", *of, "--output", setting.path("x.ciff"))):
            copy = setting.path("copy")
            try:
                done = run(setting, "frond-indexer", *command)
            except subprocess.TimeoutExpired as late:
                raise harness.Failure(f"{command[0]} waits for {name}") from late
            harness.expect(command[0] != "check" or done.returncode == 1, f"check finds nothing wrong with the pipe {name}: {done.stdout}")
            shutil.rmtree(folder)
            shutil.copytree(whole, copy)
            os.rename(copy, folder)
            os.remove(path)
            os.mkfifo(path)
        shutil.rmtree(folder)
        shutil.copytree(whole, folder)


def check_links(setting, service):
    """A link in the repository, at each step of a path, and for a file."""
    outside = setting.path("outside")
    shutil.copytree(setting.path("repository/c"), outside)
    for name in ("CURRENT", "generations/secret", "partitions/p/secret"):
        os.makedirs(os.path.dirname(os.path.join(outside, name)), exist_ok=True)
        with open(os.path.join(outside, name), "w", encoding="ascii") as file:
            file.write("1 SECRET" if name != "CURRENT" else "1\n")
    inside = os.path.join(service.repository, "linked")
    os.makedirs(os.path.join(inside, "generations"))
    os.makedirs(os.path.join(inside, "partitions"))
    os.symlink(outside, os.path.join(service.repository, "whole"))
    os.symlink(os.path.join(outside, "CURRENT"), os.path.join(inside, "CURRENT"))
    os.symlink(os.path.join(outside, "generations/secret"), os.path.join(inside, "generations/secret"))
    os.symlink(os.path.join(outside, "partitions/p"), os.path.join(inside, "partitions/p"))
    for path in ("whole/CURRENT", "whole/generations/secret", "whole/generations/1.json", "whole/partitions/p/secret", "linked/CURRENT",
                 "linked/generations/secret", "linked/partitions/p/secret"):
        status, body = service.ask("GET", "/repository/" + path)
        harness.expect(status == 404, f"{path}: {status} {body[:60]}")
    listed = service.ask("GET", "/v1/collections")[1].decode()
    harness.expect("whole" not in listed and "linked" not in listed, f"links are listed: {listed}")
    for path in ("/v1/collections/whole", "/v1/collections/whole/generations", "/v1/collections/linked"):
        harness.expect(service.ask("GET", path)[0] in (404, 503), f"{path} is described")
    harness.expect(service.ask("GET", "/repository/c/CURRENT")[0] in (200, 404), "the service goes on")


def check_signals(setting):
    """SIGTERM while a pipe that somebody holds open is read."""
    of = ("--repository", setting.path("repository"), "--collection", "c")
    for command in (("build", "--repository", setting.path("new"), "--collection", "c", "--input", "/dev/stdin"),
                    ("remove", *of, "--ids", "-"), ("remove", *of, "--ids", "/dev/stdin")):
        with subprocess.Popen([setting.program("frond-indexer"), *command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            time.sleep(0.5)
            harness.expect(process.poll() is None, f"{command} waits for its input")
            begun = time.monotonic()
            process.terminate()
            harness.expect(process.wait(10) == 143, f"{command}: exit {process.returncode}")
            harness.expect(time.monotonic() - begun < 3, f"{command} took {time.monotonic() - begun:.1f} s to end")


def check_results(setting):
    """Exit 0 says that the result is there to be read."""
    good, of = setting.path("good.jsonl"), ("--repository", setting.path("repository"), "--collection", "c")
    with open(setting.path("nobody"), "w", encoding="ascii") as file:
        file.write("nobody\n")
    for command in (("frond-indexer", "build", "--repository", setting.path("new"), "--collection", "c", "--input", good),
                    ("frond-indexer", "check", *of), ("frond-indexer", "check", *of, "--json"), ("frond-indexer", "compact", *of),
                    ("frond-indexer", "remove", *of, "--ids", setting.path("nobody"), "--json"), ("frond-indexer", "prune", *of),
                    ("frond-indexer", "--version"), ("frond", "--help"), ("frond-leaf", "--help"), ("frond-broker", "--version"),
                    ("frond", "keygen", "--output", setting.path("k"))):
        with open("/dev/full", "wb") as full:
            done = run(setting, *command, stdout=full)
        harness.expect(done.returncode == 1 and "can't be written" in done.stderr, f"{command}: exit {done.returncode}: {done.stderr[-300:]}")


def check_other_port(setting):
    """A port that speaks ZeroMQ says its greeting, and waits."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        with subprocess.Popen([setting.program("frond"), "search", "--broker", f"http://127.0.0.1:{server.getsockname()[1]}", "word"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            connection = server.accept()[0]
            connection.sendall(b"\xff" + bytes(8) + b"\x7f")
            harness.expect(process.wait(5) == 1, f"exit {process.returncode}")
            said = process.stderr.read()
            harness.expect("ZeroMQ" in said, f"it says what is there: {said}")
            connection.close()


def test(setting):
    good = setting.write_numbered("good", 200, lambda n: f"number {n} word")
    setting.build(setting.path("repository"), "c", [good], 2)
    pipe = setting.path("pipe")
    os.mkfifo(pipe)
    check_flags(setting, pipe)
    check_repository(setting)
    keys, key_file = writing.make_keys(setting)
    os.mkdir(setting.path("written"))
    service = writing.Service(setting, setting.path("written"), keys, "--api-keys", key_file, "--memory-limit", "128MiB")
    check_links(setting, service)
    os.mkdir(setting.path("written/x"))
    os.mkfifo(setting.path("written/x/CURRENT"))
    harness.expect(service.ask("PUT", "/v1/collections/c", key="admin")[0] == 201, "a collection is made beside a pipe")
    post = lambda name: service.ask("POST", "/v1/collections/c/documents", json.dumps({"id": name, "title": "all"}) + "\n", key="write")
    harness.expect(post("1")[0] == 200 and service.ask("POST", "/v1/collections/c/refresh", key="write")[0] == 200, "it is written")
    os.remove(setting.path("written/c/CURRENT"))
    os.mkfifo(setting.path("written/c/CURRENT"))
    harness.expect(post("2")[0] == 200, "a change is accepted where CURRENT is a pipe")
    begun = time.monotonic()
    harness.end(service.process, "the service")
    harness.expect(time.monotonic() - begun < 10, f"the service took {time.monotonic() - begun:.1f} s to end")
    check_signals(setting)
    check_results(setting)
    check_other_port(setting)


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
