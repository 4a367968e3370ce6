"""The PromQL in deploy/: of rules, alerts and dashboard panels; and the metrics that it names."""
import glob
import json
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
NAME = re.compile(r"\b(?:instance:)?(?:frond|process|up)[a-z0-9_:]*\b(?!\s*=)")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rules():
    """{name: PromQL} of recording rules and of alerts."""
    found = {"record": {}, "alert": {}}
    for path in sorted(glob.glob(os.path.join(ROOT, "deploy/prometheus/rules/*.yml"))):
        for kind, name, rest in re.findall(r"^ *- (record|alert): (\S+)\n *expr: (>-\n(?: {10}.*\n)+|.*\n)", read(path), re.M):
            found[kind][name] = " ".join(rest.removeprefix(">-").split())
    return found["record"], found["alert"]


def panels():
    """(dashboard, panel, PromQL) of every target of every panel, variables filled in."""
    for path in sorted(glob.glob(os.path.join(ROOT, "deploy/grafana/dashboards/*.json"))):
        dashboard = json.loads(read(path))
        for panel in dashboard["panels"]:
            for target in panel.get("targets", ()):
                yield dashboard["title"], panel["title"], target["expr"].replace("$instance", ".*").replace("$__rate_interval", "1m")


def metrics(expression):
    """The metrics in PromQL: the names that are neither in quotes nor labels."""
    bare = re.sub(r'"[^"]*"', '""', expression)
    bare = re.sub(r"\b(?:by|on|ignoring|group_left|group_right) *\([^)]*\)", "", bare)
    return {name for name in NAME.findall(bare)}
