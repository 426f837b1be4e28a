# SPDX-License-Identifier: BSD-3-Clause
"""What `fermata cc` adds to which command, with compilers that only say what they are.

usage: check_compile.py FERMATA
"""

import os
import pathlib
import subprocess
import sys
import tempfile

FERMATA = sys.argv[1]
GNU = ("-finstrument-functions -finstrument-functions-exclude-file-list="
       "/usr/include/,/usr/lib/,/include/c++/,/lib/gcc/")
LLVM = "-finstrument-functions-after-inlining"
COMPILERS = {
    "gnu": "gcc (Debian) 12\nCopyright (C) 2022 Free Software Foundation, Inc.",
    "llvm": "Debian clang version 14.0.6\nTarget: x86_64",
    "other": "Compiler 1.0",
    "ccache": "ccache version 4.8, by the Free Software Foundation?",
}


def call(folder, *words):
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
    return subprocess.run([FERMATA, *words], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=60)


def check(folder):
    for name, version in COMPILERS.items():
        (folder / name).write_text("#!/bin/sh\n"
                                   f"if [ \"$1\" = --version ]; then echo '{version}'; exit; fi\n"
                                   "printf '%s\\n' \"$@\" >words\nexit 7\n")
        (folder / name).chmod(0o755)
    for command in ("cc", "cxx", "fc"):
        for compiler, added in (("gnu", GNU), ("llvm", LLVM), ("other", "-finstrument-functions")):
            done = call(folder, command, "--show", compiler, "-O2", "-c", "x.c")
            assert done.stdout == f"{compiler} -O2 -c x.c {added}\n", done
            done = call(folder, command, compiler, "-c", "two words.c")
            assert done.returncode == 7, done
            words = (folder / "words").read_text().splitlines()
            assert words == ["-c", "two words.c", *added.split(" ")], words
        done = call(folder, command, "--show", "ccache", "llvm", "-c", "x.c")
        assert done.stdout == f"ccache llvm -c x.c {LLVM}\n", done
        done = call(folder, command, "--show", "gnu", "-fno-instrument-functions", "-c", "x.c")
        assert done.stdout == "gnu -fno-instrument-functions -c x.c\n", done
        assert call(folder, command).returncode == 2
        assert call(folder, command, "-c", "x.c").returncode == 2
        done = call(folder, command, "missing-compiler", "-c", "x.c")
        assert done.returncode == 4 and "cannot start missing-compiler" in done.stderr, done


with tempfile.TemporaryDirectory() as temporary:
    check(pathlib.Path(temporary))
