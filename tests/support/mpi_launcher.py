# SPDX-License-Identifier: BSD-3-Clause
"""Starts MPI programs with either MPI library, on a machine with fewer cores than ranks."""

import os
import subprocess

TIMEOUT = 300  # seconds; only a program that hangs takes so long


def launcher_arguments(mpirun):
    """The options that `mpirun` needs to start more ranks than there are cores, as any user."""
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in version and "OpenRTE" not in version:
        return []
    arguments = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    if os.geteuid() == 0:
        arguments.insert(0, "--allow-run-as-root")
    return arguments


def mpi_command(mpirun, ranks, program):
    """The command line that runs `program` (a list of words) on `ranks` ranks."""
    return [mpirun, *launcher_arguments(mpirun), "-n", str(ranks), *program]


def run_mpi(mpirun, ranks, program):
    """Runs `program` and returns the completed process, with its output as text."""
    return subprocess.run(mpi_command(mpirun, ranks, program), capture_output=True, text=True,
                          timeout=TIMEOUT)
