# SPDX-License-Identifier: BSD-3-Clause
"""Runs check_transport by mpirun.

usage: check_transport.py CHECK_TRANSPORT MPIRUN LIBRARY PROCESSES
"""

import sys

from launcher import run


def main():
    program, mpirun, library, processes = sys.argv[1:]
    done = run([mpirun, "-n", processes, program, library, processes])
    print(done.stdout, done.stderr)
    sys.exit(done.returncode != 0 or "keeps its promises" not in done.stdout)


main()
