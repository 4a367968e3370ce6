#!/usr/bin/env python3
"""Checks deploy/prometheus and deploy/grafana without a cluster: promtool accepts the configuration and the rules and passes their
tests; each alert has a case that fires it and one that does not, and a runbook in docs/operations.md; the dashboards are those that
make_dashboards.py writes; every metric named exists in a process; and expressions about GPUs have data from a replayed leaf with one.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import expressions
import replay
from expressions import ROOT, read

SKIPPED = 77


def run(*command):
    """The output of a command if it failed; otherwise nothing."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    return [] if done.returncode == 0 else [f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"]


def alert_cases(alerts):
    """Alerts without a case that fires them, or without one that does not."""
    text = read(os.path.join(ROOT, "tests/monitoring/alerts_test.yml"))
    firing = set(re.findall(r"alertname: (\w+)\n *exp_alerts:", text))
    quiet = set(re.findall(r"alertname: (\w+)\}", text))
    return ([f"no case fires {name}" for name in alerts if name not in firing]
            + [f"in no case is {name} quiet" for name in alerts if name not in quiet])


def runbooks():
    manual = read(os.path.join(ROOT, "docs/operations.md")).replace("`", "")
    asked = re.findall(r'runbook: "?(.*?)"?$', read(os.path.join(ROOT, "deploy/prometheus/rules/alerts.yml")), re.M)
    return [f"docs/operations.md has no symptom '{name}'" for name in sorted(set(asked)) if f"\n| {name}" not in manual]


def layout():
    """Panels that overlap or exceed Grafana's 24 columns; ids and titles that occur twice."""
    wrong = []
    for path in sorted(glob.glob(os.path.join(ROOT, "deploy/grafana/dashboards/*.json"))):
        taken, name = set(), os.path.basename(path)
        panels = json.loads(read(path))["panels"]
        for panel in panels:
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            if taken & cells or at["x"] + at["w"] > 24:
                wrong.append(f"{name}: {panel['title']} overlaps another panel, or lies outside")
            taken |= cells
        if len({p["id"] for p in panels}) < len(panels) or len({p["title"] for p in panels}) < len(panels):
            wrong.append(f"{name}: an id or a title occurs twice")
    return wrong


def on_kubernetes():
    """What kubernetes.yml makes of pods: their job and instance. Debian's promtool knows no Kubernetes, so pods come from a file."""
    text = read(os.path.join(ROOT, "deploy/prometheus/kubernetes.yml"))
    pods = [("broker-x", "frond-broker", "Running", 8083, (8080, 8083)), ("leaf-a-0", "frond-leaf", "Pending", 8081, (7001, 8081)),
            ("indexer-0", "frond-indexer", "Running", 8082, (8082,)), ("index-0-y", "frond-build", "Running", 8082, (8082,)),
            ("index-1-y", "frond-build", "Succeeded", 8082, (8082,)), ("index-2-y", "frond-build", "Failed", 8082, (8082,)), ("other", "other", "Running", None, (80,))]
    with tempfile.TemporaryDirectory() as folder:
        groups = [{"targets": [f"10.0.0.{number}:{port}"], "labels": {
            "__meta_kubernetes_pod_name": name, "__meta_kubernetes_pod_phase": phase, "__meta_kubernetes_pod_container_port_number": str(port),
            "__meta_kubernetes_pod_label_app_kubernetes_io_name": label,
            **({"__meta_kubernetes_pod_annotation_prometheus_io_scrape": "true", "__meta_kubernetes_pod_annotation_prometheus_io_port": str(scraped),
                "__meta_kubernetes_pod_annotation_prometheus_io_path": "/metrics"} if scraped else {})}}
            for number, (name, label, phase, scraped, ports) in enumerate(pods) for port in ports]
        with open(os.path.join(folder, "pods.json"), "w", encoding="utf-8") as file:
            json.dump(groups, file)
        text, found = re.subn(r"kubernetes_sd_configs:\n *- role: pod\n *namespaces: .*\n", "file_sd_configs: [{files: [pods.json]}]\n", text)
        with open(os.path.join(folder, "kubernetes.yml"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(["promtool", "check", "service-discovery", "--timeout=5s", file.name, "frond"], capture_output=True, text=True, timeout=60)
        if found != 1 or done.returncode != 0:
            return [f"kubernetes.yml: {done.stdout[-1000:]}{done.stderr[-1000:]}"]
    kept = sorted((l["job"], l["instance"], l["__address__"]) for l in (one.get("labels") for one in json.loads(done.stdout)) if l)
    meant = sorted((label, name, f"10.0.0.{number}:{scraped}") for number, (name, label, phase, scraped, _) in enumerate(pods)
                   if scraped and phase not in ("Succeeded", "Failed"))
    same = [text.split("scrape_configs:")[0].partition("\nglobal:")[2] for text in (text, read(os.path.join(ROOT, "deploy/prometheus/prometheus.yml")))]
    return [f"kubernetes.yml scrapes {kept}"] * (kept != meant) + ["kubernetes.yml and prometheus.yml differ before scrape_configs"] * (same[0] != same[1])


def known_metrics(records):
    """The metrics of the sources, histograms with their suffixes, recorded ones, and Prometheus' own."""
    sources = [p for folder in ("common", "broker", "leaf", "indexer") for p in glob.glob(os.path.join(ROOT, folder, "**", "*.*"), recursive=True)]
    names = {n for p in sources if p.endswith((".h", ".cc")) for n in re.findall(r'"((?:frond|process)_[a-z0-9_]+)"', read(p))}
    return names | {n + suffix for n in names for suffix in ("_bucket", "_sum", "_count")} | set(records) | {"up"}


def main():
    if not shutil.which("promtool"):
        print("skipped: no promtool")
        sys.exit(SKIPPED)
    records, alerts = expressions.rules()
    named = [(name, expr) for name, expr in [*records.items(), *alerts.items()]]
    named += [(f"{dashboard}: {panel}", expr) for dashboard, panel, expr in expressions.panels()]
    wrong = run("promtool", "check", "config", "deploy/prometheus/prometheus.yml")
    wrong += run("promtool", "test", "rules", "tests/monitoring/alerts_test.yml")
    wrong += run(sys.executable, "deploy/grafana/make_dashboards.py", "--check")
    wrong += alert_cases(alerts) + runbooks() + layout() + on_kubernetes()
    known = known_metrics(records)
    wrong += [f"{where}: no process has {name}" for where, expr in named for name in sorted(expressions.metrics(expr) - known)]
    of_gpus, missing = replay.check()
    wrong += missing
    print(f"{len(records)} recording rules, {len(alerts)} alerts, {len(named) - len(records) - len(alerts)} panel expressions, {of_gpus} of all about GPUs")
    print("\n".join(wrong))
    sys.exit(1 if wrong or not alerts or not records else 0)


main()
