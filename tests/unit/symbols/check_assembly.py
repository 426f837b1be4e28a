#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fermata-symbols names code in assembly that has neither unwind information nor sizes of symbols by the symbol
before it, but not code whose function is known to begin behind that symbol, and not code behind a symbol with
a size.

usage: check_assembly.py FERMATA_SYMBOLS
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = """
        .text
        .globl kernel_of_no_size
        .type kernel_of_no_size, @function
kernel_of_no_size:
        .skip 64, 0
        .globl sized
        .type sized, @function
sized:
        .skip 16, 0
        .size sized, 16
        .skip 48, 0
"""


def run(*command, **arguments):
    return subprocess.run(command, check=True, capture_output=True, text=True, **arguments).stdout


def main():
    if shutil.which("gcc") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder).resolve() / "library.so"
        run("gcc", "-x", "assembler", "-shared", "-nostdlib", "-s", "-o", str(library), "-", input=SOURCE)
        addresses = {line.split()[2]: int(line.split()[0], 16) for line in run("nm", "-D", library).splitlines()}
        kernel, sized = addresses["kernel_of_no_size"], addresses["sized"]
        # (begin of the function by unwind information; 0: none; address) -> name
        expected = {(0, kernel): "kernel_of_no_size", (0, kernel + 40): "kernel_of_no_size",
                    (kernel, kernel + 8): "kernel_of_no_size", (kernel + 32, kernel + 40): None,
                    (0, sized + 8): "sized", (0, sized + 32): None}
        questions = [f"M - {library}"] + [f"S 0 {begin:x} {address:x}" for begin, address in expected]
        answers = run(sys.argv[1], input="\n".join(questions) + "\n").split(".\n")
        found = [answer.split("\t")[1] if answer.startswith("F ") else None for answer in answers]
        assert found[:len(expected)] == list(expected.values()), (found, answers)


main()
