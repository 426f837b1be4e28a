# SPDX-License-Identifier: BSD-3-Clause
"""Runs and recordings that tests share: each is made once in a run of ctest, by the first test that needs it.

FERMATA_RECORDINGS names the folder that holds them. Tests for which CMake calls fermata_shares_recordings() have it in
their environment, and the fixture `recordings` empties it before and after them. Without the variable, as in a script
that is started by hand, the runs of one script share a temporary folder.

A run is identified by its command, its options and its variables. The first test holds a lock while it makes the run;
the file outcome.json marks a complete one. A test gets a copy of an experiment, which it may change. A run that does not
end, or a recording without an experiment, ends every test that needs it with the same message.
"""

import atexit
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 240  # seconds; a run takes a few
# Any user may start more ranks than there are processors. osc/rdma of Open MPI 4.1 emulates atomics wrongly in shared memory.
VARIABLES = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_osc": "^rdma",
             "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# What several tests look at: counters without a trace.
COUNTERS_ONLY = ["--counters-only", "--memory", "512K"]


def folder_of_recordings():
    """The folder of this run of ctest, or one of this script."""
    if "FERMATA_RECORDINGS" not in os.environ:
        os.environ["FERMATA_RECORDINGS"] = tempfile.mkdtemp(prefix="fermata-recordings-")
        atexit.register(shutil.rmtree, os.environ["FERMATA_RECORDINGS"], ignore_errors=True)
    folder = pathlib.Path(os.environ["FERMATA_RECORDINGS"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def make(words, variables, place):
    """Runs a command in the new folder `place`, and writes down how it ended."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        done = subprocess.run(words, cwd=place, env={**os.environ, **variables}, timeout=TIMEOUT, check=False,
                              capture_output=True, text=True, errors="replace")
        outcome = [done.returncode, done.stdout, done.stderr]
    except subprocess.TimeoutExpired:
        outcome = [None, "", f"it did not end within {TIMEOUT} s"]
    written = place / "outcome.new"
    written.write_text(json.dumps(outcome))
    written.rename(place / "outcome.json")


def made(words, variables):
    """Makes a run unless there is one. @return its folder and the completed process"""
    words = [str(word) for word in words]
    key = hashlib.sha256(json.dumps([words, sorted(variables.items())]).encode()).hexdigest()[:24]
    folder = folder_of_recordings()
    place = folder / key
    with open(folder / f"{key}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "outcome.json").exists():
            make(words, variables, place)
    status, output, errors = json.loads((place / "outcome.json").read_text())
    if status is None:
        sys.exit(f"a shared run failed: {' '.join(words)}: {errors}")
    return place, subprocess.CompletedProcess(words, status, output, errors)


def plain(command, variables=None):
    """Runs a command without the recorder. @return the completed process, with its output as text"""
    return made(command, VARIABLES if variables is None else variables)[1]


def record(fermata, options, command, experiment, variables=None):
    """Records a command, and copies the experiment to the path `experiment`, which does not exist yet.
    @return the completed process, with its output as text"""
    words = [fermata, "record", *options, "-o", "experiment", "--", *command]
    place, done = made(words, VARIABLES if variables is None else variables)
    if not (place / "experiment").is_dir():
        sys.exit(f"a shared recording failed with exit code {done.returncode}: {' '.join(done.args)}\n"
                 f"{done.stdout}{done.stderr}")
    shutil.copytree(place / "experiment", experiment, symlinks=True)
    return done


def record_trace(fermata, mpirun, ranks, program, experiment):
    """Records the trace of a program of live/recorder or live/fortran, as record() does. Records of the former are
    written only when the buffer is full, however slow the machine is; that of `flushes` is small."""
    name = pathlib.Path(program).name
    command = [mpirun, "-n", str(ranks), program]
    if name.startswith("bindings"):
        return record(fermata, [], command, experiment)
    options = ["--sample=off", "--memory", "512K" if name == "flushes" else "64M"]
    return record(fermata, options, command, experiment, {**VARIABLES, "FERMATA_FLUSH_INTERVAL": "never"})
