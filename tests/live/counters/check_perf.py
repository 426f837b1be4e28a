# SPDX-License-Identifier: BSD-3-Clause
"""Events of perf_event_open: of all threads of the process, without forked children; what the kernel
refuses is unavailable with the reason.

usage: check_perf.py FERMATA MPIRUN PROGRAM DENYING_LIBRARY
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from shown_counters import shown_counters  # noqa: E402

fermata, mpirun, program, denying = sys.argv[1:]
PAGES = 3000
LIST = "usage.*,perf:minor-faults,perf:task-clock,perf:context-switches,perf:instructions"


def recorded(experiment, deny=None):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = [program]
    if deny is not None:
        environment["DENY_PERF"] = deny
        command = ["sh", "-c", f'LD_PRELOAD="{denying} $LD_PRELOAD" exec {program}']
    subprocess.run([fermata, "record", f"--counters={LIST}", "-o", experiment, "--",
                    *mpi_command(mpirun, 2, command)], capture_output=True, check=True,
                   env=environment)
    return shown_counters(fermata, experiment)


def check_software(counters):
    faults = counters["perf:minor-faults"]["values"]
    for rank, value in enumerate(faults):
        all_faults = counters["usage.page_faults_minor"]["values"][rank]
        assert 2 * PAGES <= value < min(3 * PAGES, all_faults), (value, all_faults)
        busy = sum(counters[f"usage.time_{part}"]["values"][rank] for part in ("user", "system"))
        assert 0 < counters["perf:task-clock"]["values"][rank] < busy + 0.1, (counters, busy)


def main():
    with tempfile.TemporaryDirectory() as folder:
        counters, lacks = recorded(f"{folder}/plain")
        if any("not permitted" in reason or "not implemented" in reason
               for reason in lacks.values()):
            print("left out: this kernel does not permit perf_event_open:", lacks)
        else:
            check_software(counters)
            assert ("perf:instructions" in counters) != ("perf:instructions" in lacks)
            assert counters["perf:minor-faults"]["meaning"].startswith("page faults without")
            counters, lacks = recorded(f"{folder}/user", "kernel")
            assert counters["perf:minor-faults"]["meaning"].endswith("in user space only")
            assert "perf_event_paranoid is" in lacks["perf:context-switches"], lacks
            check_software(counters)
        counters, lacks = recorded(f"{folder}/none", "all")
        assert not any(name.startswith("perf:") for name in counters), counters
        assert len(lacks) == 4 and all("not permitted" in lack for lack in lacks.values()), lacks
        done = subprocess.run([fermata, "counters", "show", f"{folder}/none"], capture_output=True,
                              text=True, check=True)
        assert "unavailable" in done.stdout and "perf:task-clock" in done.stdout, done.stdout
        done = subprocess.run([fermata, "record", "--counters=perf:cycle", "--", "true"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "none called perf:cycle" in done.stderr, done.stderr


main()
