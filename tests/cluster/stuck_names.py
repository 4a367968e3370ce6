#!/usr/bin/env python3
"""Names of collections at `frond-indexer serve`: whatever cut a creation or a removal off, and whatever of a collection is damaged, the name can
be made, described and removed again; where something else is in the way, the answer says what and where. In a directory, without and with
--state."""
import json
import os
import shutil
import subprocess
import threading
import time

import harness
import writing

ROUNDS = 10
C = "/v1/collections/c"


def usable(service, what):
    """The name is made, written, described and removed, twice: a removal leaves nothing behind."""
    for _ in range(2):
        service.expect(201, "PUT", C, key="admin")
        service.expect(200, "POST", C + "/documents", writing.line("1", ["word"]), key="write")
        harness.expect(service.state()["state"] == "writing", what)
        service.expect(200, "DELETE", C, key="admin")
        service.expect(404, "GET", C)
        harness.expect(not os.path.lexists(os.path.join(service.repository, "c")), f"{what}: files are left")


def settled(service, what):
    """Whichever way it went, it went one way; then the name is usable."""
    status, answer = service.ask("GET", C)
    if status == 200:
        service.expect(409, "PUT", C, key="admin")
        # With --state and without its log: until the lease of the service that was killed has ended, as far as this one can tell.
        harness.eventually(lambda: service.ask("DELETE", C, key="admin")[0] == 200, f"{what}: it can be removed", 20)
    else:
        harness.expect(status == 404, f"{what}: {status} {answer!r}")
    usable(service, what)
    return status


def check_cut_off(setting, service):
    """kill -9 while a collection is made, and while it is removed."""
    seen = {"PUT": [], "DELETE": []}
    for number in range(2 * ROUNDS):
        method = "PUT" if number % 2 == 0 else "DELETE"
        if method == "DELETE":
            service.expect(201, "PUT", C, key="admin")
            service.expect(200, "POST", C + "/documents", "\n".join(writing.line(str(n), ["word"]) for n in range(50)), key="write")
            service.refresh()
        client = threading.Thread(target=attempt, args=(service, method))
        client.start()
        time.sleep(0.03 * setting.rng.random() ** 3)  # most of them early
        service.kill_and_start()
        client.join(60)
        seen[method].append(settled(service, f"{method} cut off"))
    print(f"cut off {2 * ROUNDS} times: descriptions afterwards {seen}", flush=True)


def attempt(service, method):
    try:
        service.ask(method, C, key="admin")
    except (OSError, harness.http.client.HTTPException):
        pass


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def check_damaged(service):
    """What can't be opened is described, is not made again, and can be removed."""
    for damage in ("CURRENT is nonsense", "a manifest is missing", "a folder is a file"):
        service.expect(201, "PUT", C, key="admin")
        service.expect(200, "POST", C + "/documents", writing.line("1", ["word"]), key="write")
        service.refresh()
        harness.end(service.process, "the service")
        folder = os.path.join(service.repository, "c")
        current = os.path.join(folder, "CURRENT")
        if damage == "a manifest is missing":
            shutil.rmtree(os.path.join(folder, "generations"))
        else:
            write(current, "nonsense\n")
        if damage == "a folder is a file":
            shutil.rmtree(os.path.join(folder, "partitions"))
            write(os.path.join(folder, "partitions"), "")
        service.start()
        harness.expect(service.ask("GET", C)[0] in (200, 503), damage)
        told = service.expect(409, "PUT", C, key="admin")
        harness.expect(b"can't be written now" in told, f"{damage}: {told}")
        # With --state: until the lease of the service before has ended, as far as this one can tell.
        harness.eventually(lambda: service.ask("DELETE", C, key="admin")[0] == 200, f"{damage}: it can be removed", 20)
        usable(service, damage)
    print("damaged collections are removed", flush=True)


def check_in_the_way(service):
    folder = os.path.join(service.repository, "c")
    for put, named in ((lambda: write(folder, "text"), folder),
                       (lambda: os.symlink("nowhere", folder), folder),
                       (lambda: (os.mkdir(folder), write(os.path.join(folder, "notes.txt"), "mine")), os.path.join(folder, "notes.txt"))):
        put()
        before = sorted(os.listdir(folder)) if os.path.isdir(folder) else None
        told = json.loads(service.expect(409, "PUT", C, key="admin"))["detail"]
        harness.expect(named + " is in the way" in told, told)
        service.expect(404, "DELETE", C, key="admin")
        harness.expect(before is None or sorted(os.listdir(folder)) == before, f"{named}: something was left or taken")
        shutil.rmtree(folder) if before is not None else os.remove(folder)
        usable(service, named)
    print("what is in the way is named and left alone", flush=True)


def check_volume(setting, service):
    """A collection's folder that is a volume of its own can't be renamed."""
    folder = os.path.join(service.repository, "c")
    os.mkdir(folder)
    if subprocess.run(["mount", "-t", "tmpfs", "none", folder], capture_output=True).returncode != 0:
        os.rmdir(folder)
        print("no volume can be mounted here")
        return
    try:
        service.expect(201, "PUT", C, key="admin")
        service.expect(200, "DELETE", C, key="admin")
        harness.expect(os.listdir(folder) == [], f"{os.listdir(folder)}")
        service.expect(404, "GET", C)
        service.expect(201, "PUT", C, key="admin")
        service.expect(200, "DELETE", C, key="admin")
    finally:
        subprocess.run(["umount", folder], check=True)
    os.rmdir(folder)
    usable(service, "a volume before")
    print("a volume is emptied", flush=True)


def check_names(service):
    for name, status in (("a" * 128, 201), ("-", 201), ("CURRENT", 201), ("log", 201), ("con", 201), ("a" * 129, 400), (".removed-c-1", 400), ("c%2f", 400),
                         ("..", 400), ("a%20b", 400)):
        path = "/v1/collections/" + name
        service.expect(status, "PUT", path, key="admin")
        service.expect(200 if status == 201 else 404, "DELETE", path, key="admin")
        service.expect(404, "GET", path)


def test(setting):
    keys, key_file = writing.make_keys(setting)
    for name, flags in (("plain", ()), ("leases", ("--state", setting.path("state"), "--lease-seconds", "2"))):
        repository = setting.path(name)
        os.mkdir(repository)
        service = writing.Service(setting, repository, keys, "--api-keys", key_file, "--refresh-ms", "50", *flags, name=name)
        check_names(service)
        check_in_the_way(service)
        check_cut_off(setting, service)
        check_damaged(service)
        check_volume(setting, service)
        harness.end(service.process, "the service")


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
