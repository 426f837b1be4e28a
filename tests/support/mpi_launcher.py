# SPDX-License-Identifier: BSD-3-Clause
"""Starts MPI programs with either MPI library, on a machine with fewer cores than ranks."""

import os
import re
import signal
import subprocess

# How launchers report that they themselves have failed: Open MPI's runtime and PMIx, MPICH's Hydra.
OWN_FAILURE = re.compile(r"^.*(?:ORTE_ERROR_LOG|PMIX ERROR|orte_init failed|ORTE was unable to|"
                         r"ORTE daemon has unexpectedly failed|\[mpiexec@[^]]*\] HYD|\[proxy:[^]]*\] HYD).*", re.MULTILINE)
CRASH = re.compile(r"signal|Segmentation|Aborted", re.IGNORECASE)  # of a program, or of the recorder in it

ATTEMPTS = 3
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


def failure_to_start(outcome, has_begun):
    """@return why the launcher itself has failed; None: any other outcome, of which the program or the recorder may be
    the cause"""
    if outcome.returncode == 0 or has_begun:
        return None
    # MPICH's launcher, on a loaded machine in 6% of the runs of `mpirun -n 3 true`; it then drops all output.
    if outcome.returncode == -signal.SIGPIPE:
        return "it died of SIGPIPE"
    if CRASH.search(outcome.stderr):
        return None
    failure = OWN_FAILURE.search(outcome.stderr)
    return failure and failure.group(0).strip()


def run_launcher(command, has_begun=None, **options):
    """Runs a command that starts ranks by a launcher; again if the launcher fails by itself before any rank begins,
    which is printed.
    has_begun: whether ranks have begun; None: they have if they printed something
    @return the completed process, with its output as text"""
    for attempt in range(ATTEMPTS):
        outcome = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                 **{"timeout": TIMEOUT, **options})
        reason = failure_to_start(outcome, has_begun() if has_begun else bool(outcome.stdout))
        if reason is None or attempt == ATTEMPTS - 1:
            break
        print(f"launcher repeated: {reason}", flush=True)
    return outcome


def run_mpi(mpirun, ranks, program):
    """Runs `program` and returns the completed process, with its output as text."""
    return run_launcher(mpi_command(mpirun, ranks, program))
