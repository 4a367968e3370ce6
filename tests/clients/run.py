#!/usr/bin/env python3
"""Official clients of the Elasticsearch API against `frond up --elasticsearch-api`: those of npm (skipped without npm ci in this
folder), and Debian's for Python where it is installed."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))
import harness  # noqa: E402

PYTHON = "/usr/bin/python3"  # Debian's packages are for it
CLIENTS = ("elasticsearch-7", "elasticsearch-8", "elasticsearch-9", "opensearch")


def check(setting):
    http, api = harness.free_ports(2)
    setting.spawn("up", "frond", "up", "--data", setting.path("state"), "--http", f"127.0.0.1:{http}", "--elasticsearch-api", f"127.0.0.1:{api}")
    harness.eventually(lambda: harness.fetch(api, "/_cat/health")[0] == 200, "the API is served", 60)
    harness.eventually(lambda: "docs" in str(harness.fetch(api, "/_cat/indices")[1]), "the first collection is listed", 20)
    harness.expect(harness.fetch(api, "/_count")[0] == 200, "it is searched without documents")
    url = f"http://127.0.0.1:{api}"
    for client in CLIENTS:
        ran = subprocess.run(["node", os.path.join(HERE, "clients.mjs"), client, url], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        print(ran.stdout, end="", flush=True)
        harness.expect(ran.returncode == 0, f"{client}: {ran.stdout}")
    if subprocess.run([PYTHON, "-c", "import elasticsearch"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("python: python3-elasticsearch is not installed")
        return
    subprocess.run([PYTHON, os.path.join(HERE, "python_client.py"), url], check=True, timeout=60)


def test(setting):
    if shutil.which("node") is None or not os.path.isdir(os.path.join(HERE, "node_modules", CLIENTS[0])):
        print("skipped: no node, or no node_modules: npm ci in tests/clients")
        sys.exit(77)
    check(setting)


if __name__ == "__main__":
    harness.run(test, harness.arguments(__doc__).parse_args())
