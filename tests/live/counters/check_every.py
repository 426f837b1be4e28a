"""Each function that Open MPI's software performance counters count is counted, exactly, by its name.

usage: check_every.py FERMATA MPIRUN PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
FUNCTIONS, PERSISTENT = 95, 22


def listed(*words):
    return json.loads(subprocess.run([fermata, "counters", *words, "--format", "json"],
                                     capture_output=True, text=True, check=True).stdout)["counters"]


with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_osc="^rdma")
    done = subprocess.run([fermata, "record", "--counters-only", "-o", f"{folder}/run", "--",
                           *mpi_command(mpirun, 1, [program])], capture_output=True, text=True,
                          env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    called = {name: int(times) for name, times in map(str.split, done.stdout.splitlines())}
    counters = {counter["source"]: counter["name"] for counter in listed("list")
                if counter["is_spc"] and (counter["source"] or "").startswith("calls:")}
    functions = {source.removeprefix("calls:") for source in counters}
    assert len(functions) == FUNCTIONS, len(functions)
    missing = functions - called.keys()
    assert len(missing) in (0, PERSISTENT) and all(name.endswith("_init") for name in missing), missing
    assert called.keys() <= functions, called.keys() - functions
    found = {counter["name"]: counter["total"] for counter in
             listed("show", "--all", f"{folder}/run", "calls:*")}
    wrong = {name: (times, found.get("calls:" + name)) for name, times in called.items()
             if found.get("calls:" + name) != times}
    assert not wrong, wrong
    print(len(called), "functions")
