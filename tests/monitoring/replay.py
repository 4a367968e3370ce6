"""Turns gpu_leaf.txt, the metrics of a leaf with a GPU under load, into series for promtool, so that expressions about GPUs are
evaluated on machines without one.

The file holds the scrapes in order, each after a line "# scraped after N s".
"""
import json
import os
import re
import subprocess
import tempfile

import expressions

FILE = os.path.join(expressions.ROOT, "tests/monitoring/gpu_leaf.txt")
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.M)
ABOUT_GPUS = re.compile(r"\bfrond_leaf_(?:gpu_|engine_duration_)\w+")


def scrapes():
    """[(seconds, {series: value})]"""
    parts = re.split(r"^# scraped after ([\d.]+) s\n", expressions.read(FILE), flags=re.M)[1:]
    found = []
    for at, text in zip(parts[::2], parts[1::2]):
        values = {f"{name}{{{labels + ', ' if labels else ''}job=\"frond-leaf\", instance=\"gpu\"}}": float(value)
                  for name, labels, value in SAMPLE.findall(text)}
        found.append((float(at), values))
    return found


def interval(replayed):
    """Seconds between two scrapes, which are so far apart all along."""
    return round((replayed[-1][0] - replayed[0][0]) / (len(replayed) - 1))


def tests(replayed):
    """A file for promtool test rules: each expression about GPUs has data, the times are possible, and no alert fires."""
    names = sorted({name for _, values in replayed for name in values})
    series = [{"series": name, "values": " ".join(f"{values[name]:.9f}" if name in values else "_" for _, values in replayed)} for name in names]
    end = f"{interval(replayed) * (len(replayed) - 1)}s"
    _, alerts = expressions.rules()
    about = {name: expr for name, expr in alerts.items() if ABOUT_GPUS.search(expr)}
    asked = {expr for _, _, expr in expressions.panels() if ABOUT_GPUS.search(expr)}
    asked |= {name for expr in about.values() for name in expressions.metrics(expr)}
    true = [f"count({expr}) > bool 0" for expr in sorted(asked)]
    busy = "rate(frond_leaf_gpu_busy_seconds_total[1m])"
    true += [f"max({busy}) > bool 0", f"max({busy}) <= bool 1", "max(frond_leaf_gpu_cache_bytes) <= bool max(frond_leaf_gpu_cache_limit_bytes)",
             "sum(frond_leaf_gpu_state) == bool 1", "sum(frond_leaf_gpu_plans_total) >= bool sum(frond_leaf_gpu_batches_total)"]
    return {"rule_files": [os.path.join(expressions.ROOT, "deploy/prometheus/rules", file) for file in ("recording.yml", "alerts.yml")],
            "evaluation_interval": "1s",
            "tests": [{"interval": f"{interval(replayed)}s", "input_series": series,
                       "alert_rule_test": [{"eval_time": end, "alertname": name} for name in sorted(about)],
                       "promql_expr_test": [{"expr": expr, "eval_time": end, "exp_samples": [{"labels": "{}", "value": 1}]} for expr in true]}]}, len(asked)


def check():
    """(how many expressions about GPUs, what promtool has against them)."""
    made, asked = tests(scrapes())
    with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
        json.dump(made, file)  # which is YAML
        file.flush()
        done = subprocess.run(["promtool", "test", "rules", file.name], capture_output=True, text=True, timeout=280)
    return asked, [] if done.returncode == 0 else [f"gpu_leaf.txt: {done.stdout[-3000:]}{done.stderr[-3000:]}"]
