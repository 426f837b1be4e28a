"""Each function that Open MPI's software performance counters count is counted, exactly, by its name;
bytes of one-sided operations with each component of Open MPI for them.

usage: check_every.py FERMATA MPIRUN PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import launcher_arguments, mpi_command  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
FUNCTIONS, PERSISTENT = 95, 22


def listed(*words):
    return json.loads(subprocess.run([fermata, "counters", *words, "--format", "json"],
                                     capture_output=True, text=True, check=True).stdout)["counters"]


def environment_with(osc):
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_osc=osc)


def check_functions(folder):
    done = subprocess.run([fermata, "record", "--counters-only", "-o", f"{folder}/run", "--",
                           *mpi_command(mpirun, 1, [program])], capture_output=True, text=True,
                          env=environment_with("^rdma"), timeout=120, check=False)
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


# Of rank 0 (rank 1 locks its own window, too): operations of the program, whatever messages the library makes of them.
TRANSFERS = {"mpi.puts": 3, "mpi.bytes_put": 3000, "mpi.gets": 1, "mpi.bytes_got": 500,
             "mpi.atomics": 2, "mpi.bytes_atomic": 800, "calls:MPI_Put": 3, "calls:MPI_Get": 1,
             "calls:MPI_Accumulate": 2, "mpi.locks_acquired": 1}


def check_transfers(folder, component):
    """@return False: the library refuses the component, also without a recorder"""
    command = mpi_command(mpirun, 2, [program, "transfers"])
    environment = environment_with(component)
    alone = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120,
                           check=False)
    if alone.returncode != 0:
        reason = [line.strip() for line in (alone.stderr + alone.stdout).splitlines() if line.strip()]
        print(f"left out: osc {component}, with which the program does not run:", *reason[:3])
        return False
    experiment = f"{folder}/{component.strip('^')}"
    done = subprocess.run([fermata, "record", "--counters-only", "-o", experiment, "--", *command],
                          capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == 0, (component, done.stdout + done.stderr)
    found = {counter["name"]: counter["values"] for counter in listed("show", "--all", experiment)}
    wrong = {name: found.get(name) for name, expected in TRANSFERS.items()
             if found.get(name) != [expected, name == "mpi.locks_acquired"]}
    assert not wrong, (component, wrong)
    for name, expected in (("OMPI_SPC_BYTES_PUT", 3000), ("OMPI_SPC_BYTES_GET", 500)):
        counters = listed("show", experiment, name)
        assert [counter["total"] for counter in counters] == [expected], (component, counters)
    print("osc", component, "has the bytes of the program")
    return True


with tempfile.TemporaryDirectory() as folder:
    check_functions(folder)
    is_open_mpi = launcher_arguments(mpirun) != []
    components = ["sm", "rdma", "pt2pt"] if is_open_mpi else ["^rdma"]  # MPICH reads no such variable
    assert any([check_transfers(folder, component) for component in components])
