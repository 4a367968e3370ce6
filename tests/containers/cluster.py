#!/usr/bin/env python3
"""Runs deploy/compose.yaml as containers: builds the images with deploy/images, indexes a small text, searches, checks that the
containers have only the rights that the file gives them, that a Prometheus in a container scrapes them, and that they stop at SIGTERM.

Prints the images' sizes and the seconds of each step. One leaf runs the CUDA image if it was built. Skipped (77) without root,
buildah, podman or debootstrap, or if podman cannot run a container. Grafana has no Debian package and is not started; the test
only checks that its files are where the container would look for them.
"""
import argparse
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77
BASE, PROMETHEUS = "localhost/frond-base:bookworm", "localhost/frond-test-prometheus:1"
DOCUMENTS = 2000


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def podman(*arguments):
    """What podman printed; its error is ours."""
    done = subprocess.run(["podman", *map(str, arguments)], capture_output=True, text=True, timeout=300)
    expect(done.returncode == 0, f"podman {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout.strip()


def eventually(condition, what, limit=120):
    """Seconds that it took until condition() was true; a connection that fails counts as not yet."""
    started = time.monotonic()
    while True:
        try:
            if condition():
                return time.monotonic() - started
        except (OSError, ValueError):
            pass
        expect(time.monotonic() - started < limit, f"not within {limit} s: {what}")
        time.sleep(0.2)


def get(port, path, **parameters):
    query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}{query}", timeout=10) as reply:
        return json.load(reply)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def settings(folder):
    """podman without systemd, and with limits that a container inside a container may have too."""
    path = os.path.join(folder, "containers.conf")
    # Where control groups of both versions are mounted, crun refuses to work and runc does.
    runtime = 'runtime = "runc"\n' if shutil.which("runc") else ""
    with open(path, "w", encoding="ascii") as file:
        file.write('[containers]\ndefault_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]\n'
                   '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n' + runtime)
    os.environ["CONTAINERS_CONF"] = path


def build(parsed):
    """Both images, or the CPU's only. Prints what deploy/images prints: seconds and sizes."""
    command = [os.path.join(ROOT, "deploy/images")]
    ccache = parsed.ccache or os.environ.get("CCACHE_DIR") or os.path.expanduser("~/.cache/ccache")
    if os.path.isdir(ccache):
        command += ["--ccache", ccache]
    if parsed.cpu_only:
        command.append("--cpu-only")
    done = subprocess.run(command, text=True, capture_output=True, timeout=3000)
    print(done.stdout, end="", flush=True)
    expect(done.returncode == 0, f"deploy/images exited {done.returncode}: {done.stderr[-3000:]}")
    started = time.monotonic()
    done = subprocess.run(["buildah", "bud", "--layers", "--pull-never", "--isolation=chroot", "--network=host", "--build-arg",
                           f"BASE={BASE}", "--file", os.path.join(ROOT, "tests/containers/prometheus.Dockerfile"), "--tag",
                           PROMETHEUS, os.path.join(ROOT, "tests/containers")], text=True, capture_output=True, timeout=900)
    expect(done.returncode == 0, f"the image of Prometheus: {done.stderr[-3000:]}")
    print(f"prometheus: {time.monotonic() - started:.0f} s")


def write_documents(folder, rng):
    """Documents of made-up words; `needle` is in one, `seventh` in every seventh."""
    words = [f"word{n}" for n in range(300)]
    os.makedirs(folder)
    with open(os.path.join(folder, "documents.jsonl"), "w", encoding="ascii") as file:
        for number in range(DOCUMENTS):
            text = rng.choices(words, k=40)
            if number % 7 == 0:
                text.append("seventh")
            if number == DOCUMENTS // 2:
                text.append("needle")
            file.write(json.dumps({"id": f"d{number}", "title": f"document {number}", "body": " ".join(text)}) + "\n")


