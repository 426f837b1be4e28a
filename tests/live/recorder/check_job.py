#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program as a batch job's: the directory's name and environment.json have the job.

usage: check_job.py --fermata F --mpirun M --program P
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

from check_recorder import run

parser = argparse.ArgumentParser()
for option in ("--fermata", "--mpirun", "--program"):
    parser.add_argument(option, required=True)
options = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    # Set behind the launcher, which would ask the batch system for the job's nodes.
    done = run([options.mpirun, "-n", "2", "env", "-u", "SLURM_JOB_ID", "-u",
                "FERMATA_EXPERIMENT_DIRECTORY", "PBS_JOBID=4711[3].head", "PBS_JOBNAME=a case",
                options.fermata, "record", options.program], folder)
    experiments = [path for path in pathlib.Path(folder).iterdir() if path.is_dir()]
    if done.returncode != 0 or len(experiments) != 1:
        sys.exit(f"exit code {done.returncode}, {experiments}: {done.stderr}")
    name = experiments[0].name
    if re.fullmatch(r"fermata-.+-2x\d+-job4711_3_\.head-\d+-\d+", name) is None:
        sys.exit(f"the name {name} lacks the job")
    environment = json.loads((experiments[0] / "environment.json").read_text())
    expected = {"system": "PBS", "id": "4711[3].head", "name": "a case"}
    if environment.get("job") != expected or environment["complete"] is not True:
        sys.exit(f"environment.json: {environment}")
