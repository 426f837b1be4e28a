# SPDX-License-Identifier: BSD-3-Clause
"""Records threads of Python (pool.py): the output is that without fermata, and every thread is there.

usage: check_python.py --fermata FERMATA PYTHON PROGRAM
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from thread_records import Trace


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("python")
    parser.add_argument("program")
    options = parser.parse_args()
    program = [options.python, options.program]
    with tempfile.TemporaryDirectory() as folder:
        plain = subprocess.run(program, capture_output=True, text=True, timeout=60)
        done = subprocess.run([options.fermata, "record", "-o", "run", "--", *program], cwd=folder,
                              capture_output=True, text=True, timeout=60)
        if (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
            sys.exit(f"recorded, the program prints {done}, otherwise {plain}")
        checked = subprocess.run([options.fermata, "analyze", "--check", "run"], cwd=folder,
                                 capture_output=True, text=True)
        trace = Trace(pathlib.Path(folder) / "run" / "traces.otf2")
        if checked.returncode != 0:
            sys.exit(f"fermata analyze: {checked}")
    # Python does not wait for the end of its threads, but for that of their work.
    numbers = [sorted(records) for records in (trace.created, trace.begun)]
    if numbers != [[1, 2, 3]] * 2:
        sys.exit(f"threads created, begun: {numbers}")
    in_python = {name for call in trace.calls for name in call.path}
    if "worker" not in in_python:
        sys.exit(f"no call in worker(): {sorted(in_python)}")


main()
