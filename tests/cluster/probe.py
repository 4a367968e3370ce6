#!/usr/bin/env python3
"""`frond probe`, the health check of containers: exits with 0 for a ready process, with 1 and a line for anything else."""
import subprocess

import harness
import random_text


def probe(setting, url, *flags):
    """(exit status, stderr)"""
    done = subprocess.run([setting.program("frond"), "probe", url, *flags], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def test(setting):
    words = random_text.vocabulary(setting.rng, 50)
    source = random_text.Collection(setting.rng, 20, words).write(setting.path("documents.jsonl"))
    repository = setting.path("repository")
    setting.build(repository, "c", [source], 1)
    cluster = harness.Cluster(setting, repository, "c", 1)
    for port in (cluster.http, cluster.leaf_http[0]):
        for path in ("/livez", "/readyz"):
            harness.expect(probe(setting, f"http://127.0.0.1:{port}{path}") == (0, ""), f"port {port} {path} is not ready")
    status, line = probe(setting, f"http://127.0.0.1:{cluster.http}/nowhere")
    harness.expect(status == 1 and "status 404" in line, f"a page that is not there: {status} {line!r}")
    status, line = probe(setting, "https://127.0.0.1:1/readyz")
    harness.expect(status == 1 and line.count("\n") == 1, f"an address that nobody listens at: {status} {line!r}")
    cluster.stop()
    status, line = probe(setting, f"http://127.0.0.1:{cluster.http}/readyz", "--timeout", "500")
    harness.expect(status == 1 and line.startswith("frond probe: ") and line.count("\n") == 1, f"stopped: {status} {line!r}")


harness.run(test, harness.arguments(__doc__).parse_args())
