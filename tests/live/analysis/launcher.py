# SPDX-License-Identifier: BSD-3-Clause
"""Starts several processes by mpirun."""

import os
import pathlib
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import run_launcher  # noqa: E402

TIMEOUT = 120  # seconds; a run takes a few

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1")


def run(command, timeout=TIMEOUT, **variables):
    return run_launcher([str(word) for word in command], timeout=timeout, env=dict(ENVIRONMENT, **variables))


def start(command, **variables):
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, env=dict(ENVIRONMENT, **variables))


def processes_with(word):
    """Ids of the processes that have a word on their command line, and of their parents."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rsplit(b")", 1)[1].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        if str(word) in words:
            found[int(name)] = parent
    return found


def wait_until(condition, seconds=60):
    """Whether it becomes true before that time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