def check_schema():
    """Both files against the schema of docker-compose, where that is installed. Debian's is older than the key `name`."""
    if not shutil.which("docker-compose"):
        print("no docker-compose: the files are not held against its schema")
        return
    with open(os.path.join(ROOT, "deploy/compose.yaml"), encoding="utf-8") as file:
        text = "".join(line for line in file if not line.startswith("name:"))
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(["docker-compose", "--project-directory", "deploy", "-f", file.name, "-f", "deploy/compose.gpu.yaml",
                               "config", "--quiet"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    expect(done.returncode == 0, f"docker-compose config: {done.stderr}")


def check_closed(project, name):
    """Not root, nothing in its hands, nothing to write on but its volumes, and the program itself is process 1."""
    def output(command):
        code, said = project.run(name, "sh", "-c", command)
        expect(code == 0, f"{name}: {command}: {said}")
        return said.strip()

    expect(output("id -u") != "0", f"{name} runs as root")
    status = dict(line.split(":\t", 1) for line in output("cat /proc/1/status").split("\n") if ":\t" in line)
    for held in ("CapEff", "CapPrm", "CapBnd"):
        expect(int(status[held], 16) == 0, f"{name}: {held} is {status[held]}")
    expect(status["NoNewPrivs"] == "1", f"{name} may gain privileges")
    wanted = project.services[name]["command"][0]
    expect(status["Name"] == (wanted[:15] if not wanted.startswith("-") else "prometheus"), f"{name}: process 1 is {status['Name']}")
    if not wanted.startswith("-"):  # in our images
        code, said = project.run(name, "sh", "-c", "find / -xdev -type f -perm /6000 2>/dev/null")
        expect(not said, f"{name}: setuid programs: {said}")
    for folder in ("/", "/usr/local/bin", "/tmp", "/var/tmp", "/etc"):
        code, said = project.run(name, "sh", "-c", f"echo x > {folder}/written")
        expect(code != 0 and "Read-only file system" in said, f"{name} could write in {folder}: {said}")


def check_grafana(project):
    """The folders that Grafana's provisioning names are where the file mounts ours."""
    mounted = {}
    for volume in project.services["grafana"]["volumes"]:
        source, target = project.mount(volume).split(":")[:2]
        mounted[target] = source
    with open(os.path.join(mounted["/etc/grafana/provisioning"], "dashboards/frond.yml"), encoding="utf-8") as file:
        folders = [line.split(":")[1].strip() for line in file if line.strip().startswith("path:")]
    expect(folders and all(os.listdir(mounted[folder]) for folder in folders), f"no dashboards in {folders}")


def search(port, query, **parameters):
    return get(port, "/v1/search", q=query, mode="and", timeout_ms=20000, **parameters)


def check_answers(port):
    answer = search(port, "needle")
    expect([hit["id"] for hit in answer["hits"]] == [f"d{DOCUMENTS // 2}"], f"needle: {answer}")
    expect(answer["coverage"] == {"partitions_total": 4, "partitions_answered": 4, "degraded": []}, f"coverage: {answer['coverage']}")
    answer = search(port, "seventh", k=1000)
    expect({hit["id"] for hit in answer["hits"]} == {f"d{n}" for n in range(0, DOCUMENTS, 7)}, "seventh: not every seventh document")


def check_prometheus(project, port):
    def value(expression):
        result = get(port, "/api/v1/query", query=expression)["data"]["result"]
        return float(result[0]["value"][1]) if result else None

    took = eventually(lambda: value('sum(up{job=~"frond-broker|frond-leaf"})') == 3, "broker and both leaves are scraped")
    print(f"prometheus scrapes broker and leaves: {took:.1f} s")
    took = eventually(lambda: value("max_over_time(frond_indexer_documents_written_total[10m])") == DOCUMENTS, "the indexer is scraped")
    print(f"prometheus has the build's figures: {took:.1f} s")
    groups = get(port, "/api/v1/rules")["data"]["groups"]
    expect(groups, "Prometheus has no rules")


def images_for(parsed):
    """Whose image is not the file's: Prometheus', and one leaf's where there is a CUDA image."""
    images = {"prometheus": PROMETHEUS}
    if not parsed.cpu_only and subprocess.run(["podman", "image", "exists", "frond-cuda:1"]).returncode == 0:
        images["leaf-1"] = "frond-cuda:1"
        print("leaf-1 runs frond-cuda:1")
    return images


def test(project, ports, parsed):
    images = images_for(parsed)
    names = [name for name in project.default() if name != "grafana"]
    started = time.monotonic()
    for name in names:
        project.start(name, images.get(name))
    print(f"{len(names)} containers started: {time.monotonic() - started:.1f} s")
    expect(not project.healthy("broker"), "the broker is healthy before anything is indexed")

    started = time.monotonic()
    project.start("indexer")
    check_closed(project, "indexer")  # first of all: it ends by itself
    for name in ("leaf-0", "leaf-1", "broker", "prometheus"):
        eventually(lambda: project.healthy(name), f"{name} is healthy")
    print(f"indexed, fetched by the leaves, all healthy: {time.monotonic() - started:.1f} s")
    check_answers(ports["FROND_PORT"])
    code, said = project.run("broker", "frond", "search", "needle")
    expect(code == 0 and f"[d{DOCUMENTS // 2}]" in said, f"frond search in the broker's container: {said}")
    for name in names:
        check_closed(project, name)
    check_prometheus(project, ports["PROMETHEUS_PORT"])
    check_grafana(project)

    for name in ["indexer", *reversed(names)]:
        code, took = project.stop(name)
        limit = 30 if name == "prometheus" else 15
        print(f"{name} stopped at SIGTERM: exit {code}, {took:.1f} s")
        expect(code == 0 and took < limit, f"{name}: exit {code} after {took:.1f} s")


def check_tools(parsed):
    if os.geteuid() != 0:
        skip("not root")
    for program in ("buildah", "podman", "debootstrap"):
        if not shutil.which(program):
            skip(f"no {program}")
    if not parsed.no_build and subprocess.run(["buildah", "info"], capture_output=True).returncode != 0:
        skip("buildah does not work here")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-build", action="store_true", help="with the images that are there")
    parser.add_argument("--cpu-only", action="store_true", help="without the CUDA image")
    parser.add_argument("--ccache", help="a folder of compiled objects (default: ccache's own, where that is)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parsed = parser.parse_args()
    check_tools(parsed)
    try:
        import compose  # pylint: disable=import-outside-toplevel  # needs python3-yaml
    except ImportError as error:
        skip(error)
    print(f"seed {parsed.seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="frond-containers-")
    settings(folder)
    project, failed = None, False
    try:
        check_schema()
        if not parsed.no_build:
            build(parsed)
        if subprocess.run(["podman", "run", "--rm", "--network", "none", BASE, "true"], capture_output=True).returncode != 0:
            skip("podman runs no container here")
        os.chmod(folder, 0o755)  # user 10001 reads the documents
        write_documents(os.path.join(folder, "input"), random.Random(parsed.seed))
        ports = dict(zip(("FROND_PORT", "PROMETHEUS_PORT", "GRAFANA_PORT"), free_ports(3)))
        variables = {"FROND_INPUT": os.path.join(folder, "input"), **{k: str(v) for k, v in ports.items()}}
        project = compose.Project(os.path.join(ROOT, "deploy/compose.yaml"), variables, f"frond-test-{os.getpid()}", podman,
                                  f"10.89.{os.getpid() % 200 + 20}")
        test(project, ports, parsed)
    except (Failure, OSError, subprocess.SubprocessError, compose.ComposeError) as error:
        failed = True
        print(f"FAILED (seed {parsed.seed}): {type(error).__name__}: {error}")
        for name in project.services if project else ():
            print(f"--- {name}\n{project.logs(name)}")
    finally:
        if project:
            project.down()
        shutil.rmtree(folder, ignore_errors=True)
    print("failed" if failed else "passed")
    sys.exit(1 if failed else 0)


main()
