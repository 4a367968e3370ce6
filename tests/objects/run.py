#!/usr/bin/env python3
"""A collection in an object store is built, changed, served, followed, checked, rolled back and pruned as one in a folder is, with equal answers.

--suite s3rver: over an S3-compatible server from npm, which knows no conditional writes. --suite faults: over a server of ours, of whose
requests some fail in every way there is, and which goes away; nothing wrong is ever read or published. Skipped (77) where the first one's
packages are not there (npm ci in this folder).
"""
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402
import random_text  # noqa: E402
from network import pipe  # noqa: E402
from store import PLACE, Store, expect_s3rver, s3rver  # noqa: E402


def indexer(setting, store, command, *args, scratch="scratch", code=0):
    done = subprocess.run([setting.program("frond-indexer"), command, "--repository", PLACE, "--collection", "c", "--scratch",
                           setting.path(scratch), *store.arguments(), *args], capture_output=True, text=True, timeout=600)
    harness.expect(done.returncode == code, f"{command} exited {done.returncode}: {done.stdout[-500:]} {done.stderr[-1000:]}")
    return done.stdout + done.stderr


def expect_no_secrets(setting, stores):
    for name in os.listdir(setting.folder):
        if name.endswith(".log") and not any(name == store.name + ".log" for store in stores):
            text = setting.log(name[:-4])
            for store in stores:
                harness.expect(store.secret not in text, f"{name} tells a secret")


def check_life(setting, store):
    """Build, serve, follow, check, roll back, prune, and build in shares."""
    rng = setting.rng
    words = random_text.vocabulary(rng, 300)
    sources = [random_text.Collection(rng, 2500, words, name=name).write(setting.path(name + ".jsonl")) for name in "ab"]
    queries = random_text.queries(rng, words, 25)
    folder = setting.path("repository")

    def build(source):
        setting.build(folder, "c", [source], 2)
        return setting.build(PLACE, "c", [source], 2, scratch=setting.path("scratch"), **store.flags)

    build(sources[0])
    near = harness.Cluster(setting, folder, "c", 1, name="folder")
    far = harness.Cluster(setting, PLACE, "c", 1, name="objects", leaf_flags=store.arguments())

    def compare(generation):
        for cluster in (near, far):
            harness.eventually(lambda c=cluster: c.search(words[0], cache="off").generation == generation, f"generation {generation} is served", 60)
        for query in queries:
            a, b = near.search(query, cache="off"), far.search(query, cache="off")
            harness.expect(a.hits == b.hits, f"{query!r}: {b.hits} from the object store, {a.hits} from the folder")
        print(f"generation {generation}: {len(queries)} answers, all the same", flush=True)

    compare(1)
    build(sources[1])
    compare(2)
    harness.expect("nothing is wrong" in indexer(setting, store, "check"), "check finds faults")
    indexer(setting, store, "rollback")
    subprocess.run([setting.program("frond-indexer"), "rollback", "--repository", folder, "--collection", "c"], check=True, capture_output=True)
    compare(1)
    for share in range(2):
        for place, more in ((folder, {}), (PLACE, {"scratch": setting.path(f"scratch{share}"), **store.flags})):
            command = setting.build_command(place, "c", sources, 1, partition=f"{share}/2", **more)
            at = command.index("--partitions")
            del command[at:at + 2]
            subprocess.run(command + ["--no-publish"], check=True, capture_output=True, timeout=300)
    indexer(setting, store, "publish", "--partitions", "2")
    subprocess.run([setting.program("frond-indexer"), "publish", "--partitions", "2", "--repository", folder, "--collection", "c"],
                   check=True, capture_output=True)
    compare(3)
    indexer(setting, store, "prune", "--keep", "0")
    harness.expect("nothing is wrong" in indexer(setting, store, "check"), "check finds faults after pruning")
    indexer(setting, store, "rollback", code=1)
    far.stop()
    # A leaf that starts with an empty folder has all it needs in the store.
    shutil.rmtree(setting.path("objects-leaf0"))
    far = harness.Cluster(setting, PLACE, "c", 1, name="objects", leaf_flags=store.arguments())
    compare(3)
    requests = harness.metric(far.leaf_http[0], "frond_leaf_object_requests_total", outcome="ok")
    harness.expect(requests > 5, "the metric counts no requests")
    # The store may go away: what is served stays.
    store.stop()
    harness.expect(far.search(queries[0], cache="off").whole, "the leaf depends on the object store to answer")
    harness.eventually(lambda: "object" in json.loads(harness.fetch(far.leaf_http[0], "/readyz")[1])["detail"] or
                       "s3://" in json.loads(harness.fetch(far.leaf_http[0], "/readyz")[1])["detail"], "the leaf says what it misses", 60)
    near.stop()
    far.stop()


