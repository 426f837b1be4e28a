# SPDX-License-Identifier: BSD-3-Clause
"""sor tells what is wrong with its arguments, once, and exits with 2."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import run_mpi

WRONG = {
    "--size 10": "--size needs two positive numbers",
    "--size 0x10": "--size needs two positive numbers",
    "--size 10x10x10": "--size needs two positive numbers",
    "--size 1x1": "fewer points than processes",
    "--iterations 0": "--iterations needs a positive number",
    "--iterations 99999999999999999999": "--iterations needs a positive number",
    "--tolerance -1": "--tolerance needs a number",
    "--tolerance nan": "--tolerance needs a number",
    "--check": "--check needs a value",
    "--variant rma": "--variant is one of",
    "--work soon": "--work needs a number of seconds",
    "--imbalance 50:2": "--imbalance needs a percentage",
    "--imbalance 50:": "--imbalance needs a percentage",
    "--imbalance half": "--imbalance needs a percentage",
    "--verbose": "unknown option --verbose",
    "fast": 'unexpected argument "fast"',
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()

    for arguments, message in WRONG.items():
        run = run_mpi(options.mpirun, 2, [options.program, *arguments.split()])
        told = [line for line in run.stderr.splitlines() if line.startswith("sor: ")]
        if run.returncode != 2 or len(told) != 1 or message not in told[0]:
            sys.exit(f"sor {arguments}: exit code {run.returncode}, expected 2 and one line with "
                     f'"{message}"\n{run.stdout}{run.stderr}')


main()
