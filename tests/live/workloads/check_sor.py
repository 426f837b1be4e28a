# SPDX-License-Identifier: BSD-3-Clause
"""sor solves its problem, and prints the same whatever the variant, the number of ranks, the
imbalance and the MPI library."""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import run_mpi

PROBLEM = ["--size", "41x30", "--iterations", "40", "--check", "10", "--verify"]
CONVERGING = ["--size", "15x12", "--iterations", "200", "--tolerance", "1e-5", "--verify"]


def output_of(mpirun, ranks, program, arguments):
    """What sor prints; exits if it fails or does not verify its result."""
    run = run_mpi(mpirun, ranks, [program, *arguments])
    if run.returncode != 0 or "verified" not in run.stdout.splitlines():
        sys.exit(f"{program} {' '.join(arguments)} on {ranks} ranks: exit code {run.returncode}\n"
                 f"{run.stdout}{run.stderr}")
    return run.stdout


def check_convergence(mpirun, program):
    """Stops at the tolerance, before the iterations are used up, near the analytical solution."""
    output = output_of(mpirun, 3, program, CONVERGING)
    iterations, residual = re.search(r"sor: (\d+) iterations, residual (\S+)", output).groups()
    error = float(re.search(r"analytical solution (\S+)", output).group(1))
    if not (int(iterations) < 200 and float(residual) <= 1e-5 and 0.0 < error < 0.01):
        sys.exit(f"did not converge as expected:\n{output}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", action="append", required=True)
    parser.add_argument("--program", action="append", required=True)
    parser.add_argument("--variant", action="append", default=[])
    options = parser.parse_args()

    expected = None
    for mpirun, program in zip(options.mpirun, options.program, strict=True):
        check_convergence(mpirun, program)
        for variant in options.variant or ["p2p", "p2p-blocking", "fence", "gats", "locks"]:
            for ranks, extra in ((1, []), (3, []), (4, ["--imbalance", "150:0,2"])):
                output = output_of(mpirun, ranks, program,
                                   [*PROBLEM, "--variant", variant, *extra])
                expected = expected or output
                if output != expected:
                    sys.exit(f"{program} {variant} on {ranks} ranks {extra} prints\n{output}"
                             f"instead of\n{expected}")


main()
