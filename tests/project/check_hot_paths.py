#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the compiler takes the recording of a call for what is executed.

usage: check_hot_paths.py NM LIBRARY...

The compiler splits a function into what it takes for executed and what it takes for never executed
(NAME.cold), and makes the latter small instead of fast. If it takes the recording itself for the
latter, the hot path loses its inlined functions without any other sign. So the cold part of a wrapper
(fm_*) must be smaller than the other one.
"""
import subprocess
import sys


def sizes_of(nm, library):
    """Returns {function: bytes} of a library."""
    lines = subprocess.run([nm, "-S", library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return {words[3]: int(words[1], 16) for words in map(str.split, lines) if len(words) == 4}


def main():
    nm, libraries = sys.argv[1], sys.argv[2:]
    wrong = []
    for library in libraries:
        sizes = sizes_of(nm, library)
        wrappers = [name for name in sizes if name.startswith("fm_")]
        if not wrappers:
            wrong.append(f"{library}: no wrapper found")
        for name in wrappers:
            cold = sizes.get(f"{name}.cold", 0)
            if cold > sizes[name]:
                wrong.append(f"{library}: {name}: {cold} bytes are cold, {sizes[name]} are not")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
