#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A run that crashes before anything is on disk, and has no buffer file: fermata tells how to keep more,
and that works.

usage: check_lost.py --fermata F --mpirun M --program FAIL
"""

import argparse
import os
import subprocess
import sys
import tempfile

HINT = "--buffers FOLDER or --flush-interval 0 keeps them"


def main():
    parser = argparse.ArgumentParser()
    for name in "fermata", "mpirun", "program":
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_osc="^rdma", OMPI_MCA_mpi_yield_when_idle="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    failures = []
    for arguments, lost in ((["--buffers", "off", "--flush-interval", "never"], True),
                            (["--buffers", "off", "--flush-interval", "0"], False),
                            (["--buffers", "off", "--flight-recorder", "4M"], False),
                            (["--buffers", "/dev/shm", "--flush-interval", "never"], False)):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([options.fermata, "record", "-o", "experiment", *arguments, "--",
                                   options.mpirun, "-n", "3", options.program, "segv", folder],
                                  cwd=folder, env=environment, capture_output=True, text=True,
                                  errors="replace", timeout=120)
            if (HINT in done.stderr) != lost:
                failures.append(f"{arguments}: {done.stderr}")
    sys.exit("\n".join(failures) if failures else 0)


main()