def check_changes(setting, store):
    """Adds, removals, replacements and compactions, CIFF in and out: in the store as in a folder. Changes that come at once are all there."""
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    queries = random_text.queries(rng, words, 20)
    folder = setting.path("changed")
    flags = {"s3_lease_seconds": 5, **store.flags}

    def arguments(place, scratch):
        far = [part for name, value in {**flags, "scratch": setting.path(scratch)}.items() for part in ("--" + name.replace("_", "-"), str(value))]
        return ["--repository", place, "--collection", "d", *(far if place == PLACE else [])]

    def start(place, command, *more, scratch="scratch-d"):
        return subprocess.Popen([setting.program("frond-indexer"), command, *arguments(place, scratch), *more], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def end(process, what):
        out, err = process.communicate(timeout=300)
        harness.expect(process.returncode == 0, f"{what} exited {process.returncode}: {out[-500:]} {err[-1000:]}")
        return out

    def both(command, *more):
        for place in (folder, PLACE):
            end(start(place, command, *more), f"{command} at {place}")

    def documents(name, count):
        return random_text.Collection(rng, count, words, name=name).write(setting.path(name + ".jsonl"))

    def ids(name, wanted):
        with open(setting.path(name), "w", encoding="ascii") as file:
            file.write("\n".join(wanted) + "\n")
        return setting.path(name)

    def ids_of(path, every):
        with open(path, encoding="utf-8") as file:
            return [json.loads(line)["id"] for number, line in enumerate(file) if number % every == 0]

    first = documents("first", 600)
    both("build", "--format", "jsonl", "--partitions", "2", "--input", first)
    near = harness.Cluster(setting, folder, "d", 1, name="d-folder")
    far = harness.Cluster(setting, PLACE, "d", 1, name="d-objects", leaf_flags=store.arguments())

    def compare(what):
        for cluster, generation in ((near, harness.current(folder, "d")), (far, int(json.loads(end(start(PLACE, "check", "--json"), "check"))["generation"]))):
            harness.eventually(lambda c=cluster, g=generation: c.search(words[0], cache="off").generation == g, f"generation {generation} is served", 60)
        for query in queries:
            a, b = near.search(query, cache="off"), far.search(query, cache="off")
            harness.expect(a.hits == b.hits, f"after {what}: {query!r}: {b.hits} from the object store, {a.hits} from the folder")
        print(f"after {what}: {len(queries)} answers, all the same", flush=True)

    both("add", "--format", "jsonl", "--input", documents("second", 100))
    compare("an addition")
    both("remove", "--ids", ids("gone", ids_of(first, 5)))
    compare("a removal")
    both("compact", "--all")
    compare("a compaction")
    # So large that for a few documents only ranges of its files are read.
    large = setting.path("large.jsonl")
    with open(large, "w", encoding="ascii") as file:
        for number in range(3000):
            body = f"{rng.choice(words)} {rng.randbytes(1000).hex(' ', 100)}"
            file.write(json.dumps({"id": f"large{number}", "title": rng.choice(words), "body": body}) + "\n")
    both("add", "--format", "jsonl", "--input", large)
    both("remove", "--ids", ids("few", ["large7", "large2999"]))
    compare("a removal from a large partition")
    both("export-ciff", "--output", setting.path("d.ciff"))
    # At once: whoever comes second waits for the lease. None loses the other's change.
    third, fourth = documents("third", 50), documents("fourth", 50)
    gone = ids("gone-too", ids_of(setting.path("second.jsonl"), 3))
    beside = [start(PLACE, "add", "--format", "jsonl", "--input", third, scratch="scratch-x"),
              start(PLACE, "remove", "--ids", gone, scratch="scratch-y"),
              start(PLACE, "compact", "--all", scratch="scratch-z")]
    for process in beside:
        end(process, "one of three changes at once")
    end(start(folder, "add", "--format", "jsonl", "--input", third), "add")
    end(start(folder, "remove", "--ids", gone), "remove")
    compare("changes at once")
    # Killed changes leave the collection whole, and the next change is made.
    for round_ in range(3):
        process = start(PLACE, ("add", "compact", "remove")[round_], *(("--format", "jsonl", "--input", third), ("--all",), ("--ids", gone))[round_],
                        scratch="scratch-k")
        time.sleep(rng.uniform(0.05, 0.6))
        harness.kill9(process)
        end(start(PLACE, "check"), "check after a kill")
    both("add", "--format", "jsonl", "--input", fourth)
    for place in (folder, PLACE):  # if the killed ones were not done, they are now
        end(start(place, "add", "--format", "jsonl", "--input", third), "add")
        end(start(place, "remove", "--ids", gone), "remove")
    compare("kills")
    both("compact", "--all")
    end(start(PLACE, "prune", "--keep", "0"), "prune")
    compare("a last compaction")
    both("import-ciff", "--input", setting.path("d.ciff"), "--stemmer", "porter", "--stop-words", "on")
    compare("CIFF out and in")
    near.stop()
    far.stop()


def tls_proxy(certificate, key, port):
    """The port of an https server before the plain one at `port`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(plain):
        try:
            near = context.wrap_socket(plain, server_side=True)
        except OSError:  # the client does not believe the certificate
            return
        far = socket.create_connection(("127.0.0.1", port))
        threading.Thread(target=pipe, args=(near, far), daemon=True).start()
        pipe(far, near)

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def check_tls(setting, store):
    """https with an authority of one's own; certificates that are not to be believed are refused at once, and the message says why."""
    def openssl(*args):
        subprocess.run(["openssl", *args], check=True, capture_output=True, cwd=setting.folder)

    def authority(name):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2", "-subj", f"/CN={name}")

    def server(name, names, days="2"):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        with open(setting.path(f"{name}.ext"), "w", encoding="ascii") as file:
            file.write(f"subjectAltName={names}\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ours.pem", "-CAkey", "ours.key", "-CAcreateserial", "-days", days,
                "-extfile", f"{name}.ext", "-out", f"{name}.pem")
        return tls_proxy(setting.path(f"{name}.pem"), setting.path(f"{name}.key"), store.port)

    authority("ours")
    authority("others")
    good, other_host, old = server("good", "IP:127.0.0.1"), server("host", "DNS:elsewhere.example"), server("old", "IP:127.0.0.1", "-1")
    source = random_text.Collection(setting.rng, 50, random_text.vocabulary(setting.rng, 50), name="t").write(setting.path("t.jsonl"))

    def build(port, *flags, scheme="https"):
        begun = time.monotonic()
        done = subprocess.run([setting.program("frond-indexer"), "build", "--repository", PLACE, "--collection", "t", "--format", "jsonl",
                               "--input", source, "--scratch", setting.path("scratch-t"), "--s3-endpoint", f"{scheme}://127.0.0.1:{port}",
                               "--s3-credentials", store.credentials, *flags], capture_output=True, text=True, timeout=300)
        return done.returncode, done.stderr, time.monotonic() - begun

    ours = ("--tls-ca", setting.path("ours.pem"))
    code, text, _ = build(good, *ours)
    harness.expect(code == 0, f"https: {text}")
    for port, flags, wanted in ((good, (), "--tls-ca"), (good, ("--tls-ca", setting.path("others.pem")), "others.pem"),
                                (other_host, ours, "127.0.0.1"), (old, ours, "expired"),
                                (good, ("--tls-ca", setting.path("none.pem")), "none.pem")):
        code, text, seconds = build(port, *flags)
        last = text.strip().splitlines()[-1]
        harness.expect(code == 1 and wanted in last and seconds < 5, f"{flags}: exit {code} after {seconds:.1f} s: {text}")
        print(f"refused: {last}", flush=True)


def check_refusals(setting, store):
    """Bad input gets one clear line."""
    cases = [(["--s3-part", "1MiB"], "5MiB"), (["--s3-region", "a/b"], "region"), (["--s3-credentials", "/none"], "credentials")]
    for flags, wanted in cases:
        at = "rollback"
        done = subprocess.run([setting.program("frond-indexer"), at, "--repository", PLACE, "--collection", "c", "--scratch", setting.path("s"),
                               "--s3-endpoint", f"http://127.0.0.1:{store.port}", *flags], capture_output=True, text=True, timeout=60)
        harness.expect(done.returncode in (1, 2) and wanted in done.stderr and done.stderr.count("\n") == 1, f"{flags}: {done.stderr}")
    done = subprocess.run([setting.program("frond-indexer"), "rollback", "--repository", PLACE, "--collection", "c"], capture_output=True, text=True)
    harness.expect(done.returncode == 2 and "--scratch" in done.stderr, done.stderr)
    wrong = setting.path("wrong.credentials")
    with open(wrong, "w", encoding="ascii") as file:
        file.write("aws_access_key_id = nobody\naws_secret_access_key = a-secret-nobody-may-see\n")
    done = subprocess.run([setting.program("frond-indexer"), "rollback", "--repository", PLACE, "--collection", "c", "--scratch", setting.path("s"),
                           "--s3-endpoint", f"http://127.0.0.1:{store.port}", "--s3-credentials", wrong], capture_output=True, text=True, timeout=60)
    harness.expect(done.returncode == 1 and "403" in done.stderr and "a-secret" not in done.stderr, f"wrong keys: {done.stderr}")


def check_kills(setting, store):
    """Builders that are killed anywhere leave the collection whole, and the next one publishes."""
    rng = setting.rng
    words = random_text.vocabulary(rng, 200)
    source = random_text.Collection(rng, 1500, words, name="k").write(setting.path("k.jsonl"))
    flags = {"scratch": setting.path("scratch-k"), "s3_lease_seconds": 3, **store.flags}
    begun = time.monotonic()
    setting.build(PLACE, "k", [source], 2, **flags)
    length = time.monotonic() - begun
    published = 1
    for round_ in range(8):
        command = setting.build_command(PLACE, "k", [source], 2, **flags)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.3, 1.05) * length + (5 if round_ % 2 else 0))
        harness.kill9(process)
        done = subprocess.run([setting.program("frond-indexer"), "check", "--repository", PLACE, "--collection", "k", "--scratch",
                               setting.path("scratch-check"), *store.arguments(), "--json"], capture_output=True, text=True, timeout=300)
        harness.expect(done.returncode == 0, f"after a kill: check exits {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}")
        generation = json.loads(done.stdout)["generation"]
        harness.expect(generation >= published, f"generation {generation} after {published}")
        published = generation
        print(f"killed {round_}: generation {generation} is whole", flush=True)
    # A dead writer's lease keeps others out for a while; a build waits.
    summary = setting.build(PLACE, "k", [source], 2, **flags)
    harness.expect(summary["generation"] > published, "the build after the kills published nothing new")


def main():
    parser = harness.arguments(__doc__)
    parser.add_argument("--suite", choices=("s3rver", "faults"), required=True)
    parser.add_argument("--server", default="build/release/tests/object_server", help="the object store for tests")
    parsed = parser.parse_args()
    if parsed.suite == "s3rver":
        expect_s3rver()

    def test(setting):
        server = os.path.abspath(parsed.server)
        if parsed.suite == "s3rver":
            store = s3rver(setting)
            check_changes(setting, store)
            check_life(setting, store)
            return
        seed = str(setting.rng.randrange(2**31))
        store = Store(setting, "faulty", lambda port: [server, str(port), "60", seed, "on"], "test-key-id", "test-secret")
        check_tls(setting, store)
        check_refusals(setting, store)
        check_changes(setting, store)
        check_life(setting, store)
        old = Store(setting, "old", lambda port: [server, str(port), "20", seed, "off"], "test-key-id", "test-secret")
        check_kills(setting, old)
        expect_no_secrets(setting, [store, old])

    harness.run(test, parsed)


if __name__ == "__main__":
    main()
