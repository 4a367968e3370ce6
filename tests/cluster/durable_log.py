#!/usr/bin/env python3
"""What `frond-indexer serve` has acknowledged is not lost when the power fails: when it sends 200 for documents or a removal, all that it
wrote to the collection's log is on the disk, and so is every name on the way to it. strace reports what was written and synced, and when
the answers were sent; without strace the test is skipped.
"""
import json
import os
import signal
import subprocess

import durable_publish
import harness
import writing

REQUESTS = 30


def answers_after(calls, log, root, disk):
    """Checks at each 200 the files of the log that were written since the collection was made; gives how many answers there were, and
    these files."""
    answered, begun, logs = 0, False, set()
    for call, arguments, line in calls:
        begun |= "HTTP/1.1 201" in line
        behind = durable_publish.BEHIND.findall(arguments)
        if begun and call == "write" and behind and os.path.dirname(behind[0]) == log and behind[0].endswith(".log"):
            logs.add(behind[0])
        if call in ("sendmsg", "sendto", "writev") and "HTTP/1.1 200 OK" in line and "Frond-Sequence" in line:
            answered += 1
            for path in logs:
                why = disk.lost(path, root)
                harness.expect(why is None, f"when request {answered} was answered, {why}")
        disk.apply(call, arguments, line)
    return answered, logs


class LogDisk(durable_publish.Disk):
    """RocksDB cuts off what it had reserved behind a file's end; that takes nothing away. Nor is anything lost where what was published,
    and is taken out of the log, is in it again: that is not synced."""

    def apply(self, name, arguments, line):
        if name != "ftruncate" and not (name == "write" and ".log>" in arguments and '\\"id\\"' not in arguments):
            super().apply(name, arguments, line)


class Forgetful(LogDisk):
    """A disk that does not sync files: the check has to see it."""

    def apply(self, name, arguments, line):
        if name != "fdatasync":
            super().apply(name, arguments, line)


def test(setting):
    keys, key_file = writing.make_keys(setting)
    repository, trace = os.path.realpath(setting.path("repository")), setting.path("strace")
    os.mkdir(repository)
    port = harness.free_ports(1)[0]
    with open(setting.path("service.log"), "ab") as log:
        process = subprocess.Popen(
            ["strace", "-f", "-y", "-qq", "-s", "300", "-e", f"trace={durable_publish.CALLS},sendmsg,sendto", "-e", "signal=none", "-o", trace,
             setting.program("frond-indexer"), "serve", "--repository", repository, "--listen", f"127.0.0.1:{port}", "--api-keys", key_file,
             "--refresh-ms", "3600000"], stdout=log, stderr=log)
    setting.processes.append(process)
    service = writing.Service.__new__(writing.Service)
    service.port, service.keys, service.process = port, keys, process
    harness.eventually(lambda: service.ask("GET", "/readyz")[0] == 200, "the service is ready")
    service.expect(201, "PUT", "/v1/collections/c", key="admin")
    for number in range(REQUESTS):  # 6 MiB: the log begins another file
        body = "\n".join(json.dumps({"id": f"{number}-{i}", "title": "", "body": "word " * 2000}) for i in range(20))
        service.expect(200, "POST", "/v1/collections/c/documents", body, key="write")
    children = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid="], capture_output=True, text=True, check=True).stdout.split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    process.wait(30)
    calls = durable_publish.calls_of(trace)
    log, root = os.path.join(repository, "c", "log"), os.path.dirname(repository)
    answered, logs = answers_after(calls, log, root, LogDisk())
    harness.expect(answered == REQUESTS and len(logs) >= 2, f"{answered} answers seen, {len(logs)} files of the log")

    try:
        answers_after(calls, log, root, Forgetful())
    except harness.Failure as failure:
        print(f"without syncs: {failure}")
    else:
        raise harness.Failure("the check sees no difference without syncs")
    print(f"{answered} answers, each with all of {len(logs)} files of the log on the disk", flush=True)


if __name__ == "__main__":
    parsed = harness.arguments(__doc__).parse_args()
    durable_publish.need_strace()
    harness.run(test, parsed)
