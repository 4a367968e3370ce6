"""A thread of a process that is stopped, as a debugger does it."""
import ctypes
import os
import sys

import harness

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, thread):
    return libc.ptrace(request, thread, None, None)


def threads_named(process, name):
    folder = f"/proc/{process.pid}/task"
    found = []
    for thread in os.listdir(folder):
        with open(f"{folder}/{thread}/comm", encoding="ascii") as file:
            if file.read().strip() == name:
                found.append(int(thread))
    return found


class Stopped:
    """A thread that does not run until this is left."""

    def __init__(self, process, name):
        (self.thread,) = threads_named(process, name)

    def __enter__(self):
        if ptrace(PTRACE_SEIZE, self.thread) != 0:
            print(f"skipped: no thread can be stopped here: {os.strerror(ctypes.get_errno())}")
            sys.exit(harness.SKIPPED)
        harness.expect(ptrace(PTRACE_INTERRUPT, self.thread) == 0, "the thread is not interrupted")
        os.waitpid(self.thread, WALL)

    def __exit__(self, *_):
        ptrace(PTRACE_DETACH, self.thread)
