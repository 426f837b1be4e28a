# SPDX-License-Identifier: BSD-3-Clause
"""A program without MPI that is killed before its records are written: they are in its buffer file. Without one
the end of the recording states how to keep them, and so they are kept.

usage: check_killed.py FERMATA PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile

HINT = "--buffers FOLDER or --flush-interval 0 keeps them"


def record(folder, case, *options):
    command = [sys.argv[1], "record", "-o", folder / "run", *options, "--", sys.argv[2], case]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (-9, 137) and "incomplete run" in done.stderr, done
    return done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        text = record(pathlib.Path(folder), "killed")
        assert HINT not in text and "all before is there" in text, text
    with tempfile.TemporaryDirectory() as folder:
        text = record(pathlib.Path(folder), "killed", "--buffers", "off")
        assert HINT in text, text
    with tempfile.TemporaryDirectory() as folder:
        text = record(pathlib.Path(folder), "killed-later", "--buffers", "off", "--flush-interval", "0")
        assert HINT not in text and " 1 event," not in text, text


main()
