"""Runs what a compose file says, with podman, where there is no compose engine. Supports the keys that deploy/compose.yaml
uses and refuses all others, so that nothing in the file is ignored."""
import json
import os
import re
import subprocess
import time

import yaml

SERVICE_KEYS = {"build", "cap_drop", "command", "depends_on", "environment", "healthcheck", "image", "mem_limit", "pids_limit",
                "ports", "profiles", "read_only", "restart", "security_opt", "stop_grace_period", "tmpfs", "user", "volumes"}


class ComposeError(Exception):
    pass


def seconds(text):
    """'75s' -> 75"""
    match = re.fullmatch(r"(\d+)(s|m)", text)
    if not match:
        raise ComposeError(f"a duration of seconds or minutes is wanted, not {text!r}")
    return int(match[1]) * (60 if match[2] == "m" else 1)


def interpolate(text, variables):
    """${NAME:-default}, the only form that is known."""
    filled = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda m: variables.get(m[1]) or m[2], text)
    if "$" in filled:
        raise ComposeError(f"not understood: {text!r}")
    return filled


def load(path, variables):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    document = yaml.safe_load("\n".join(interpolate(line, variables) for line in text.split("\n")))
    unknown = {k for k in document if not k.startswith("x-")} - {"name", "services", "volumes"}
    for name, service in document["services"].items():
        unknown |= {f"{name}.{key}" for key in service.keys() - SERVICE_KEYS}
    if unknown:
        raise ComposeError(f"{path}: unknown keys: {', '.join(sorted(unknown))}")
    return document


class Project:
    """The services of a file as containers on a network of their own. `podman` runs a command of podman's."""

    def __init__(self, path, variables, prefix, podman, subnet):
        self.folder, self.prefix, self.podman = os.path.dirname(os.path.abspath(path)), prefix, podman
        document = load(path, variables)
        self.services, self.named = document["services"], set(document.get("volumes") or {})
        # Names instead of a name server: each service gets a fixed address, and every container is told all of them.
        self.addresses = {name: f"{subnet}.{number}" for number, name in enumerate(self.services, 10)}
        podman("network", "create", "--subnet", f"{subnet}.0/24", prefix)
        for volume in self.named:
            podman("volume", "create", f"{prefix}-{volume}")

    def container(self, service):
        return f"{self.prefix}-{service}"

    def default(self):
        """What `up` starts: every service without a profile."""
        return [name for name, service in self.services.items() if not service.get("profiles")]

    def mount(self, volume):
        source, rest = volume.split(":", 1)
        if source in self.named:
            return f"{self.prefix}-{source}:{rest}"
        if not source.startswith((".", "/")):
            raise ComposeError(f"volume {volume!r}: neither a path nor among `volumes`")
        return f"{os.path.normpath(os.path.join(self.folder, source))}:{rest}"

    def arguments(self, name, image=None):
        service = self.services[name]
        arguments = ["--name", self.container(name), "--hostname", name, "--network", self.prefix, "--ip", self.addresses[name],
                     "--user", service["user"], "--memory", service["mem_limit"], "--pids-limit", service["pids_limit"],
                     "--stop-timeout", seconds(service["stop_grace_period"])]
        for other, address in self.addresses.items():
            arguments += ["--add-host", f"{other}:{address}"]
        if service.get("read_only"):
            arguments += ["--read-only", "--read-only-tmpfs=false"]  # as Docker has it: no writable /tmp unless asked for
        for key, flag in [("cap_drop", "--cap-drop"), ("ports", "--publish"), ("tmpfs", "--tmpfs")]:
            for value in service.get(key, []):
                arguments += [flag, value]
        for value in service["security_opt"]:
            arguments += ["--security-opt", value.removesuffix(":true")]
        for volume in service.get("volumes", []):
            arguments += ["--volume", self.mount(volume)]
        for key, value in service.get("environment", {}).items():
            arguments += ["--env", f"{key}={value}"]
        return [str(a) for a in [*arguments, image or service["image"], *service.get("command", [])]]

    def start(self, name, image=None):
        self.podman("run", "--detach", "--pull", "never", *self.arguments(name, image))

    def run(self, name, *command):
        """(exit status, output) of a command in a service's container."""
        done = subprocess.run(["podman", "exec", self.container(name), *command], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    def healthy(self, name):
        """What the service's health check says now."""
        kind, *command = self.services[name]["healthcheck"]["test"]
        if kind != "CMD":
            raise ComposeError(f"{name}: a health check of kind {kind}")
        return self.run(name, *command)[0] == 0

    def state(self, name):
        return json.loads(self.podman("inspect", "--format", "{{json .State}}", self.container(name)))

    def stop(self, name):
        """(exit status, seconds) of a service that is told to stop by SIGTERM."""
        started = time.monotonic()
        self.podman("stop", self.container(name))
        return self.state(name)["ExitCode"], time.monotonic() - started

    def logs(self, name):
        return subprocess.run(["podman", "logs", "--tail", "15", self.container(name)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False).stdout

    def down(self):
        for name in self.services:
            self.podman("rm", "--force", "--time", "5", "--ignore", self.container(name))
        for volume in self.named:
            self.podman("volume", "rm", "--force", f"{self.prefix}-{volume}")
        self.podman("network", "rm", "--force", self.prefix)
