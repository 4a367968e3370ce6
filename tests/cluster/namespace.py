"""A network and mounts of the test's own, for faults that need them."""
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

import harness

INSIDE = "FROND_TEST_INSIDE_NAMESPACE"
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def enter(or_else=None):
    """Starts this script again inside. Where that may not be done: exits 77, or says what is left out and goes on."""
    if INSIDE in os.environ:
        return loopback_up()
    unshare = ["unshare", "-mn"] if os.geteuid() == 0 else ["unshare", "-rmn"]
    if shutil.which("unshare") is None or subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        print(or_else or "skipped: no namespaces", flush=True)
        return None if or_else else sys.exit(harness.SKIPPED)
    os.execvpe("unshare", [*unshare, sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(s, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def can_lose():
    return INSIDE in os.environ and shutil.which("nft") is not None


def lose(*matches):
    """From now on packets that match any of these nftables expressions arrive nowhere."""
    rules = "\n".join(f"add rule inet faults input {match} drop" for match in matches)
    table = "add table inet faults\nadd chain inet faults input { type filter hook input priority 0; }\n"
    subprocess.run(["nft", "-f", "-"], input=table + rules, text=True, check=True)


def carry():
    subprocess.run(["nft", "delete", "table", "inet", "faults"], check=True)
