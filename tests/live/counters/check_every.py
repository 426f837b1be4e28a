# SPDX-License-Identifier: BSD-3-Clause
"""Each function that Open MPI's software performance counters count is counted, exactly, by its name;
bytes of one-sided operations with each component of Open MPI for them.

usage: check_every.py FERMATA MPIRUN PROGRAM
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

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


def check_names(experiment, sums):
    """Counters of functions with two names: the calls under both."""
    assert len(sums) == PERSISTENT, sums
    found = {counter["name"]: (counter["total"], counter["obtained"]) for counter in
             listed("show", experiment, *("OMPI_SPC_" + name for name in sums))
             if not counter["name"].startswith("calls:")}
    assert found == {name: (total, "exact (calls)") for name, total in sums.items()}, (found, sums)
    unasked = {counter["name"] for counter in listed("show", "--all", experiment)}
    assert not unasked & sums.keys(), unasked & sums.keys()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([fermata, "counters", "convert", experiment, f"{folder}/spc"], check=True)
        description, = pathlib.Path(folder).glob("spc/*.xml")
        written = spc_values(description)
    assert {name: written[f"OMPI_SPC_{name}"] for name in sums} == sums, (written, sums)


def spc_values(description):
    """The values of a data file of Open MPI's counters, by its description."""
    tags = ElementTree.parse(description).getroot()
    data = pathlib.Path(str(description).removesuffix(".xml")).read_bytes()
    return {counter.findtext("name"): struct.unpack_from("=q", data, int(counter.findtext("value_offset")))[0]
            for counter in tags.findall("counter")}


def check_functions(folder):
    done = subprocess.run([fermata, "record", "--counters-only", "-o", f"{folder}/run", "--",
                           *mpi_command(mpirun, 1, [program])], capture_output=True, text=True,
                          env=environment_with("^rdma"), timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    called = {name: int(times) for name, times in map(str.split, done.stdout.splitlines())}
    functions = {}  # by the name of the counter
    for counter in listed("list"):
        sources = counter["sum_of"] or [counter["source"] or ""]
        if counter["is_spc"] and sources[0].startswith("calls:"):
            functions[counter["name"]] = [source.removeprefix("calls:") for source in sources]
    assert len(functions) == FUNCTIONS, len(functions)
    missing = {name for name, under in functions.items() if not called.keys() & set(under)}
    assert len(missing) in (0, PERSISTENT) and all(name.endswith("_INIT") for name in missing), missing
    assert called.keys() <= {name for under in functions.values() for name in under}, called.keys()
    found = {counter["name"]: counter["total"] for counter in
             listed("show", "--all", f"{folder}/run", "calls:*")}
    wrong = {name: (times, found.get("calls:" + name)) for name, times in called.items()
             if found.get("calls:" + name) != times}
    assert not wrong, wrong
    check_names(f"{folder}/run", {name: sum(called.get(function, 0) for function in under)
                                  for name, under in functions.items() if len(under) > 1})
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
