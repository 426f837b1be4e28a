# SPDX-License-Identifier: BSD-3-Clause
"""Counters are events of PAPI (--counters-sde): by a stub of PAPI's library of software-defined events, by
PAPI itself if it is there, and without either.

usage: check_sde.py FERMATA MPIRUN PROGRAM STUB
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program, stub = sys.argv[1:]
MESSAGES, BYTES, DELTA, INSTANT, WHOLE, DOUBLE = 7, 100, 0, 0x10, 0, 2


def recorded(experiment, mode, folder=None, counters="all"):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if folder is not None:
        environment["LD_LIBRARY_PATH"] = f"{folder}:{environment.get('LD_LIBRARY_PATH', '')}"
    done = subprocess.run([fermata, "record", "--counters-only", f"--counters={counters}",
                           "--counters-sde", "-o", experiment, "--",
                           *mpi_command(mpirun, 1, [program, mode])],
                          capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def check_stub(folder):
    os.symlink(stub, f"{folder}/libsde.so.1")
    done = recorded(f"{folder}/stub", "stub", folder)
    events = {}
    for line in done.stdout.splitlines():
        if line.startswith("event "):
            _, name, mode, kind, value, meaning = line.split(" ", 5)
            assert name not in events and meaning, line
            events[name] = (int(mode), int(kind), float(value))
    assert events["mpi.messages_sent"] == (DELTA, WHOLE, MESSAGES), events
    assert events["mpi.bytes_sent"] == (DELTA, WHOLE, MESSAGES * BYTES), events
    assert events["mpi.message_sizes"] == (DELTA, WHOLE, MESSAGES), events
    assert events["mpi.requests_open"] == (INSTANT, WHOLE, 0), events
    assert events["usage.time_user"][:2] == (DELTA, DOUBLE), events
    assert not any(name.startswith(("calls:", "mpit:")) for name in events), events
    done = recorded(f"{folder}/few", "stub", folder, "mpi.bytes_*")
    names = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("event ")}
    assert names == {"mpi.bytes_sent", "mpi.bytes_received", "mpi.bytes_put", "mpi.bytes_got",
                     "mpi.bytes_atomic"}, names


def check_papi(folder):
    done = recorded(f"{folder}/papi", "papi")
    if "no PAPI" in done.stdout:
        print("left out: PAPI itself, which this machine does not have")
    elif "counters are not offered to PAPI: there is no library" in done.stderr:
        print("left out: PAPI itself, whose library libsde this machine does not have")
    else:
        assert f"papi 0 {MESSAGES}" in done.stdout, done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_papi(folder)
        check_stub(folder)
        refused = subprocess.run([fermata, "record", "--counters-sde", "--", "true"],
                                 capture_output=True, text=True, check=False)
        assert refused.returncode == 2 and "needs counters: add --counters" in refused.stderr, refused


main()
