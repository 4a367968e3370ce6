"""Parts of large_collection.py: the processes and their use of resources, the GPU's load, and a client that searches continuously."""
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import harness  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
COUNTERS = ("frond_leaf_gpu_plans_total", "frond_leaf_gpu_batches_total", "frond_leaf_gpu_fallbacks_total",
            "frond_leaf_schedule_refused_total", "frond_leaf_tasks_refused_total", "frond_leaf_gpu_busy_seconds_total")


class Process:
    """A leaf or a broker with its port for probes; started and killed as often as is wanted."""

    def __init__(self, setting, name, program, args, http_port, listen=None):
        self.setting, self.name, self.program, self.args, self.http, self.listen = setting, name, program, args, http_port, listen
        self.process, self.started = None, 0.0

    def start(self):
        self.started = time.monotonic()
        self.process = self.setting.spawn(self.name, self.program, *self.args)

    def alive(self):
        return self.process.poll() is None

    def await_ready(self, seconds=90):
        """Seconds from the start to the first /readyz of 200."""
        while True:
            harness.expect(self.alive(), f"{self.name} ended at its start")
            harness.expect(time.monotonic() < self.started + seconds, f"{self.name} is not ready")
            try:
                if harness.fetch(self.http, "/readyz", timeout=5)[0] == 200:
                    return round(time.monotonic() - self.started, 3)
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.005)

    def memory(self):
        """MiB of resident memory: all of it, what is the process's own, what is mapped files, and the most so far."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            found = dict(re.findall(r"^(VmRSS|RssAnon|RssFile|VmHWM):\s+(\d+) kB", file.read(), re.M))
        return {name: int(kib) >> 10 for name, kib in found.items()}

    def metrics(self):
        """Sums over the labels, by name."""
        sums = {}
        if self.alive():
            for line in harness.fetch(self.http, "/metrics")[1].decode().splitlines():
                name, _, value = line.partition(" ")
                if not line.startswith("#"):
                    name = name.split("{")[0]
                    sums[name] = sums.get(name, 0) + float(line.rsplit(" ", 1)[1])
        return sums

    def grown(self, before):
        now = self.metrics()
        return {name.removeprefix("frond_leaf_"): round(now[name] - before.get(name, 0), 3) for name in COUNTERS if name in now}

    def caches(self):
        now = self.metrics()
        return {name: round(now.get(f"frond_leaf_{name}", 0)) for name in
                ("host_cache_bytes", "gpu_cache_bytes", "gpu_cache_limit_bytes", "gpu_copied_bytes_total")}


def cpu_seconds(processes):
    used = {}
    for name, process in processes.items():
        try:
            with open(f"/proc/{process.process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            used[name] = (int(fields[11]) + int(fields[12])) / TICKS
        except OSError:
            pass  # it was killed
    return used


def cores_between(before, after, seconds):
    """Cores that each kept busy on average; warming up is in it."""
    return {name: round((used - before[name]) / seconds, 2) for name, used in after.items() if name in before}


class GpuSamples:
    """nvidia-smi's word four times a second; silent where there is none."""

    def __init__(self):
        self.samples, self.process = [], None
        if shutil.which("nvidia-smi"):
            self.process = subprocess.Popen(
                ["nvidia-smi", "--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits", "-lms", "250"],
                stdout=subprocess.PIPE, text=True)
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            numbers = re.findall(r"\d+", line)
            if len(numbers) == 2:
                self.samples.append((time.monotonic(), int(numbers[0]), int(numbers[1])))

    def mean(self, start, end):
        inside = [busy for at, busy, _ in list(self.samples) if start <= at <= end]
        return round(sum(inside) / len(inside)) if inside else None

    def memory(self):
        return self.samples[-1][2] if self.samples else None

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


class Watcher:
    """One client that asks every 5 ms, whatever happens, and what it saw between the marks."""

    def __init__(self, broker, queries):
        self.broker, self.queries, self.begun = broker, queries, time.monotonic()
        self.seen, self.marks, self._end = [], [], threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    def mark(self, what):
        self.marks.append((round(time.monotonic() - self.begun, 3), what))

    def _ask(self):
        number = 0
        while not self._end.is_set():
            number += 1
            query = urllib.parse.urlencode({"q": self.queries[number % len(self.queries)], "cache": "off", "mode": "or"})
            asked = time.monotonic()
            try:
                status, body = harness.fetch(self.broker.http, "/v1/search?" + query, timeout=5)
                saw = "whole" if status == 200 and not json.loads(body)["coverage"]["degraded"] else \
                    "degraded" if status == 200 else str(status)
            except (OSError, http.client.HTTPException):
                saw = "connection error"
            self.seen.append((round(asked - self.begun, 3), saw, round(1000 * (time.monotonic() - asked), 1)))
            time.sleep(0.005)

    def stop(self):
        self._end.set()
        self._thread.join(10)
        counts, wrong = {}, [s for s in self.seen if s[1] != "whole"]
        for _, saw, _ in self.seen:
            counts[saw] = counts.get(saw, 0) + 1
        return {"marks": self.marks, "answers": counts, "first_not_whole": wrong[:1], "last_not_whole": wrong[-1:],
                "longest_ms": max(took for _, _, took in self.seen)}
