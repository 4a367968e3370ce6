"""A host name whose addresses a test can change while a process runs: the process has its own /etc/hosts, in a mount namespace."""
import os
import subprocess
import sys

import harness

NAME = "leaves.test"


def skip_unless_possible():
    """Exits 77 where no mount namespace can be made: that needs root, or user namespaces."""
    probe = subprocess.run(command("/dev/null", "true"), capture_output=True, text=True)
    if probe.returncode != 0:
        print(f"skipped: no mount namespace: {probe.stderr.strip()}")
        sys.exit(harness.SKIPPED)


def command(hosts, *program):
    """A command that runs `program` with the file `hosts` as its /etc/hosts. The process keeps its pid."""
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    return [*unshare, "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts, *map(str, program)]


class Name:
    """NAME, as one process sees it."""

    def __init__(self, setting, log_name, addresses=()):
        self.setting, self.file = setting, setting.path(log_name + ".hosts")
        self.log_name = log_name
        self.set(addresses)

    def set(self, addresses):
        """In place: the mount is of this very file. One write, so that nobody reads half of it."""
        text = "127.0.0.1 localhost\n" + "".join(f"{address} {NAME}\n" for address in addresses)
        file = os.open(self.file, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            size = os.fstat(file).st_size
            os.pwrite(file, text.encode().ljust(size, b"\n"), 0)
        finally:
            os.close(file)

    def spawn(self, program, *args):
        with open(self.setting.path(self.log_name + ".log"), "ab") as log:
            process = subprocess.Popen(command(self.file, self.setting.program(program), *args), stdout=log, stderr=log)
        self.setting.processes.append(process)
        return process
